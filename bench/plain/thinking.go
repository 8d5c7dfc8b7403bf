package plain

import "strconv"

// thinking translates the retired THINKING_* events, which have no ids.
type thinking struct {
	minted int
	block  string // id of the open block; empty for none
	text   string // id of the open text message; empty for none
}

// mint makes the next id that no message and no open span has.
func (p *Pipeline) mint() string {
	for {
		p.thinking.minted++
		id := "thinking-" + strconv.Itoa(p.thinking.minted)
		if _, span := p.run.spans[id]; !span && p.store.byID[id] == nil {
			return id
		}
	}
}

// translate hands a retired event on as the reasoning event that it stands for.
func (p *Pipeline) translate(pc *piece) {
	if !p.phase() {
		return // before an id is minted: what is refused uses up none
	}
	t := &p.thinking
	var id string
	switch pc.typ {
	case "THINKING_START":
		if id = t.block; id == "" {
			id = p.mint()
			t.block = id
			p.warn("", "THINKING_START is retired: read as REASONING_START %s, without its title", id)
		}
		p.retired(pc, "REASONING_START", id, p.spanStart)
	case "THINKING_END":
		id, t.block = t.block, ""
		p.retired(pc, "REASONING_END", id, p.spanEnd)
	case "THINKING_TEXT_MESSAGE_START":
		switch {
		case t.block != "":
			id = t.block
		case t.text != "":
			id = t.text
		default:
			id = p.mint()
			p.warn("", "THINKING_TEXT_MESSAGE_START is retired: read as REASONING_MESSAGE_START %s", id)
		}
		t.text = id
		pc.role = lent{[]byte(reasoningRole), true}
		p.retired(pc, "REASONING_MESSAGE_START", id, func(pc *piece) { p.retiredItem(pc, p.start) })
	case "THINKING_TEXT_MESSAGE_CONTENT":
		if id = t.text; id == "" {
			id = t.block
		}
		pc.delta = p.wire.Delta
		p.retired(pc, "REASONING_MESSAGE_CONTENT", id, func(pc *piece) { p.retiredItem(pc, p.content) })
	case "THINKING_TEXT_MESSAGE_END":
		if id = t.text; id == "" {
			id = t.block
		}
		t.text = ""
		p.retired(pc, "REASONING_MESSAGE_END", id, func(pc *piece) { p.retiredItem(pc, p.end) })
	}
}

func (p *Pipeline) retired(pc *piece, typ, id string, rule func(*piece)) {
	if id == "" {
		if !p.opts.NoVerify || typ == "REASONING_MESSAGE_CONTENT" {
			p.violate("no thinking is open")
		}
		return
	}
	pc.typ, pc.idName, pc.id = typ, "messageId", lent{[]byte(id), true}
	pc.wire, pc.retired = nil, true
	rule(pc)
}

func (p *Pipeline) retiredItem(pc *piece, rule func(int, *piece)) {
	p.closeLane(p.owner(thoughtItem, pc).lent())
	rule(thoughtItem, pc)
}
