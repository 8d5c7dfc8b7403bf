package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// stateSnapshot replaces the state wholesale, null and false included (rule 85).
func (m *machine) stateSnapshot(o *op) {
	m.attribute(o)
	if err := m.doc.Set(m.ev.Raw(decode.FieldSnapshot)); err != nil {
		m.fail(m.limitError(err))
		return
	}
	m.seeded = true
	m.trace(o)
	m.sendState()
}

// stateDelta patches the state, all or nothing (rules 86-88).
func (m *machine) stateDelta(o *op) {
	if !m.applyPatch(m.doc) {
		return
	}
	m.attribute(o)
	m.seeded = true
	m.trace(o)
	m.sendState()
}

func (m *machine) sendState() {
	m.up.state.State = m.doc
	m.send(&m.up.state)
}

// activitySnapshot makes an activity message or replaces its content (rules 95-97).
func (m *machine) activitySnapshot(o *op) {
	msg := m.store.Find(o.id)
	if msg != nil && msg.Role != state.RoleActivity {
		m.skip()
		m.warn("ACTIVITY_SNAPSHOT names the "+msg.Role.String()+" message "+strconv.Quote(msg.ID)+": skipped", "/messageId")
		return
	}
	m.attribute(o)
	held := msg != nil
	if !held {
		var err error
		if msg, err = m.store.Add(state.RoleActivity, o.id); err != nil {
			m.fail(m.limitError(err))
			return
		}
	}
	if !held || m.ev.Kind(decode.FieldReplace) != decode.False {
		if err := m.store.SetActivity(msg, m.ev.Raw(decode.FieldContent)); err != nil {
			m.fail(m.limitError(err))
			return
		}
		m.store.SetActivityType(msg, m.str(decode.FieldActivityType))
		m.store.SetOwner(msg, o.tag, o.tagged)
		m.rules.touch(&msg.Mark)
	}
	if !m.mergeMetadata(msg, o) {
		return
	}
	m.trace(o)
	m.sendMessage(msg, ActivityChanged, "")
}

// activityDelta patches an activity's content (rules 44, 98); of one that fails nothing applies.
func (m *machine) activityDelta(o *op) {
	msg := m.store.Find(o.id)
	if msg == nil || msg.Role != state.RoleActivity {
		m.skip()
		m.warn("ACTIVITY_DELTA for "+strconv.Quote(string(o.id))+" skipped: no such activity", "/messageId")
		return
	}
	if o.tagged && m.verify() && (!msg.SubagentRunID.Present || msg.SubagentRunID.Value != string(o.tag)) {
		m.violate("ACTIVITY_DELTA: " + m.wrongOwner("activity", o.id, m.rules.internOpt(msg.SubagentRunID), o.tag))
		return
	}
	m.limitDoc(msg.Activity) // a snapshot or a seed may have brought it
	if !m.applyPatch(msg.Activity) {
		return
	}
	m.attribute(o)
	m.store.SetActivityType(msg, m.str(decode.FieldActivityType))
	if !m.mergeMetadata(msg, o) {
		return
	}
	m.trace(o)
	m.sendMessage(msg, ActivityChanged, "")
}

// messagesSnapshot replaces the conversation (rules 29, 90-94). Items that are open stay open for the verifier: those that
// it dropped are noted, and those that it brings back are open again. The stores keep the marks of what stays.
func (m *machine) messagesSnapshot(o *op) {
	list := m.payload.messages
	m.ids = m.ids[:0] // the stores take the list apart
	for _, msg := range list {
		n := len(m.scratch)
		m.scratch = append(m.scratch, msg.ID...)
		m.ids = append(m.ids, m.scratch[n:])
	}
	m.buildTrace(o)
	if err := m.store.ApplySnapshot(list); err != nil {
		m.fail(m.limitError(err))
		return
	}
	r := &m.rules
	for _, id := range m.ids {
		msg := m.store.Find(id)
		if msg == nil {
			continue
		}
		// The snapshot says whose each message is, and with it whose its calls are (rule 29).
		owner := r.internOpt(msg.SubagentRunID)
		kind, ok := laneOfRole(msg.Role)
		r.keepOpen(&msg.Mark, id, kind, ok, owner)
		for _, c := range msg.ToolCalls {
			r.keepOpen(&c.Mark, bytesOf(c.ID), toolLane, true, owner)
		}
	}
	clear(m.ids)
	messages, calls := m.store.Gone()
	for _, msg := range messages {
		if r.isOpen(&msg.Mark) {
			r.drop(&msg.Mark, bytesOf(msg.ID), markedLane(&msg.Mark))
		}
	}
	for _, c := range calls {
		if r.isOpen(&c.Mark) {
			r.drop(&c.Mark, bytesOf(c.ID), toolLane)
		}
	}
	m.showTrace()
	m.sendMessages()
}

// laneOfRole is the kind of item that a message of a role can be open as; false for one that can't.
func laneOfRole(role state.Role) (laneKind, bool) {
	if role == state.RoleReasoning {
		return reasoningLane, true
	}
	return textLane, role.TextRole()
}

// markedLane is the kind of item that a message was opened as.
func markedLane(mk *state.Mark) laneKind {
	if mk.Flags&markReasoning != 0 {
		return reasoningLane
	}
	return textLane
}

// keepOpen marks an item of a snapshot: it is open if it was, as the same kind, or if an earlier snapshot dropped it while
// it was.
func (r *rulebook) keepOpen(mk *state.Mark, id []byte, kind laneKind, can bool, owner uint32) {
	open := false
	if r.isOpen(mk) {
		was := kind
		if kind != toolLane {
			was = markedLane(mk)
		}
		if open = can && was == kind; !open {
			r.drop(mk, id, was)
		}
	} else if _, ok := r.dropped[kind][string(id)]; ok && can {
		delete(r.dropped[kind], string(id))
		open = true
	}
	*mk = state.Mark{Run: r.run, Owner: owner, Flags: markOwned, Slot: noLane}
	if open {
		mk.Flags |= markOpen
		if kind == reasoningLane {
			mk.Flags |= markReasoning
		}
	}
}

// drop notes that an open item is held no longer. It still counts as open.
func (r *rulebook) drop(mk *state.Mark, id []byte, kind laneKind) {
	put(&r.dropped[kind], string(id), mk.Owner)
	mk.Flags &^= markOpen
}

func (m *machine) sendMessages() {
	m.up.messages.Messages = m.store.Messages()
	m.send(&m.up.messages)
}
