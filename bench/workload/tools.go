package workload

// tools: rounds of a few words, one to four calls whose arguments arrive interleaved, their results in
// any order, and an answer. Some runs leave calls of the frontend's own tools open, as they must.
func (s *stream) tools() {
	if s.runs == 1 && s.r.oneIn(3) {
		s.history()
	}
	for s.budget > 0 {
		parent := ""
		switch s.r.intn(3) {
		case 0:
			parent = s.message("", min(s.budget, s.r.between(4, 16)))
		case 1:
			parent = s.newID("msg") // names a message that only the calls will make
		}
		calls := s.calls("", parent, s.r.between(1, 4), s.r.between(1, 4))
		if s.budget <= 0 && s.r.oneIn(3) {
			return // the frontend's tools: their results come with the next request
		}
		s.results("", calls, 12)
		if s.budget > 0 && !s.r.oneIn(3) {
			s.message("", min(s.budget, s.r.between(10, 50)))
		}
	}
	s.cancelled = len(s.pending) == 0 && s.r.oneIn(16)
}

// calls streams n calls with up to `members` arguments each; which of them goes on next is drawn at
// every delta. It returns their ids.
func (s *stream) calls(tag, parent string, n, members int) []string {
	type call struct {
		item
		left []byte
	}
	open := make([]*call, 0, n)
	ids := make([]string, 0, n)
	for range n {
		c := &call{item: s.newItem(callItem, tag, s.opts.Chunks)}
		c.name, c.parent = pick(&s.r, toolNames), parent
		c.left = appendArguments(nil, &s.r, s.r.between(1, members))
		s.start(&c.item)
		open = append(open, c)
		ids = append(ids, c.id)
	}
	for len(open) > 0 {
		i := s.r.intn(len(open))
		c := open[i]
		k := cut(c.left, &s.r)
		s.scratch = appendEscaped(s.scratch[:0], c.left[:k], s.style)
		s.delta(&c.item, s.scratch)
		if c.left = c.left[k:]; len(c.left) > 0 {
			continue
		}
		s.end(&c.item)
		open = append(open[:i], open[i+1:]...)
	}
	return ids
}

// results answers the calls in an order of its own. words bounds the text of a result.
func (s *stream) results(tag string, calls []string, words int) {
	for len(calls) > 0 {
		i := s.r.intn(len(calls))
		id := calls[i]
		calls = append(calls[:i], calls[i+1:]...)
		s.answered(id)
		s.open(&callResult, tag)
		s.ascii("messageId", s.newID("res"))
		s.ascii("toolCallId", id)
		if s.r.oneIn(2) {
			s.ascii("role", "tool")
		}
		s.key("content")
		if s.r.oneIn(4) && words > 6 {
			s.resultParts()
		} else {
			s.scratch = append(s.scratch[:0], `{"ok":true,"text":"`...)
			// Tool results are JSON in a string: what the prose escaped is text here.
			s.scratch = append(s.scratch, s.prose.phrase(&s.r, s.r.between(2, words))...)
			s.scratch = append(s.scratch, `"}`...)
			s.buf = appendQuoted(s.buf, s.scratch, s.style)
		}
		s.owner(tag)
		s.shut()
	}
}

func (s *stream) answered(call string) {
	for i, id := range s.pending {
		if id == call {
			s.pending = append(s.pending[:i], s.pending[i+1:]...)
			return
		}
	}
}

func (s *stream) resultParts() {
	s.buf = append(s.buf, `[{"type":"text","text":"`...)
	s.buf = append(s.buf, s.prose.phrase(&s.r, s.r.between(3, 20))...)
	s.buf = append(s.buf, '"', '}')
	switch s.r.intn(4) {
	case 0:
		s.buf = append(s.buf, `,{"type":"image","source":{"type":"url","value":"https://example.com/map.png","mimeType":"image/png"}}`...)
	case 1:
		s.buf = append(s.buf, `,{"type":"document","source":{"type":"data","value":"aGVsbG8gd29ybGQ=","mimeType":"text/plain"},"metadata":["page",1]}`...)
	case 2:
		s.buf = append(s.buf, `,{"type":"audio","source":{"type":"file","value":"file-8d1c","provider":"openai"},"id":"p2"}`...)
	}
	s.buf = append(s.buf, ']')
}

// history opens the stream as adapters do that replay the thread: one snapshot of what came before.
func (s *stream) history() {
	call := s.newID("call")
	s.open(&messagesSnapshot, "")
	s.key("messages")
	s.buf = append(s.buf, '[')
	s.userMessage(s.newID("user"))
	s.buf = append(s.buf, `,{"id":"`+s.newID("msg")+`","role":"assistant","content":"`...)
	s.buf = append(s.buf, s.prose.phrase(&s.r, 12)...)
	s.buf = append(s.buf, `","toolCalls":[{"id":"`+call+`","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]}`...)
	s.buf = append(s.buf, `,{"id":"`+s.newID("res")+`","role":"tool","content":"21.5","toolCallId":"`+call+`"}`...)
	s.buf = append(s.buf, `,{"id":"`+s.newID("rs")+`","role":"reasoning","content":"`...)
	s.buf = append(s.buf, s.prose.phrase(&s.r, 8)...)
	s.buf = append(s.buf, `","encryptedValue":"ZW5j","encryptedValueType":"thinking"}]`...)
	s.shut()
}
