package workload

// chat: the agent answers in one message, now and then in two or three.
func (s *stream) chat() {
	for s.budget > 0 {
		n := s.budget
		if s.r.oneIn(4) {
			n = min(n, s.r.between(n/3, n)+1)
		}
		s.message("", n)
	}
}

// message streams one whole text message of n deltas and returns its id.
func (s *stream) message(tag string, n int) string {
	it := s.newItem(textItem, tag, s.opts.Chunks)
	s.prose.begin(&s.r)
	s.start(&it)
	for range n {
		s.delta(&it, s.prose.next(&s.r))
	}
	s.end(&it)
	return it.id
}
