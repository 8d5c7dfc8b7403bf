package workload

// reasoning: spans with one or two thoughts, as triads or chunks, encrypted values on thoughts,
// messages and calls, and an answer after each.
func (s *stream) reasoning() {
	for s.budget > 0 {
		s.think("", s.r.between(20, 80), true)
		if s.budget <= 0 {
			return
		}
		if s.r.oneIn(3) {
			calls := s.calls("", "", 1, 2)
			if s.r.oneIn(2) {
				s.encrypted("tool-call", calls[0], "")
			}
			s.results("", calls, 12)
		}
		if s.budget <= 0 {
			return
		}
		id := s.message("", min(s.budget, s.r.between(10, 60)))
		if s.r.oneIn(4) {
			s.encrypted("message", id, "")
		}
	}
}

// think streams one thought of about n deltas, clipped to the budget. long ones may hold encrypted
// values and a second message.
func (s *stream) think(tag string, n int, long bool) {
	n = max(min(n, s.budget), 1)
	it := s.newItem(thoughtItem, tag, s.opts.Chunks || long && s.r.oneIn(4))
	if it.chunks {
		// Explicit span events would end the chunk stream, so a chunked thought goes without a span.
		s.thought(&it, n)
		if long && s.r.oneIn(2) {
			s.encrypted("message", it.id, tag)
		}
		return
	}
	span := it.id // most producers use one id for both; they are two namespaces
	if s.r.oneIn(4) {
		span = s.newID("span")
	}
	s.span(&reasoningStart, span, tag)
	second := long && n > 8 && s.r.oneIn(5)
	if second {
		s.thought(&it, n/2)
		it = s.newItem(thoughtItem, tag, false)
		n -= n / 2
	}
	s.thought(&it, n)
	if long && s.r.oneIn(2) {
		s.encrypted("message", it.id, tag)
	}
	s.span(&reasoningEnd, span, tag)
}

func (s *stream) thought(it *item, n int) {
	s.prose.begin(&s.r)
	s.start(it)
	for range n {
		s.delta(it, s.prose.next(&s.r))
	}
	s.end(it)
}

func (s *stream) span(t *wireType, id, tag string) {
	s.open(t, tag)
	s.ascii("messageId", id)
	s.owner(tag)
	s.shut()
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func (s *stream) encrypted(subtype, entity, tag string) {
	s.open(&reasoningEncrypted, tag)
	s.ascii("subtype", subtype)
	s.ascii("entityId", entity)
	s.key("encryptedValue")
	s.scratch = s.scratch[:0]
	for range s.r.between(20, 90) {
		u := s.r.next()
		for range 4 {
			s.scratch = append(s.scratch, base64Digits[u&63])
			u >>= 6
		}
	}
	s.buf = appendQuoted(s.buf, s.scratch, s.style)
	if s.r.oneIn(2) {
		s.ascii("encryptedValueType", "redacted_thinking")
	}
	s.owner(tag)
	s.shut()
}
