package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// shortcut is the short way of a streamed item: its next frame equals the last one but for the delta, so type, id, owner
// and phase have been judged already. It holds while nothing happened that could change that judgement.
type shortcut struct {
	decode.Repeat
	wire decode.Type // of the frame: a content event, or a chunk that continues an open stream
	typ  decode.Type // what it comes to
	msg  *Message
	call *ToolCall // TOOL_CALL_ARGS only
}

// shortcuts are those of the items that stream just now; interleaved items have one each.
type shortcuts struct {
	n, last, next int
	list          [maxShortcuts]shortcut
}

const maxShortcuts = 4

// repeat takes the frame that rest begins with by a shortcut; false when it has to go the long way.
func (m *machine) repeat(rest []byte, at int64) bool {
	s := &m.short
	for i := range s.n {
		k := s.last + i
		if k >= s.n {
			k -= s.n
		}
		c := &s.list[k]
		delta, plain, n := c.Match(rest)
		if n == 0 {
			continue
		}
		if n > m.lim.FrameBytes {
			return false
		}
		s.last = k
		m.num++
		m.counts.Events++
		m.fate = applied
		m.ev.Type, m.ev.Number, m.ev.Offset = c.wire, m.num, at
		m.framer.Pass(n) // before the handler sees it: what it does must not find the frame again
		m.append(c.typ, c.msg, c.call, delta, plain)
		m.settle()
		return true
	}
	return false
}

// append is what a content event does once it is judged.
func (m *machine) append(typ decode.Type, msg *Message, call *ToolCall, raw []byte, plain bool) {
	if typ == decode.ToolCallArgs {
		delta, err := m.store.AppendArgs(msg, call, raw, plain)
		if err != nil {
			m.fail(m.limitError(err))
			return
		}
		m.sendCall(msg, call, ToolCallArgs, delta)
		return
	}
	delta, err := m.store.AppendText(msg, raw, plain)
	if err != nil {
		m.fail(m.limitError(err))
		return
	}
	if typ == decode.ReasoningMessageContent {
		m.sendReasoning(nil, msg, ReasoningContent, delta)
		return
	}
	m.sendMessage(msg, MessageContent, delta)
}

// repeatable are the members that a content event may have for its like to take the short way: each of them says the same
// again, or nothing. A chunk may repeat those of its opener.
const (
	repeatable = decode.FieldSet(1)<<decode.FieldType | 1<<decode.FieldMessageID | 1<<decode.FieldToolCallID |
		1<<decode.FieldDelta | 1<<decode.FieldSubagentRunID | 1<<decode.FieldTimestamp
	repeatableChunk = repeatable | 1<<decode.FieldRole | 1<<decode.FieldName | 1<<decode.FieldToolCallName |
		1<<decode.FieldParentMessageID
)

// learn prepares the short way after a content event, or a chunk's, that was applied.
func (m *machine) learn(o *op, msg *Message, call *ToolCall) {
	if m.nulls || !m.line || m.closed || m.opt.Trace != nil || m.opt.NoVerify || m.fate != applied {
		return
	}
	members := repeatable
	if o.made {
		members = repeatableChunk
	}
	if !m.ev.Only(members) || o.made && !isChunk(m.ev.Type) {
		return
	}
	s := &m.short
	k := s.next
	for i := range s.n {
		if s.list[i].msg == msg && s.list[i].call == call {
			k = i
			break
		}
	}
	c := &s.list[k]
	if !c.Learn(&m.ev, decode.FieldDelta) {
		return
	}
	c.wire, c.typ, c.msg, c.call = m.ev.Type, o.typ, msg, call
	s.last = k
	if k == s.next {
		s.n = max(s.n, k+1)
		s.next = (k + 1) % maxShortcuts
	}
}

func isChunk(t decode.Type) bool {
	return t == decode.TextMessageChunk || t == decode.ToolCallChunk || t == decode.ReasoningMessageChunk
}

// unlearn forgets the short ways that an event may have made wrong. What an event does to an item or to the chunk streams
// is seen to where it is done (shut, openChunk, closeLane).
func (m *machine) unlearn(typ decode.Type) {
	switch typ {
	case decode.TextMessageContent, decode.ToolCallArgs, decode.ReasoningMessageContent,
		decode.TextMessageStart, decode.ToolCallStart, decode.ReasoningMessageStart, decode.ToolCallResult,
		decode.StateSnapshot, decode.StateDelta, decode.Raw, decode.Custom, decode.StepStarted, decode.StepFinished,
		decode.ReasoningStart, decode.ReasoningEnd, decode.ReasoningEncryptedValue,
		decode.TextMessageEnd, decode.ToolCallEnd, decode.ReasoningMessageEnd,
		decode.TextMessageChunk, decode.ToolCallChunk, decode.ReasoningMessageChunk,
		decode.ActivitySnapshot, decode.ActivityDelta,
		decode.SubagentStarted, decode.SubagentFinished, decode.SubagentError:
		return
	}
	m.short.forget()
}

// unlearnItem forgets the short way of an item that was closed.
func (s *shortcuts) unlearnItem(mk *state.Mark) {
	for i := range s.n {
		c := &s.list[i]
		if c.call == nil && &c.msg.Mark == mk || c.call != nil && &c.call.Mark == mk {
			s.drop(i)
			return
		}
	}
}

func (s *shortcuts) drop(i int) {
	s.n--
	s.list[i], s.list[s.n] = s.list[s.n], s.list[i]
	s.list[s.n].msg, s.list[s.n].call = nil, nil
	s.last, s.next = 0, s.n
}

func (s *shortcuts) forget() {
	for i := range s.n {
		s.list[i].msg, s.list[i].call = nil, nil
	}
	s.n, s.last, s.next = 0, 0, 0
}

// shrink lets go what a peer made large.
func (s *shortcuts) shrink() {
	for i := range s.list {
		s.list[i].Shrink()
	}
}
