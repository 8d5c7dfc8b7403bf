package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// take verifies an explicit event and applies it to the stores: what it yields is delivered before the next event.
func (m *machine) take(o *op) {
	switch o.typ {
	case decode.RunStarted:
		m.runStarted()
		return
	case decode.RunError:
		m.runError()
		return
	}
	if m.phase != running {
		if reason := m.checkPhase(o); reason != "" {
			m.violate(reason)
			return
		}
	}
	switch o.typ {
	case decode.TextMessageContent:
		m.text(o, state.RoleAssistant)
	case decode.ToolCallArgs:
		m.args(o)
	case decode.ReasoningMessageContent:
		m.text(o, state.RoleReasoning)
	case decode.TextMessageStart, decode.ToolCallStart, decode.ReasoningMessageStart:
		if reason := m.checkStart(o); reason != "" {
			m.violate(reason)
			return
		}
		m.applyStart(o)
	case decode.TextMessageEnd:
		m.textEnd(o)
	case decode.ToolCallEnd:
		m.argsEnd(o)
	case decode.ReasoningMessageEnd:
		m.reasoningTextEnd(o)
	case decode.ToolCallResult:
		m.toolResult(o)
	case decode.StateSnapshot:
		m.stateSnapshot(o)
	case decode.StateDelta:
		m.stateDelta(o)
	case decode.MessagesSnapshot:
		m.messagesSnapshot(o)
	case decode.ActivitySnapshot:
		m.activitySnapshot(o)
	case decode.ActivityDelta:
		m.activityDelta(o)
	case decode.ReasoningStart:
		m.spanStart(o)
	case decode.ReasoningEnd:
		m.spanEnd(o)
	case decode.ReasoningEncryptedValue:
		m.encryptedValue(o)
	case decode.StepStarted:
		m.stepStarted(o)
	case decode.StepFinished:
		m.stepFinished(o)
	case decode.SubagentStarted:
		m.subagentStarted(o)
	case decode.SubagentFinished, decode.SubagentError:
		m.subagentEnded(o)
	case decode.RunFinished:
		m.runFinished(o)
	case decode.Raw, decode.Custom:
		m.attribute(o)
		m.trace(o)
	}
}

// attribute notes that something was said under a tag: announcing it later is late (A7).
func (m *machine) attribute(o *op) {
	if o.tagged {
		m.rules.owners[m.rules.intern(o.tag)].attributed = true
	}
}

// attributeTo is attribute for what an item's owner said; verified, the tag is that owner's.
func (m *machine) attributeTo(mk *state.Mark, o *op) {
	switch {
	case !o.tagged:
	case m.opt.NoVerify:
		m.attribute(o)
	default:
		m.rules.owners[mk.Owner].attributed = true
	}
}

// applyStart opens an item that checkStart let pass, and returns its mark; nil when a limit ended the run.
func (m *machine) applyStart(o *op) *state.Mark {
	if o.typ == decode.ToolCallStart {
		return m.callStart(o)
	}
	owner := m.startOwner(o)
	m.attribute(o)
	kind, role := textLane, state.RoleAssistant
	switch {
	case o.typ == decode.ReasoningMessageStart:
		kind, role = reasoningLane, state.RoleReasoning
	case o.hasRole:
		role = o.role
	}
	msg := m.store.Find(o.id)
	if msg == nil {
		var err error
		if msg, err = m.store.Add(role, o.id); err != nil {
			m.fail(m.limitError(err))
			return nil
		}
		_ = m.store.SetText(msg, nil) // rule 67: opened with the content "", unlike a message that only holds calls
		if o.hasName {
			m.store.SetName(msg, o.name)
		}
		if o.tagged {
			m.store.SetOwner(msg, o.tag, true)
		}
	}
	m.open(&msg.Mark, owner, kind, o.id)
	if !m.mergeMetadata(msg, o) {
		return nil
	}
	m.trace(o)
	if kind == reasoningLane {
		if m.thoughtOpened(o.id) {
			m.sendReasoning(o.id, msg, ReasoningStarted, "")
		}
		return &msg.Mark
	}
	m.sendMessage(msg, MessageStarted, "")
	return &msg.Mark
}

// open marks an item as open under an owner. That a snapshot took away an open one of this id is history then.
func (m *machine) open(mk *state.Mark, owner uint32, kind laneKind, id []byte) {
	m.undrop(kind, id)
	m.rules.touch(mk)
	if mk.Flags&markOpen == 0 {
		*m.rules.opened(kind)++
	}
	mk.Flags |= markOpen | markOwned
	if kind == reasoningLane {
		mk.Flags |= markReasoning
	}
	mk.Owner = owner
}

func (r *rulebook) opened(kind laneKind) *int {
	switch kind {
	case toolLane:
		return &r.calls
	case reasoningLane:
		return &r.reasons
	}
	return &r.texts
}

// shut marks an item as closed. It may be opened again (rule 19).
func (m *machine) shut(mk *state.Mark, kind laneKind) {
	m.short.unlearnItem(mk)
	if m.rules.isOpen(mk) {
		*m.rules.opened(kind)--
	}
	if mk.Flags&markChunk != 0 {
		m.dropLane(mk.Slot)
	}
	mk.Flags &^= markOpen | markChunk
}

