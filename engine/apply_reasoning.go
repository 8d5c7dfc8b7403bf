package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// thoughtOf is what is known of a reasoning id in this run; valid until the next is met.
func (r *rulebook) thoughtOf(id []byte) *thought {
	if i, ok := r.thought[string(id)]; ok {
		return &r.thoughts[i]
	}
	put(&r.thought, r.name(id), int32(len(r.thoughts)))
	r.thoughts = append(r.thoughts, thought{})
	return &r.thoughts[len(r.thoughts)-1]
}

// thoughtOpened says whether an opener of the id is the first: a thought is bracketed twice, by span and message.
func (m *machine) thoughtOpened(id []byte) bool {
	t := m.rules.thoughtOf(id)
	if t.reported {
		return false
	}
	t.reported = true
	return true
}

func (m *machine) thoughtClosed(id []byte) bool {
	t := m.rules.thoughtOf(id)
	was := t.reported
	t.reported = false
	return was
}

// spanStart holds rule 17 for an opener. A span makes no entry.
func (m *machine) spanStart(o *op) {
	t := m.rules.thoughtOf(o.id)
	if t.span && m.verify() {
		m.violate("REASONING_START: reasoning " + strconv.Quote(string(o.id)) + " is already open")
		return
	}
	if !t.span {
		m.rules.spans++
	}
	t.span, t.owner = true, parentOwner
	if o.tagged {
		t.owner = m.rules.intern(o.tag)
	}
	m.attribute(o)
	m.trace(o)
	if m.thoughtOpened(o.id) {
		m.sendReasoning(o.id, m.thoughtEntry(o.id), ReasoningStarted, "")
	}
}

// spanEnd holds rules 17 and 26 for a closer.
func (m *machine) spanEnd(o *op) {
	i, ok := m.rules.thought[string(o.id)]
	if !ok || !m.rules.thoughts[i].span {
		if m.opt.NoVerify {
			m.skip()
			return
		}
		m.violate("REASONING_END: no open reasoning " + strconv.Quote(string(o.id)))
		return
	}
	t := &m.rules.thoughts[i]
	if o.tagged && m.verify() && !m.rules.isOwner(t.owner, o.tag) {
		m.violate("REASONING_END: " + m.wrongOwner("reasoning", o.id, t.owner, o.tag))
		return
	}
	t.span = false
	m.rules.spans--
	m.attribute(o)
	m.trace(o)
	if m.thoughtClosed(o.id) {
		m.sendReasoning(o.id, m.thoughtEntry(o.id), ReasoningEnded, "")
	}
}

func (m *machine) thoughtEntry(id []byte) *Message {
	if msg := m.store.Find(id); msg != nil && msg.Role == state.RoleReasoning {
		return msg
	}
	return nil
}

func (m *machine) reasoningTextEnd(o *op) {
	msg := m.thoughtEntry(o.id)
	var mk *state.Mark
	if msg != nil {
		mk = &msg.Mark
	}
	if !m.endItem(o, "reasoning message", mk, reasoningLane) {
		return
	}
	if !m.mergeMetadata(msg, o) {
		return
	}
	m.trace(o)
	if delta, ok := m.store.FlushText(msg); ok {
		m.sendReasoning(nil, msg, ReasoningContent, delta)
	}
	if m.thoughtClosed(o.id) {
		m.sendReasoning(nil, msg, ReasoningEnded, "")
	}
}

// sendReasoning reports a thought; id serves when there is no entry.
func (m *machine) sendReasoning(id []byte, msg *Message, change ReasoningChange, delta string) {
	m.up.reasoning = ReasoningUpdate{Change: change, Delta: delta, Message: msg}
	if msg != nil {
		m.up.reasoning.ID, m.up.reasoning.Text = msg.ID, msg.Text()
	} else {
		m.up.reasoning.ID = stringOf(id)
	}
	m.send(&m.up.reasoning)
}

// encryptedValue stores an opaque value on a message or a call (rules 46, 78 and 79).
func (m *machine) encryptedValue(o *op) {
	value := m.str(decode.FieldEncryptedValue)
	var typ []byte
	hasType := m.ev.Has(decode.FieldEncryptedValueType)
	if hasType {
		typ = m.str(decode.FieldEncryptedValueType)
	}
	if string(m.str(decode.FieldSubtype)) == "tool-call" {
		msg, call := m.store.FindCall(o.id)
		if call == nil {
			m.skip()
			m.warn("encrypted value for the unknown tool call "+strconv.Quote(string(o.id))+" dropped", "/entityId")
			return
		}
		m.attribute(o)
		if err := m.store.SetCallEncrypted(msg, call, value, typ, hasType); err != nil {
			m.fail(m.limitError(err))
			return
		}
		m.trace(o)
		m.sendCall(msg, call, MessageEncryptedValue, "")
		return
	}
	msg := m.store.Find(o.id)
	if msg == nil || msg.Role == state.RoleActivity {
		m.skip()
		m.warn("encrypted value for "+strconv.Quote(string(o.id))+" dropped: no message that can hold it", "/entityId")
		return
	}
	m.attribute(o)
	if err := m.store.SetEncrypted(msg, value, typ, hasType); err != nil {
		m.fail(m.limitError(err))
		return
	}
	m.trace(o)
	if msg.Role == state.RoleReasoning {
		m.sendReasoning(nil, msg, ReasoningEncryptedValue, "")
		return
	}
	m.sendMessage(msg, MessageEncryptedValue, "")
}
