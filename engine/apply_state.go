package engine

import (
	"strconv"
	"strings"

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

// messagesSnapshot replaces the conversation (rules 29, 90-94). Items that are open stay open for the verifier.
func (m *machine) messagesSnapshot(o *op) {
	list := m.payload.messages
	type openItem struct {
		kind  laneKind
		id    string
		owner uint32
	}
	var open []openItem
	r := &m.rules
	if r.texts+r.calls+r.reasons > 0 {
		for _, msg := range m.store.Conversation() {
			if r.isOpen(&msg.Mark) {
				kind := textLane
				if msg.Role == state.RoleReasoning {
					kind = reasoningLane
				}
				open = append(open, openItem{kind, strings.Clone(msg.ID), msg.Mark.Owner})
			}
			for _, c := range msg.ToolCalls {
				if r.isOpen(&c.Mark) {
					open = append(open, openItem{toolLane, strings.Clone(c.ID), c.Mark.Owner})
				}
			}
		}
	}
	for kind, dropped := range r.dropped { // this snapshot may bring them back
		for id, owner := range dropped {
			open = append(open, openItem{laneKind(kind), id, owner})
		}
		clear(dropped)
	}
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
	for _, id := range m.ids {
		msg := m.store.Find(id)
		if msg == nil {
			continue
		}
		// The snapshot says whose each message is, and with it whose its calls are (rule 29).
		msg.Mark = state.Mark{Run: r.run, Owner: r.internOpt(msg.SubagentRunID), Flags: markOwned, Slot: noLane}
		for _, c := range msg.ToolCalls {
			c.Mark = msg.Mark
		}
	}
	for _, it := range open {
		var mk *state.Mark
		if it.kind == toolLane {
			if _, c := m.store.FindCall([]byte(it.id)); c != nil {
				mk = &c.Mark
			}
		} else if msg := m.store.Find([]byte(it.id)); msg != nil && (msg.Role == state.RoleReasoning) == (it.kind == reasoningLane) &&
			(it.kind == reasoningLane || msg.Role.TextRole()) {
			mk = &msg.Mark
		}
		if mk == nil {
			put(&r.dropped[it.kind], it.id, it.owner)
			continue
		}
		mk.Flags |= markOpen
	}
	clear(m.ids)
	m.showTrace()
	m.sendMessages()
}

func (m *machine) sendMessages() {
	m.up.messages.Messages = m.store.Messages()
	m.send(&m.up.messages)
}
