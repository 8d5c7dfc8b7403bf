package plain

type subagent struct {
	index                                                  int
	id, name                                               string
	description, parentSubagent, parentCall, parentMessage opt
	status                                                 string
	result                                                 []byte
	interruptIDs                                           []any
	message, code                                          opt
}

func (s *subagent) appendWire(dst []byte) []byte {
	o := newObject(dst)
	o.text("id", s.id)
	o.text("name", s.name)
	o.option("description", s.description)
	o.option("parentSubagentRunId", s.parentSubagent)
	o.option("parentToolCallId", s.parentCall)
	o.option("parentMessageId", s.parentMessage)
	o.text("status", s.status)
	if s.result != nil {
		o.raw("result", s.result)
	}
	if len(s.interruptIDs) > 0 {
		o.tree("interruptIds", s.interruptIDs)
	}
	o.option("message", s.message)
	o.option("code", s.code)
	return o.close()
}

func (s *subagent) enter(status string) {
	s.status, s.result, s.interruptIDs, s.message, s.code = status, nil, nil, opt{}, opt{}
}

// over replaces a field by one that was sent.
func (o *opt) over(raw []byte) {
	if len(raw) > 0 {
		*o = opt{string(unquote(raw)), true}
	}
}

func (p *Pipeline) subagentStarted(pc *piece) {
	if !p.phase() {
		return
	}
	w := p.wire
	id := string(pc.tag.b)
	active, announced := p.run.subagents[id]
	if announced && !p.opts.NoVerify {
		p.violate("subagent %s %s", id, map[bool]string{true: "is running", false: "has run already in this run"}[active])
		return
	}
	if parent := lentOf(w.ParentSubagentRunID); parent.ok {
		if _, known := p.run.subagents[string(parent.b)]; !known {
			p.warn("/parentSubagentRunId", "subagent %s was not announced in this run", parent.b)
		}
	}
	if !announced && p.run.tagged[id] {
		p.warn("/subagentRunId", "events were attributed to subagent %s before it was announced", id)
	}
	change := "started"
	s := p.subByID[id]
	if s == nil {
		s = &subagent{index: len(p.subagents), id: id}
		p.subagents = append(p.subagents, s)
		p.subByID[id] = s
	} else if s.status == "suspended" {
		change = "resumed"
	}
	s.name = string(unquote(w.Name))
	s.description.over(w.Description)
	s.parentSubagent.over(w.ParentSubagentRunID)
	s.parentCall.over(w.ParentToolCallID)
	s.parentMessage.over(w.ParentMessageID)
	s.enter("running")
	p.run.subagents[id] = true
	p.acceptSubagent(pc)
	p.tellSubagent(s, change)
}

// acceptSubagent is accept for the events by which a subagent's id is told of
// itself, which count as no attribution.
func (p *Pipeline) acceptSubagent(pc *piece) {
	id := pc.tag
	pc.tag = lent{}
	p.accept(pc)
	pc.tag = id
}

// ending gives the entry that a terminal event of a subagent is for; nil when
// the event is refused.
func (p *Pipeline) terminal(pc *piece) *subagent {
	if !p.phase() {
		return nil
	}
	p.closeLane(pc.tag)
	id := string(pc.tag.b)
	if !p.run.subagents[id] && !p.opts.NoVerify {
		p.violate("subagent %s is not running", id)
		return nil
	}
	s := p.subByID[id]
	if s == nil {
		return nil
	}
	p.run.subagents[id] = false
	p.acceptSubagent(pc)
	return s
}

func (p *Pipeline) subagentFinished(pc *piece) {
	w := p.wire
	var outcome map[string]any
	if len(w.Outcome) > 0 {
		tree, known, err := p.enforced(bitOutcome, subagentOutcome)
		if err != nil {
			p.malformed(err)
			return
		}
		if !known {
			p.warn("/outcome", "unknown outcome, removed")
			p.wire.drop(bitOutcome)
		}
		outcome, _ = tree.(map[string]any)
	}
	s := p.terminal(pc)
	if s == nil {
		return
	}
	status := "finished"
	if outcome["type"] == "suspended" {
		status = "suspended"
	}
	s.enter(status)
	s.interruptIDs, _ = outcome["interruptIds"].([]any)
	if len(w.Result) > 0 {
		s.result = normal(w.Result)
	}
	p.tellSubagent(s, status)
}

func (p *Pipeline) subagentFailed(pc *piece) {
	s := p.terminal(pc)
	if s == nil {
		return
	}
	s.enter("failed")
	s.message, s.code = lentOf(p.wire.Message).opt(), lentOf(p.wire.Code).opt()
	p.tellSubagent(s, "failed")
}
