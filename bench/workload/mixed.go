package workload

// Shares of mixed in hundredths of all events. What is left is for tools, reasoning and subagents,
// with the two ends of each run.
const (
	mixedText  = 85
	mixedState = 5
)

// mixed: mostly text, with state deltas in between and short episodes of everything else. The shares
// are steered: whatever lags behind its share comes next.
func (s *stream) mixed() {
	s.snapshotIfFirst()
	for s.budget > 0 {
		it := s.newItem(textItem, "", s.opts.Chunks)
		s.prose.begin(&s.r)
		s.start(&it)
		for range min(s.budget, s.r.between(15, 70)) {
			s.delta(&it, s.prose.next(&s.r))
			if s.families[familyState]*100 < mixedState*s.events && s.budget > 0 {
				s.patch(1)
			}
		}
		s.end(&it)
		for s.budget > 0 && s.families[familyText]*100 > mixedText*s.events {
			s.episode()
		}
	}
}

func (s *stream) snapshotIfFirst() {
	if s.runs == 1 {
		s.snapshot()
	}
}

// episode plays the least played of the three. A short run has room for two; head starts drawn once
// a stream keep it from being the same two everywhere.
func (s *stream) episode() {
	tools := s.families[familyTool] + s.ahead[0]
	thoughts := s.families[familyReasoning] + s.ahead[1]
	agents := 4*s.families[familySubagent] + s.ahead[2]
	switch {
	case thoughts <= tools && thoughts <= agents:
		s.think("", s.r.between(4, 9), false)
	case tools <= agents:
		s.results("", s.calls("", "", 1, 1), 6)
	default:
		s.errand()
	}
}

// errand is a subagent that says a few words and is done.
func (s *stream) errand() {
	a := agent{id: s.newID("sub"), name: pick(&s.r, agentNames)}
	s.announce(&a)
	s.message(a.id, s.r.between(2, 6))
	s.finishAgent(&a)
}
