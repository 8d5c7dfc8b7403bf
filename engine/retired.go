package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
)

// thinking translates the retired THINKING_* events, which carry no ids, into reasoning (protocol, section 1.4): one id
// from THINKING_START to THINKING_END, else one a text message.
type thinking struct {
	minted          int    // a stream's count
	block, text     []byte // ids: of what lies between THINKING_START and THINKING_END, and of the open text message
	inBlock, inText bool
}

func (t *thinking) reset() { t.inBlock, t.inText = false, false } // ids are minted, so short

// retired makes o the event that replaces a retired one; false when it was a violation.
func (m *machine) retired(ev *decode.Event, o *op) bool {
	if reason := m.checkPhase(o); reason != "" {
		m.violate(reason) // before an id is minted: what is refused uses up none
		return false
	}
	t := &m.think
	o.made, o.hasID = true, true
	o.raw = ev.Raw(decode.FieldRawEvent)
	switch ev.Type {
	case decode.ThinkingStart:
		o.typ = decode.ReasoningStart
		if !t.inBlock {
			t.block = m.mintThought(t.block)
			t.inBlock = true
			what := "THINKING_START translated to REASONING_START"
			if ev.Has(decode.FieldTitle) {
				what += "; its title is lost"
			}
			m.warn(what, "")
		}
		o.id = t.block
	case decode.ThinkingTextMessageStart:
		o.typ = decode.ReasoningMessageStart
		switch {
		case t.inBlock:
			t.text = append(t.text[:0], t.block...)
		case !t.inText:
			t.text = m.mintThought(t.text)
			m.warn("THINKING_TEXT_MESSAGE_START translated to REASONING_MESSAGE_START", "")
		}
		t.inText = true
		o.id = t.text
	case decode.ThinkingTextMessageContent, decode.ThinkingTextMessageEnd:
		o.typ = decode.ReasoningMessageContent
		if ev.Type == decode.ThinkingTextMessageEnd {
			o.typ = decode.ReasoningMessageEnd
		}
		switch {
		case t.inText:
			o.id = t.text
		case t.inBlock:
			o.id = t.block
		default:
			return m.strayThought(ev.Type)
		}
		if ev.Type == decode.ThinkingTextMessageEnd {
			t.inText = false
		}
	case decode.ThinkingEnd:
		o.typ = decode.ReasoningEnd
		if !t.inBlock {
			return m.strayThought(ev.Type)
		}
		o.id, t.inBlock = t.block, false
	}
	return true
}

// strayThought refuses what has no thought to go to. Not verified, an end is ignored; content has no id to open.
func (m *machine) strayThought(typ decode.Type) bool {
	if m.opt.NoVerify && typ != decode.ThinkingTextMessageContent {
		m.skip()
		return false
	}
	m.violate(typ.String() + ": no thought is open")
	return false
}

// mintThought makes the next id that nothing uses.
func (m *machine) mintThought(id []byte) []byte {
	for {
		m.think.minted++
		id = strconv.AppendInt(append(id[:0], "thinking-"...), int64(m.think.minted), 10)
		i, known := m.rules.thought[string(id)]
		if m.store.Find(id) == nil && (!known || !m.rules.thoughts[i].span) {
			return id
		}
	}
}
