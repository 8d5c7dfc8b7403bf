package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
)

// thinking translates the retired THINKING_* events, which carry no ids, into reasoning (protocol, section 1.4): one id
// from THINKING_START to THINKING_END, else one a text message.
type thinking struct {
	minted int // a stream's count
	id     []byte
	block  bool // between THINKING_START and THINKING_END
	text   bool // a text message is open
}

func (t *thinking) reset() { t.id, t.block, t.text = t.id[:0], false, false }

// retired makes o the event that replaces a retired one; false when it was a violation.
func (m *machine) retired(ev *decode.Event, o *op) bool {
	if reason := m.checkPhase(o); reason != "" {
		m.violate(reason) // before an id is minted: what is refused uses up none
		return false
	}
	t := &m.think
	o.made = true
	o.raw = ev.Raw(decode.FieldRawEvent)
	switch ev.Type {
	case decode.ThinkingStart:
		o.typ = decode.ReasoningStart
		if !t.block {
			m.mintThought()
			t.block = true
			what := "THINKING_START translated to REASONING_START"
			if ev.Has(decode.FieldTitle) {
				what += "; its title is lost"
			}
			m.warn(what, "")
		}
	case decode.ThinkingTextMessageStart:
		o.typ = decode.ReasoningMessageStart
		if !t.block && !t.text {
			m.mintThought()
			m.warn("THINKING_TEXT_MESSAGE_START translated to REASONING_MESSAGE_START", "")
		}
		t.text = true
	case decode.ThinkingTextMessageContent:
		o.typ = decode.ReasoningMessageContent
		if !t.text {
			return m.strayThought("THINKING_TEXT_MESSAGE_CONTENT")
		}
	case decode.ThinkingTextMessageEnd:
		o.typ = decode.ReasoningMessageEnd
		if !t.text {
			return m.strayThought("THINKING_TEXT_MESSAGE_END")
		}
		t.text = false
	case decode.ThinkingEnd:
		o.typ = decode.ReasoningEnd
		if !t.block {
			return m.strayThought("THINKING_END")
		}
		t.block = false
	}
	o.id, o.hasID = t.id, true
	return true
}

func (m *machine) strayThought(name string) bool {
	if m.opt.NoVerify {
		m.skip()
		return false
	}
	m.violate(name + ": no thought is open")
	return false
}

func (m *machine) mintThought() {
	for {
		m.think.minted++
		m.think.id = strconv.AppendInt(append(m.think.id[:0], "thinking-"...), int64(m.think.minted), 10)
		if m.store.Find(m.think.id) == nil {
			return
		}
	}
}