// undrop forgets that a snapshot took an open item away: it is closed, or opened anew.
func (m *machine) undrop(kind laneKind, id []byte) {
	d := m.rules.dropped[kind]
	if len(d) == 0 {
		return
	}
	if _, ok := d[string(id)]; ok {
		delete(d, string(id))
		*m.rules.opened(kind)--
	}
}

// text appends a delta to an open text message or thought, whichever role says.
func (m *machine) text(o *op, role state.Role) {
	msg := m.store.Find(o.id)
	if m.opt.NoVerify {
		if msg = m.orphan(o, msg, role); msg == nil {
			return
		}
	} else {
		want, what := textLane, "text message"
		if role == state.RoleReasoning {
			want, what = reasoningLane, "reasoning message"
		}
		var mk *state.Mark
		if msg != nil {
			if kind, can := laneOfRole(msg.Role); can && kind == want {
				mk = &msg.Mark
			}
		}
		if reason := m.checkOpen(o, what, mk); reason != "" {
			m.violate(reason)
			return
		}
	}
	m.attributeTo(&msg.Mark, o)
	delta, err := m.store.AppendText(msg, o.delta, o.plain)
	if err != nil {
		m.fail(m.limitError(err))
		return
	}
	if !m.mergeMetadata(msg, o) {
		return
	}
	m.trace(o)
	if role == state.RoleReasoning {
		m.sendReasoning(nil, msg, ReasoningContent, delta)
	} else {
		m.sendMessage(msg, MessageContent, delta)
	}
	m.learn(o, msg, nil)
}

// orphan finds what a delta names when nothing is verified: what isn't open is opened silently, and made if need be.
func (m *machine) orphan(o *op, msg *Message, role state.Role) *Message {
	kind := textLane
	if role == state.RoleReasoning {
		kind = reasoningLane
	}
	switch {
	case msg == nil:
		var err error
		if msg, err = m.store.Add(role, o.id); err != nil {
			m.fail(m.limitError(err))
			return nil
		}
		if o.tagged {
			m.store.SetOwner(msg, o.tag, true)
		}
	case (kind == reasoningLane) != (msg.Role == state.RoleReasoning) || kind == textLane && !msg.Role.TextRole():
		m.violate(o.typ.String() + ": " + strconv.Quote(string(o.id)) + " is the id of a message with role " + msg.Role.String())
		return nil
	}
	if m.rules.isOpen(&msg.Mark) {
		return msg
	}
	m.open(&msg.Mark, m.startOwner(o), kind, o.id)
	if kind == reasoningLane {
		m.rules.thoughtOf(o.id).reported = true // its end is worth an update, as any item's
	}
	return msg
}

// endItem finds the item that an END is about; false when the event is dealt with already.
func (m *machine) endItem(o *op, what string, mk *state.Mark, kind laneKind) bool {
	if owner, ok := m.rules.dropped[kind][string(o.id)]; ok {
		if o.tagged && m.verify() && !m.rules.isOwner(owner, o.tag) {
			m.violate(o.typ.String() + ": " + m.wrongOwner(what, o.id, owner, o.tag))
			return false
		}
		m.undrop(kind, o.id)
		if i, ok := m.rules.thought[string(o.id)]; ok && kind == reasoningLane && !m.rules.thoughts[i].span {
			m.rules.thoughts[i].reported = false // over with it: who opens the id again opens another
		}
		m.skip() // a snapshot took the item away: its end is accepted and changes nothing
		return false
	}
	if reason := m.checkOpen(o, what, mk); reason != "" {
		m.violate(reason)
		return false
	}
	if mk == nil {
		m.skip() // not verified: the end of an unknown item
		return false
	}
	m.attributeTo(mk, o)
	m.shut(mk, kind)
	return true
}

func (m *machine) textEnd(o *op) {
	msg := m.store.Find(o.id)
	var mk *state.Mark
	if msg != nil && msg.Role.TextRole() {
		mk = &msg.Mark
	}
	if !m.endItem(o, "text message", mk, textLane) {
		return
	}
	if !m.mergeMetadata(msg, o) {
		return
	}
	m.trace(o)
	if delta, ok := m.store.FlushText(msg); ok {
		m.sendMessage(msg, MessageContent, delta)
	}
	m.sendMessage(msg, MessageEnded, "")
}

// mergeMetadata merges the event's metadata into the message (rule 108); false when a limit ended the run.
func (m *machine) mergeMetadata(msg *Message, o *op) bool {
	if o.meta == nil {
		return true
	}
	if err := m.store.MergeMetadata(msg, o.meta); err != nil {
		m.fail(m.limitError(err))
		return false
	}
	return true
}

func (m *machine) mergeCallMetadata(msg *Message, call *ToolCall, o *op) bool {
	if o.meta == nil {
		return true
	}
	if err := m.store.MergeCallMetadata(msg, call, o.meta); err != nil {
		m.fail(m.limitError(err))
		return false
	}
	return true
}

func (m *machine) sendMessage(msg *Message, change MessageChange, delta string) {
	u := &m.up.message
	u.Index, u.ID, u.Change, u.Delta, u.ToolCallID, u.Message, u.Call = msg.Index(), msg.ID, change, delta, "", msg, nil
	m.send(u)
}

func (m *machine) sendCall(msg *Message, call *ToolCall, change MessageChange, delta string) {
	u := &m.up.message
	u.Index, u.ID, u.Change, u.Delta, u.ToolCallID, u.Message, u.Call = msg.Index(), msg.ID, change, delta, call.ID, msg, call
	m.send(u)
}
