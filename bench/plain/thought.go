package plain

// A thought is bracketed twice under one id, by its span and by its message.
// Updates come once: the first opener reports Started, the first closer Ended.

func (p *Pipeline) openThought(id string, m *message) {
	if p.run.owed[id] {
		return
	}
	p.run.owed[id] = true
	p.tellThought(id, m, "started")
}

func (p *Pipeline) closeThought(id string, m *message) {
	if !p.run.owed[id] {
		return
	}
	delete(p.run.owed, id)
	p.tellThought(id, m, "ended")
}

// thought gives the reasoning message that a span's id names, nil for none.
func (p *Pipeline) thought(id string) *message {
	if m := p.store.byID[id]; m != nil && m.role == reasoningRole {
		return m
	}
	return nil
}

func (p *Pipeline) spanStart(pc *piece) {
	if !p.phase() {
		return
	}
	p.closeLane(pc.tag)
	id := string(pc.id.b)
	if _, open := p.run.spans[id]; open && !p.opts.NoVerify {
		p.violate("reasoning span %s is open already", id)
		return
	}
	p.run.spans[id] = pc.tag.opt()
	p.accept(pc)
	p.openThought(id, p.thought(id))
}

func (p *Pipeline) spanEnd(pc *piece) {
	if !p.phase() {
		return
	}
	id := string(pc.id.b)
	owner, open := p.run.spans[id]
	if pc.tag.ok || !open {
		p.closeLane(pc.tag)
	} else {
		p.closeLane(owner.lent())
	}
	if !open {
		if !p.opts.NoVerify {
			p.violate("reasoning span %s is not open", id)
		}
		return
	}
	if pc.tag.ok && !owner.is(pc.tag) && !p.opts.NoVerify {
		p.violate("reasoning span %s belongs to another subagentRunId", id)
		return
	}
	delete(p.run.spans, id)
	p.accept(pc)
	p.closeThought(id, p.thought(id))
}

// encryptedValue stores an artefact on a message or a call; an absent type
// deletes the stored one.
func (p *Pipeline) encryptedValue(pc *piece) {
	w := p.wire
	subtype := string(unquote(w.Subtype))
	if subtype != "message" && subtype != "tool-call" {
		if !p.opts.Spec {
			p.malformed(&malformed{"subtype", "is unknown: " + subtype})
			return
		}
		p.warn("/subtype", "unknown subtype %s, the event is dropped", subtype)
		return
	}
	if !p.phase() {
		return
	}
	id := string(unquote(w.EntityID))
	value, typ := lentOf(w.EncryptedValue).opt(), lentOf(w.EncryptedValueType).opt()
	if subtype == "tool-call" {
		c := p.store.calls[id]
		if c == nil {
			p.warn("/entityId", "there is no tool call %s", id)
			return
		}
		c.encrypted, c.encType = value, typ
		p.accept(pc)
		p.tellCall(c, "encryptedValue", nil)
		return
	}
	m := p.store.byID[id]
	if m == nil || m.role == "activity" {
		p.warn("/entityId", "there is no message %s that could hold an encrypted value", id)
		return
	}
	m.encrypted, m.encType = value, typ
	p.accept(pc)
	if m.role == reasoningRole {
		p.tellThought(id, m, "encryptedValue")
		return
	}
	p.tellMessage(m, "encryptedValue")
}
