package workload

// state: a snapshot, then deltas. Later runs of a stream go on from where the state stands, and one in
// eight sends a new snapshot first.
func (s *stream) state() {
	s.step(&stepStarted, "update", "")
	if s.runs == 1 || s.r.oneIn(8) {
		s.snapshot()
	}
	for s.budget > 0 {
		ops := 1
		switch {
		case s.r.oneIn(4):
			ops = s.r.between(2, 4)
		case s.r.oneIn(32):
			ops = s.r.between(5, 24)
		case s.r.oneIn(256):
			ops = 0
		}
		s.patch(ops)
	}
	s.step(&stepFinished, "update", "")
}

func (s *stream) snapshot() {
	s.open(&stateSnapshot, "")
	s.key("snapshot")
	s.buf = s.document.appendSnapshot(s.buf)
	s.shut()
}

func (s *stream) patch(ops int) {
	s.budget--
	s.open(&stateDelta, "")
	s.key("delta")
	s.buf = s.document.appendPatch(s.buf, &s.r, ops)
	s.shut()
}

func (s *stream) step(t *wireType, name, tag string) {
	s.open(t, tag)
	s.ascii("stepName", name)
	s.owner(tag)
	s.shut()
}
