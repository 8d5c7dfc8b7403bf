package state

// The setters below copy what they are given. Each bounds what the message holds by MaxMessageBytes: *LimitError, and
// nothing is changed.

// SetText replaces the content of m by text (UTF-8, not JSON). A waiting half is discarded. Error: *LimitError for
// MaxMessageBytes; the message is unchanged then.
func (s *Store) SetText(m *Message, text []byte) error {
	old := m.contentSize()
	if err := s.charge(m, len(text)-old); err != nil {
		return err
	}
	if old == 0 && !m.HasParts {
		// Nothing was lent yet, so the buffer can serve.
		m.text, m.hasText, m.carry = append(s.pool.growBuffer(m.text, len(text)), text...), true, 0
		return nil
	}
	m.clearContent()
	m.text, m.hasText = append([]byte(nil), text...), true
	return nil
}

// SetParts replaces the content of m by a copy of the parts. A waiting half is discarded. Error: as of SetText.
func (s *Store) SetParts(m *Message, parts []Part) error {
	if err := s.charge(m, partsSize(parts)-m.contentSize()); err != nil {
		return err
	}
	m.clearContent()
	if m.room == nil || len(m.room.parts) > 0 {
		m.room = s.pool.takeRoom() // what was lent of parts before stays as it is
	}
	m.Parts, m.HasParts = m.room.copy(parts), true
	return nil
}

func (m *Message) contentSize() int {
	if m.HasParts {
		return partsSize(m.Parts)
	}
	return len(m.text)
}

// SetName sets the name of m.
func (s *Store) SetName(m *Message, name []byte) { m.Name = OptString{m.own(name), true} }

// SetOwner sets the subagent that m belongs to; present false makes it the parent's, whatever owner says.
func (s *Store) SetOwner(m *Message, owner []byte, present bool) {
	m.SubagentRunID = OptString{}
	if present {
		m.SubagentRunID = OptString{m.own(owner), true}
	}
}

// SetToolCallID sets the call that a tool message answers.
func (s *Store) SetToolCallID(m *Message, id []byte) { m.ToolCallID = m.own(id) }

// SetEncrypted stores an encrypted value on m; a type that isn't there deletes the stored one (rule 79). Error: as of
// SetText.
func (s *Store) SetEncrypted(m *Message, value, valueType []byte, hasType bool) error {
	if err := s.charge(m, len(value)-len(m.EncryptedValue.Value)); err != nil {
		return err
	}
	m.EncryptedValue, m.EncryptedValueType = OptString{m.own(value), true}, OptString{}
	if hasType {
		m.EncryptedValueType = OptString{m.own(valueType), true}
	}
	return nil
}

// SetCallEncrypted is SetEncrypted for c, a call on m.
func (s *Store) SetCallEncrypted(m *Message, c *ToolCall, value, valueType []byte, hasType bool) error {
	if err := s.charge(m, len(value)-len(c.EncryptedValue.Value)); err != nil {
		return err
	}
	c.EncryptedValue, c.EncryptedValueType = OptString{c.own(value), true}, OptString{}
	if hasType {
		c.EncryptedValueType = OptString{c.own(valueType), true}
	}
	return nil
}

// SetActivityType sets what kind of activity m is.
func (s *Store) SetActivityType(m *Message, activityType []byte) {
	if m.ActivityType != string(activityType) {
		m.ActivityType = m.own(activityType)
	}
}

// SetActivity replaces the content of an activity message by an object (validated JSON text). Error: *LimitError for
// MaxActivityBytes; the content is unchanged then.
func (s *Store) SetActivity(m *Message, raw []byte) error {
	if m.Activity != nil {
		m.Activity.MaxBytes = s.MaxActivityBytes
		return m.Activity.Set(raw)
	}
	d := s.pool.takeDocument()
	d.MaxBytes = s.MaxActivityBytes
	if err := d.Set(raw); err != nil {
		s.pool.putDocument(d)
		return err
	}
	m.Activity = d
	return nil
}

// MergeMetadata merges an event's metadata (validated JSON text of an object) into m by rule 108. Error: *LimitError for
// MaxMessageBytes, of which the whole text must fit; the message is unchanged then.
func (s *Store) MergeMetadata(m *Message, raw []byte) error {
	// The text bounds what it can add, so a merge never has to be undone.
	if err := s.fits(m.bytes + len(raw)); err != nil {
		return err
	}
	m.bytes += m.Metadata.merge(raw, metadataRoom{&m.keys, &m.ids, s.pool})
	return nil
}

// MergeCallMetadata is MergeMetadata for c, a call on m.
func (s *Store) MergeCallMetadata(m *Message, c *ToolCall, raw []byte) error {
	if err := s.fits(m.bytes + len(raw)); err != nil {
		return err
	}
	m.bytes += c.Metadata.merge(raw, metadataRoom{&c.keys, &c.ids, s.pool})
	return nil
}
