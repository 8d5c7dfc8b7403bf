package state

// ApplySnapshot makes the store what MESSAGES_SNAPSHOT says (rules 90 to 93), over messages and reasoning jointly: a held
// message that the list names is replaced whole, in its place; one that it doesn't name is dropped, unless it is an
// activity or a reasoning message and the list has none of that role; then come the new ones, in the list's order. Of
// several messages of one id the last stands, in the first one's place.
//
// The list's messages are taken over: the caller must not use them afterwards. A message or call whose id was held keeps
// its pointer and its Mark, and has everything else from the list, so whoever holds on to an open item finds the
// snapshot's copy there. Waiting surrogate halves are discarded. What was dropped stays readable until the next snapshot
// or Reset. The cost is linear in both lists.
//
// Error: *LimitError; the store is unchanged then, and the list is not taken over.
func (s *Store) ApplySnapshot(list []*Message) error {
	if !s.taken {
		s.shelf = s.pool.takeShelf()
	}
	if s.places == nil {
		s.places = make(map[string]int32, len(list))
	}
	hasActivity, hasReasoning, err := s.placeSnapshot(list)
	defer func() { s.places = emptied(s.places) }()
	if err != nil {
		return err
	}

	s.release()
	s.last, s.prev, s.lastCall, s.prevCall = nil, nil, nil, nil
	held := s.conversation
	kept := held[:0]
	for _, m := range held {
		if at, ok := s.places[m.ID]; ok {
			delete(s.places, m.ID)
			s.swap(m, list[at])
			list[at] = nil
			kept = append(kept, m)
			continue
		}
		if m.Role == RoleActivity && !hasActivity || m.Role == RoleReasoning && !hasReasoning {
			kept = append(kept, m)
			continue
		}
		s.drop(m)
	}
	clear(held[len(kept):])
	for i, m := range list {
		if m == nil {
			continue
		}
		if at, ok := s.places[m.ID]; ok && int(at) == i {
			kept = append(kept, m)
			continue
		}
		s.drop(m)
	}
	s.conversation = kept
	s.relist()
	return nil
}

// Gone is what the last ApplySnapshot dropped, messages and calls, and the shells of what it replaced, whose Mark is zero;
// that of what was dropped is as it was. Lent until the next ApplySnapshot or Reset.
func (s *Store) Gone() ([]*Message, []*ToolCall) { return s.gone, s.goneCalls }

// placeSnapshot finds where in the list the copy of each id is that stands, and moves it to the first one's place. It
// fails before anything is changed but the list's order.
func (s *Store) placeSnapshot(list []*Message) (hasActivity, hasReasoning bool, err error) {
	for i, m := range list {
		if err := s.fitsWhole(m); err != nil {
			return false, false, err
		}
		if m.held {
			// What the store holds can't be taken over.
			m = m.Clone()
			list[i] = m
		}
		at, ok := s.places[m.ID]
		if ok && list[at] == m {
			list[i] = nil
			continue
		}
		if ok {
			list[at], list[i] = m, list[at]
			continue
		}
		s.places[m.ID] = int32(i)
	}
	for _, at := range s.places {
		hasActivity = hasActivity || list[at].Role == RoleActivity
		hasReasoning = hasReasoning || list[at].Role == RoleReasoning
	}
	// What stays is the snapshot's ids and the held ones that its roles spare.
	total := len(s.places)
	for _, m := range s.conversation {
		if _, ok := s.places[m.ID]; ok {
			continue
		}
		if m.Role == RoleActivity && !hasActivity || m.Role == RoleReasoning && !hasReasoning {
			total++
		}
	}
	return hasActivity, hasReasoning, s.room(total)
}

// swap gives m the content of its copy in the snapshot, and the copy's shell what m held.
func (s *Store) swap(m, shell *Message) {
	*m, *shell = *shell, *m
	m.Mark, shell.Mark = shell.Mark, Mark{}
	s.drop(shell)
}

// drop keeps what left the store until the next snapshot. Its calls are kept apart, since each may yet be claimed.
func (s *Store) drop(m *Message) {
	for i, c := range m.ToolCalls {
		c.message = nil
		c.gone = int32(len(s.goneCalls))
		s.goneCalls = append(s.goneCalls, c)
		m.ToolCalls[i] = nil
	}
	m.ToolCalls = m.ToolCalls[:0]
	m.held, m.slot = false, 0
	s.gone = append(s.gone, m)
}

// relist makes the two lists and both indexes anew from the conversation.
func (s *Store) relist() {
	clear(s.messages)
	clear(s.reasoning)
	s.messages, s.reasoning = s.messages[:0], s.reasoning[:0]
	if s.byID = emptied(s.byID); s.byID == nil && len(s.conversation) > fewMessages {
		s.byID = make(map[string]*Message, len(s.conversation))
	}
	s.callsBefore, s.byCall = s.byCall, s.callsBefore
	all := s.conversation
	for i, m := range all {
		s.conversation = all[:i+1]
		s.index(i)
		s.list(m)
		if m.held {
			s.indexCalls(m)
			continue
		}
		m.held, m.bytes = true, m.size()
		for i, c := range m.ToolCalls {
			m.ToolCalls[i] = s.claim(m, c)
		}
		s.indexCalls(m)
	}
	s.callsBefore = emptied(s.callsBefore)
}

// emptied is an index without its entries. One that was wide is let go: it would keep all of its room, and every time that
// it is cleared would cost that again, however little is in it.
func emptied[V any](index map[string]V) map[string]V {
	if len(index) > keptList {
		return nil
	}
	clear(index)
	return index
}

func (s *Store) indexCalls(m *Message) {
	for _, c := range m.ToolCalls {
		s.holdCall(m, c)
	}
}

// claim returns the call that bore this id before, with the content of c, when it left the store with its message and
// nobody has claimed it; else c itself.
func (s *Store) claim(m *Message, c *ToolCall) *ToolCall {
	old := s.callsBefore[c.ID]
	if old == nil || old.message != nil {
		return c
	}
	gone := old.gone
	*old, *c = *c, *old
	old.Mark, c.Mark = c.Mark, Mark{}
	old.message = m
	s.goneCalls[gone] = c
	return old
}
