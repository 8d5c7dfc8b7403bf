package workload

import "strconv"

var agentNames = []string{"researcher", "writer", "critic", "planner", "coder"}

// agent is one subagent of a run, or the parent itself: id "" and no parent.
type agent struct {
	id, name   string
	parent     *agent
	call       string // the parent's call that spawned it
	message    string // and that call's message
	depth      int
	left       int // items it has yet to stream
	children   int // that still run
	busy       bool
	item       item   // while busy
	tokens     int    // left of it, unless it is a call
	args       []byte // left of it, if it is a call
	step       bool   // its step is open
	board      string // id of its activity message
	progress   int
	prose      prose
	unreported bool // attribution only, no lifecycle events: a full mode of its own (rule 35)
}

// take begins the agent's next item.
func (s *stream) take(a *agent) {
	kinds := [...]itemKind{textItem, textItem, textItem, callItem, thoughtItem}
	a.left--
	a.busy = true
	a.item = s.newItem(kinds[s.r.intn(len(kinds))], a.id, s.opts.Chunks || s.r.oneIn(3))
	a.tokens = s.r.between(3, 30)
	a.prose = newProse(s.style)
	a.prose.begin(&s.r)
	if a.item.kind == callItem {
		a.item.name = pick(&s.r, toolNames)
		a.args = appendArguments(nil, &s.r, s.r.between(1, 3))
	}
	s.start(&a.item)
}

// goOn streams one delta of the agent's item, or closes it.
func (s *stream) goOn(a *agent) {
	switch {
	case a.item.kind == callItem && len(a.args) > 0:
		n := cut(a.args, &s.r)
		s.scratch = appendEscaped(s.scratch[:0], a.args[:n], s.style)
		a.args = a.args[n:]
		s.delta(&a.item, s.scratch)
		return
	case a.item.kind != callItem && a.tokens > 0 && s.budget > 0:
		a.tokens--
		s.delta(&a.item, a.prose.next(&s.r))
		return
	}
	s.end(&a.item)
	a.busy = false
	switch {
	case a.item.kind == callItem && !s.r.oneIn(6):
		s.results(a.id, []string{a.item.id}, 12)
	case a.item.kind == thoughtItem && s.r.oneIn(3):
		s.encrypted("message", a.item.id, a.id)
	}
}

// toggleStep opens the agent's step or closes it. All agents call theirs the same: steps are kept
// apart by owner.
func (s *stream) toggleStep(a *agent) {
	t := &stepStarted
	if a.step {
		t = &stepFinished
	}
	a.step = !a.step
	s.step(t, "work", a.id)
}

// activity shows a progress board first and patches it from then on.
func (s *stream) activity(a *agent) {
	if a.board == "" {
		a.board = s.newID("act")
		s.open(&activitySnapshot, a.id)
		s.ascii("messageId", a.board)
		s.ascii("activityType", "PROGRESS")
		s.json("content", `{"progress":0,"log":[],"note":null}`)
		if s.r.oneIn(4) {
			s.json("replace", "false")
		}
		s.owner(a.id)
		s.shut()
		return
	}
	was := strconv.Itoa(a.progress)
	a.progress++
	s.open(&activityDelta, a.id)
	s.ascii("messageId", a.board)
	s.ascii("activityType", "PROGRESS")
	s.json("patch", `[{"op":"test","path":"/progress","value":`+was+`},{"op":"replace","path":"/progress","value":`+
		strconv.Itoa(a.progress)+`},{"op":"add","path":"/log/-","value":"step `+was+`"}]`)
	if s.r.oneIn(2) {
		s.owner(a.id)
	}
	s.shut()
}

func (s *stream) announce(a *agent) {
	s.open(&subagentStarted, a.id)
	s.ascii("subagentRunId", a.id)
	s.ascii("name", a.name)
	if a.parent != nil && s.r.oneIn(2) {
		s.text("description", "Looks into «that» & reports")
	}
	if a.parent != nil && a.parent.id != "" {
		s.ascii("parentSubagentRunId", a.parent.id)
	}
	if a.call != "" {
		s.ascii("parentToolCallId", a.call)
		s.ascii("parentMessageId", a.message)
	}
	s.shut()
}

func (s *stream) finishAgent(a *agent) {
	s.open(&subagentFinished, a.id)
	s.ascii("subagentRunId", a.id)
	if s.r.oneIn(2) {
		s.json("result", `{"found":3,"best":null}`)
	}
	if s.r.oneIn(2) {
		s.json("outcome", `{"type":"success"}`)
	}
	s.shut()
}

func (s *stream) suspendAgent(a *agent) {
	id := s.newID("int")
	s.asked = append(s.asked, interruption{id, a.id})
	s.suspended = append(s.suspended, agent{id: a.id, name: a.name, depth: 1})
	s.open(&subagentFinished, a.id)
	s.ascii("subagentRunId", a.id)
	s.json("outcome", `{"type":"suspended","interruptIds":["`+id+`"]}`)
	s.shut()
}
