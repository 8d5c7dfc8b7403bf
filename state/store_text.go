package state

import "github.com/aguistream/aguistream/decode"

// AppendText appends a delta to the content of m: the body of a JSON string, without its quotes, from validated text.
// plain says that it is ASCII without escapes (decode.Event.IsPlain). Where the content is parts it goes to the last text
// part, else to a new one. The result is a view of what was added, lent like Message.Text.
//
// A high surrogate at the delta's end waits for the next delta of the same message; FlushText ends the wait. Error:
// *LimitError for MaxMessageBytes; the message is unchanged then.
func (s *Store) AppendText(m *Message, raw []byte, plain bool) (delta string, err error) {
	if !plain || m.carry != 0 || m.HasParts {
		return s.appendText(m, raw)
	}
	if err := s.charge(m, len(raw)); err != nil {
		return "", err
	}
	n := len(m.text)
	if cap(m.text)-n < len(raw) {
		m.text = s.pool.growBuffer(m.text, len(raw))
	}
	m.text = append(m.text, raw...)
	m.hasText = true
	return lend(m.text[n:]), nil
}

// deltaRoom is what decode.AppendDelta may take beside the delta's own bytes, short of invalid UTF-8.
const deltaRoom = 16

func (s *Store) appendText(m *Message, raw []byte) (string, error) {
	if err := s.weigh(m, raw, m.carry); err != nil {
		return "", err
	}
	if m.HasParts {
		m.openTail()
	}
	m.hasText = !m.HasParts
	n := len(m.text)
	text := decode.AppendDelta(s.pool.growBuffer(m.text, len(raw)+deltaRoom), raw, &m.carry)
	m.bytes += len(text) - n
	m.setTail(text)
	if m.carry != 0 {
		s.wait(m)
	}
	return lend(text[n:]), nil
}

// weigh says whether a delta that is not plain fits, before it changes anything.
func (s *Store) weigh(m *Message, raw []byte, carry uint16) error {
	// A byte comes to three at most, as U+FFFD; so does a half that was carried in.
	if s.fits(m.bytes+3*len(raw)+3) == nil {
		return nil
	}
	return s.fits(m.bytes + len(decode.AppendDelta(nil, raw, &carry)))
}

// AppendArgs appends a delta to the arguments of c, a call on m, as AppendText does to the content.
func (s *Store) AppendArgs(m *Message, c *ToolCall, raw []byte, plain bool) (delta string, err error) {
	n := len(c.args)
	if plain && c.carry == 0 {
		if err := s.charge(m, len(raw)); err != nil {
			return "", err
		}
		if cap(c.args)-n < len(raw) {
			c.args = s.pool.growBuffer(c.args, len(raw))
		}
		c.args = append(c.args, raw...)
		return lend(c.args[n:]), nil
	}
	if err := s.weigh(m, raw, c.carry); err != nil {
		return "", err
	}
	c.args = decode.AppendDelta(s.pool.growBuffer(c.args, len(raw)+deltaRoom), raw, &c.carry)
	m.bytes += len(c.args) - n
	if c.carry != 0 {
		s.wait(m)
	}
	return lend(c.args[n:]), nil
}

// replacement is U+FFFD, what half a surrogate pair comes to.
const replacement = "\uFFFD"

// FlushText ends the wait for a second surrogate half: U+FFFD is appended, and is the delta. ok is false when none was
// awaited. It is the one thing that may cross MaxMessageBytes, by three bytes.
func (s *Store) FlushText(m *Message) (delta string, ok bool) {
	if m.carry == 0 {
		return "", false
	}
	m.carry = 0
	if m.HasParts {
		m.openTail()
	}
	m.setTail(append(m.text, replacement...))
	m.bytes += len(replacement)
	return replacement, true
}

// FlushArgs is FlushText for the arguments of c, a call on m.
func (s *Store) FlushArgs(m *Message, c *ToolCall) (delta string, ok bool) {
	if c.carry == 0 {
		return "", false
	}
	c.carry = 0
	c.args = append(c.args, replacement...)
	m.bytes += len(replacement)
	return replacement, true
}

// Pending reports whether m, or a call on it, has half a surrogate waiting.
func (m *Message) Pending() bool {
	if m.carry != 0 {
		return true
	}
	for _, c := range m.ToolCalls {
		if c.carry != 0 {
			return true
		}
	}
	return false
}

// Flush ends every wait in the store, as FlushText does. It looks only at messages that have waited since the last Flush.
func (s *Store) Flush() {
	for i, m := range s.waiting {
		s.waiting[i] = nil
		m.waited = false
		if !m.held {
			continue
		}
		s.FlushText(m)
		for _, c := range m.ToolCalls {
			s.FlushArgs(m, c)
		}
	}
	s.waiting = s.waiting[:0]
}

// wait notes that m, or a call on it, has half a surrogate waiting.
func (s *Store) wait(m *Message) {
	if !m.waited {
		m.waited = true
		s.waiting = append(s.waiting, m)
	}
}

// openTail finds or makes the text part that deltas go to, and moves its text to the growing buffer.
func (m *Message) openTail() {
	if m.tailed {
		return
	}
	m.tailed = true
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if m.Parts[i].Type == "text" {
			m.tail = int32(i)
			m.text = append([]byte(nil), m.Parts[i].Text...)
			return
		}
	}
	m.tail = int32(len(m.Parts))
	m.Parts = append(m.Parts, Part{Type: "text"})
	m.text = nil
}

// setTail keeps the grown text where it belongs.
func (m *Message) setTail(text []byte) {
	m.text = text
	if m.tailed {
		m.Parts[m.tail].Text = lend(text)
	}
}
