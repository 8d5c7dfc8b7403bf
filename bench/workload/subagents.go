package workload

// subagents: two to four at once beside the parent, some nested, each with its own messages, calls,
// thoughts, steps and activities, as triads or in its chunk lane. Most finish; some fail, some are
// suspended by an interrupt and resumed in the next run under the same id.
func (s *stream) subagents() {
	c := crew{s: s, lead: s.message("", max(min(s.budget, s.r.between(4, 12)), 1))}
	main := &agent{left: 1 + s.budget/60}
	c.live = append(c.live, main)
	for _, a := range s.suspended {
		a.parent, a.left = main, 1
		c.join(&a)
	}
	s.suspended = nil
	for range s.r.between(2, 4) {
		c.spawn(main)
	}
	for len(c.live) > 0 {
		i := s.r.intn(len(c.live))
		if c.turn(c.live[i]) {
			continue
		}
		c.leave(c.live[i])
		c.live = append(c.live[:i], c.live[i+1:]...)
	}
}

// crew is the agents of one run that are still at it. Each turn one of them, drawn at random, writes
// an event or two: so their streams interleave as those of parallel workers do.
type crew struct {
	s    *stream
	live []*agent
	lead string // the parent's first message, which spawns
}

const (
	maxLive  = 8
	maxDepth = 3
)

func (c *crew) spawn(parent *agent) {
	s := c.s
	a := &agent{id: s.newID("sub"), name: pick(&s.r, agentNames), parent: parent, depth: parent.depth + 1, left: s.r.between(1, 3)}
	if parent.id == "" && s.r.oneIn(2) {
		a.call, a.message = s.calls("", c.lead, 1, 1)[0], c.lead
	}
	a.unreported = s.r.oneIn(10)
	c.join(a)
}

func (c *crew) join(a *agent) {
	if !a.unreported {
		c.s.announce(a)
	}
	a.parent.children++
	c.live = append(c.live, a)
}

// turn lets the agent do its next thing; false: it has nothing left to do.
func (c *crew) turn(a *agent) bool {
	s := c.s
	switch {
	case a.busy:
		s.goOn(a)
	case a.left > 0 && s.budget > 0:
		c.move(a)
	case a.children > 0:
		return true // waits for the nested ones
	case a.parent == nil && s.budget > 0:
		a.left = 1
		if len(c.live) < maxLive/2 {
			c.spawn(a)
		}
	default:
		return false
	}
	return true
}

func (c *crew) move(a *agent) {
	s := c.s
	switch n := s.r.intn(40); {
	case n < 4:
		s.toggleStep(a)
	case n < 8:
		s.activity(a)
	case n < 12:
		if a.depth > 0 && a.depth < maxDepth && len(c.live) < maxLive && !a.unreported {
			c.spawn(a)
		}
	case n == 12:
		s.open(&custom, a.id)
		s.ascii("name", "acme/heartbeat")
		s.json("value", `{"at":1,"by":null}`)
		s.owner(a.id)
		s.shut()
	case n == 13:
		s.open(&raw, a.id)
		s.json("event", `{"id":"chatcmpl-1","choices":[{"delta":{"content":"x"}}]}`)
		s.ascii("source", "openai")
		s.owner(a.id)
		s.shut()
	case n == 14:
		s.think(a.id, s.r.between(4, 12), true)
		a.left--
	default:
		s.take(a)
	}
}

func (c *crew) leave(a *agent) {
	s := c.s
	if a.step {
		s.toggleStep(a)
	}
	if a.parent == nil {
		return
	}
	a.parent.children--
	suspend := false
	switch {
	case a.unreported:
	case a.depth == 1 && len(s.asked) < 2 && s.r.oneIn(8):
		suspend = true
		s.suspendAgent(a)
	case s.r.oneIn(8):
		s.open(&subagentError, a.id)
		s.ascii("subagentRunId", a.id)
		s.text("message", "The upstream model timed out – \"no answer\" after 30 s")
		s.ascii("code", "TIMEOUT")
		s.shut()
	default:
		s.finishAgent(a)
	}
	if a.call != "" && !suspend {
		s.results("", []string{a.call}, 6)
	}
}
