package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// callStart opens a tool call (rules 72-74).
func (m *machine) callStart(o *op) *state.Mark {
	owner := m.startOwner(o)
	m.attribute(o)
	msg, call := m.store.FindCall(o.id)
	if call == nil {
		if msg = m.callParent(o); msg == nil {
			return nil
		}
		var err error
		if call, err = m.store.AddCall(msg, o.id, o.name); err != nil {
			m.fail(m.limitError(err))
			return nil
		}
	} else if call.Name != string(o.name) {
		m.warn("tool call "+strconv.Quote(call.ID)+" keeps its name "+strconv.Quote(call.Name)+", not "+strconv.Quote(string(o.name)), "/toolCallName")
	}
	m.open(&call.Mark, owner, toolLane, o.id)
	m.tally(o.id)
	if !m.mergeCallMetadata(msg, call, o) {
		return nil
	}
	m.trace(o)
	m.up.message = MessageUpdate{
		Index: msg.Index(), ID: msg.ID, Change: ToolCallStarted, ToolCallID: call.ID, Message: msg, Call: call,
	}
	m.send(&m.up.message)
	return &call.Mark
}

// tally notes a call of this run for rule 117.
func (m *machine) tally(id []byte) {
	r := &m.rules
	if _, ok := r.call[string(id)]; ok {
		return
	}
	kept := r.name(id)
	put(&r.call, kept, int32(len(r.started)))
	r.started = append(r.started, kept)
}

// callParent is the assistant message that a new call goes to; one is made when none fits.
func (m *machine) callParent(o *op) *Message {
	var id []byte
	if o.hasPar {
		p := m.store.Find(o.parent)
		if p != nil && p.Role == state.RoleAssistant {
			return p
		}
		if p == nil {
			id = o.parent
		}
	}
	if id == nil {
		for id = o.id; m.store.Find(id) != nil; {
			id = append(id[:len(id):len(id)], "-message"...)
		}
	}
	msg, err := m.store.Add(state.RoleAssistant, id)
	if err != nil {
		m.fail(m.limitError(err))
		return nil
	}
	if o.tagged {
		m.store.SetOwner(msg, o.tag, true)
	}
	return msg
}

func (m *machine) args(o *op) {
	msg, call := m.store.FindCall(o.id)
	if m.opt.NoVerify {
		if call == nil {
			if msg, call = m.orphanCall(o); call == nil {
				return
			}
		} else if !m.rules.isOpen(&call.Mark) {
			owner := m.callOwner(msg, call)
			if o.tagged {
				owner = m.rules.intern(o.tag)
			}
			m.open(&call.Mark, owner, toolLane, o.id)
			m.tally(o.id)
		}
	} else {
		var mk *state.Mark
		if call != nil {
			mk = &call.Mark
		}
		if reason := m.checkOpen(o, "tool call", mk); reason != "" {
			m.violate(reason)
			return
		}
	}
	m.attributeTo(&call.Mark, o)
	delta, err := m.store.AppendArgs(msg, call, o.delta, o.plain)
	if err != nil {
		m.fail(m.limitError(err))
		return
	}
	if !m.mergeCallMetadata(msg, call, o) {
		return
	}
	m.trace(o)
	m.sendCall(msg, call, ToolCallArgs, delta)
	m.learn(o, msg, call)
}

// orphanCall opens silently the call that unverified arguments name.
func (m *machine) orphanCall(o *op) (*Message, *ToolCall) {
	msg := m.callParent(o)
	if msg == nil {
		return nil, nil
	}
	call, err := m.store.AddCall(msg, o.id, nil)
	if err != nil {
		m.fail(m.limitError(err))
		return nil, nil
	}
	m.open(&call.Mark, m.messageOwner(msg), toolLane, o.id)
	m.tally(o.id)
	return msg, call
}

func (m *machine) argsEnd(o *op) {
	msg, call := m.store.FindCall(o.id)
	var mk *state.Mark
	if call != nil {
		mk = &call.Mark
	}
	if !m.endItem(o, "tool call", mk, toolLane) {
		return
	}
	if !m.mergeCallMetadata(msg, call, o) {
		return
	}
	m.trace(o)
	if delta, ok := m.store.FlushArgs(msg, call); ok {
		m.sendCall(msg, call, ToolCallArgs, delta)
	}
	m.sendCall(msg, call, ToolCallEnded, "")
}

// toolResult stores the answer to a call as a tool message (rule 75). It neither touches nor reopens the call.
func (m *machine) toolResult(o *op) {
	m.attribute(o)
	id := o.id
	msg := m.store.Find(id)
	if msg != nil && msg.Role != state.RoleTool {
		held := msg
		id = append([]byte(nil), id...)
		for msg != nil && msg.Role != state.RoleTool {
			id = append(id, "-result"...)
			msg = m.store.Find(id)
		}
		m.warn("TOOL_CALL_RESULT names the "+held.Role.String()+" message "+strconv.Quote(held.ID)+": stored as "+strconv.Quote(string(id)), "/messageId")
	}
	if msg == nil {
		var err error
		if msg, err = m.store.Add(state.RoleTool, id); err != nil {
			m.fail(m.limitError(err))
			return
		}
	}
	callID := m.str(decode.FieldToolCallID)
	m.store.SetToolCallID(msg, callID)
	var err error
	if m.ev.Kind(decode.FieldContent) == decode.Array {
		err = m.store.SetParts(msg, m.payload.parts)
	} else {
		err = m.store.SetText(msg, m.str(decode.FieldContent))
	}
	if err != nil {
		m.fail(m.limitError(err))
		return
	}
	m.store.SetOwner(msg, o.tag, o.tagged)
	if !m.mergeMetadata(msg, o) {
		return
	}
	if _, ok := m.rules.results[string(callID)]; !ok {
		put(&m.rules.results, m.rules.name(callID), struct{}{})
	}
	m.trace(o)
	_, call := m.store.FindCall(callID)
	m.up.message = MessageUpdate{
		Index: msg.Index(), ID: msg.ID, Change: ToolResult, ToolCallID: msg.ToolCallID, Message: msg, Call: call,
	}
	m.send(&m.up.message)
}

// pending are the calls of this run without a result, in call order (rule 117), in memory of their own.
func (m *machine) pending() []string {
	r := &m.rules
	open, bytes := 0, 0
	for _, id := range r.started {
		if _, ok := r.results[id]; !ok {
			open++
			bytes += len(id)
		}
	}
	if open == 0 {
		return nil
	}
	ids := make([]string, 0, open)
	text := make([]byte, 0, bytes)
	for _, id := range r.started {
		if _, ok := r.results[id]; !ok {
			n := len(text)
			text = append(text, id...)
			ids = append(ids, stringOf(text[n:]))
		}
	}
	return ids
}
