package plain

import "slices"

// lane is an open chunk stream. Each owner has at most one.
type lane struct {
	kind   int
	owner  opt
	id     string
	role   opt
	name   opt
	tool   opt
	parent opt
}

// chunk expands a chunk (protocol, section 4). It is judged whole: refused, it
// does nothing, not even close the stream that it would have replaced.
func (p *Pipeline) chunk(kind int, pc *piece) {
	if !p.phase() {
		return
	}
	raw := p.wire.MessageID
	if kind == toolItem {
		raw = p.wire.ToolCallID
	}
	pc.id = lentOf(raw)
	if d := p.wire.Delta; len(d) > 0 {
		pc.delta = d
	}
	pc.wire = nil
	pc.idName = itemEvents[kind].idName
	if pc.id.ok {
		p.chunkByID(kind, pc)
		return
	}
	l, why := p.laneWithoutID(kind, pc)
	if l == nil {
		p.violate("%s", why)
		return
	}
	p.continued(l, pc)
}

func (p *Pipeline) chunkByID(kind int, pc *piece) {
	i := slices.IndexFunc(p.run.lanes, func(l *lane) bool { return l.kind == kind && l.id == string(pc.id.b) })
	if i < 0 {
		p.opener(kind, pc)
		return
	}
	l := p.run.lanes[i]
	if pc.tag.ok && !l.owner.is(pc.tag) && !p.opts.NoVerify {
		p.violate("%s %s belongs to another subagentRunId", itemEvents[kind].noun, l.id)
		return
	}
	p.continued(l, pc)
}

// laneWithoutID finds the stream that a chunk without an id continues.
func (p *Pipeline) laneWithoutID(kind int, pc *piece) (*lane, string) {
	none := "the first chunk of a " + itemEvents[kind].noun + " must have a " + itemEvents[kind].idName
	var candidates []*lane
	for _, l := range p.run.lanes {
		if l.kind != kind {
			continue
		}
		if l.owner.is(pc.tag) {
			return l, ""
		}
		candidates = append(candidates, l)
	}
	if pc.tag.ok || len(candidates) == 0 {
		return nil, none
	}
	if len(candidates) > 1 {
		return nil, "a chunk without " + itemEvents[kind].idName + " and subagentRunId is ambiguous while several streams are open"
	}
	return candidates[0], ""
}

// opener starts a chunk stream in the lane of the chunk's tag.
func (p *Pipeline) opener(kind int, pc *piece) {
	if kind == toolItem && !pc.tool.ok {
		if !p.opts.NoVerify {
			p.violate("the first chunk of tool call %s must have a toolCallName", pc.id.b)
			return
		}
		pc.tool.ok = true
	}
	start := *pc
	start.typ, start.delta = itemEvents[kind].start, nil
	if kind == thoughtItem {
		start.role = lent{[]byte(reasoningRole), true}
	}
	if why := p.refusal(kind, &start); why != "" {
		p.violate("%s", why)
		return
	}
	// The lane is that of the item's owner (rule 63): inherited, where the chunk has no tag.
	owner := p.owner(kind, &start)
	p.closeLane(owner.lent())
	if p.stopped {
		return
	}
	start.tag = owner.lent()
	p.open(kind, &start)
	if p.stopped {
		return
	}
	p.run.lanes = append(p.run.lanes, &lane{
		kind: kind, owner: owner, id: string(pc.id.b),
		role: pc.role.opt(), name: pc.name.opt(), tool: pc.tool.opt(), parent: pc.parent.opt(),
	})
	if pc.delta == nil {
		return
	}
	p.content(kind, &piece{
		typ: itemEvents[kind].content, idName: pc.idName, id: pc.id, tag: owner.lent(), delta: pc.delta, metadata: pc.metadata,
	})
}

// continued adds a chunk to its stream.
func (p *Pipeline) continued(l *lane, pc *piece) {
	if what := l.conflict(pc); what != "" && !p.opts.NoVerify {
		p.violate("%s differs from that of the chunk that opened %s %s", what, itemEvents[l.kind].noun, l.id)
		return
	}
	delta := pc.delta
	if delta == nil {
		if len(pc.metadata) == 0 {
			return
		}
		delta = emptyDelta
	}
	p.content(l.kind, &piece{
		typ: itemEvents[l.kind].content, idName: pc.idName, id: lent{[]byte(l.id), true}, tag: l.owner.lent(), delta: delta, metadata: pc.metadata,
	})
}

// conflict names the opener's field that a continuation contradicts. What the
// opener left out is settled too.
func (l *lane) conflict(pc *piece) string {
	role := l.role
	if !role.ok {
		role = opt{"assistant", true}
	}
	for _, f := range []struct {
		name  string
		given lent
		held  opt
	}{
		{"role", pc.role, role},
		{"name", pc.name, l.name},
		{"toolCallName", pc.tool, l.tool},
		{"parentMessageId", pc.parent, l.parent},
	} {
		if f.given.ok && !f.held.is(f.given) {
			return f.name
		}
	}
	return ""
}

// closeLane ends the chunk stream of an owner, closeLanes those of all, in the
// order in which they were opened.
func (p *Pipeline) closeLane(owner lent) {
	p.closeWhere(func(l *lane) bool { return l.owner.is(owner) })
}

func (p *Pipeline) closeLanes() {
	p.closeWhere(func(*lane) bool { return true })
}

func (p *Pipeline) closeWhere(closes func(*lane) bool) {
	if len(p.run.lanes) == 0 {
		return
	}
	// The made END says nothing about the event that caused it.
	verdict := p.verdict
	kept := p.run.lanes[:0]
	for _, l := range p.run.lanes {
		if !closes(l) {
			kept = append(kept, l)
			continue
		}
		e := itemEvents[l.kind]
		p.end(l.kind, &piece{typ: e.end, idName: e.idName, id: lent{[]byte(l.id), true}, tag: l.owner.lent()})
	}
	clear(p.run.lanes[len(kept):])
	p.run.lanes = kept
	p.verdict = verdict
}

// explicitEnd is end, for an event of the wire: not verified, it may end the item of an open chunk stream, and that stream
// with it.
func (p *Pipeline) explicitEnd(kind int, pc *piece) {
	p.end(kind, pc)
	p.run.lanes = slices.DeleteFunc(p.run.lanes, func(l *lane) bool {
		return p.opts.NoVerify && l.kind == kind && l.id == string(pc.id.b)
	})
}
