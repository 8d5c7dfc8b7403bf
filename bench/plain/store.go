package plain

// Limits of one thread.
const (
	messageLimit      = 100_000
	messageBytesLimit = 64 << 20
)

// store keeps the conversation in order of arrival. Messages are what of it is
// no reasoning.
type store struct {
	conversation []*message
	messages     int // how many are no reasoning
	byID         map[string]*message
	calls        map[string]*call
}

func newStore() store {
	return store{byID: map[string]*message{}, calls: map[string]*call{}}
}

func (s *store) full() bool { return len(s.conversation) >= messageLimit }

func (s *store) add(m *message) {
	m.index = s.messages
	if m.role != reasoningRole {
		s.messages++
	}
	s.conversation = append(s.conversation, m)
	s.byID[m.id] = m
	for _, c := range m.calls {
		if s.calls[c.id] == nil { // a snapshot may hold an id twice: the first is the call
			s.calls[c.id] = c
		}
	}
}

// replace applies a snapshot (rules 90 to 93): the snapshot's copy takes the
// place of a held message, activities and reasoning stay if the snapshot has
// none of their role, and what is new follows in the snapshot's order.
func (s *store) replace(list []*message) {
	byID, roles := map[string]*message{}, map[string]bool{}
	for _, m := range list {
		byID[m.id] = m
		roles[m.role] = true
	}
	old := s.conversation
	*s = newStore()
	for _, m := range old {
		copied, ok := byID[m.id]
		if ok {
			s.add(copied)
			continue
		}
		if (m.role == "activity" || m.role == reasoningRole) && !roles[m.role] {
			s.add(m)
		}
	}
	for _, m := range list {
		if s.byID[m.id] == nil {
			s.add(m)
		}
	}
}

// lastOfEach folds duplicate ids: the last one stands, in the first one's
// place.
func lastOfEach(list []*message) []*message {
	place := map[string]int{}
	kept := list[:0]
	for _, m := range list {
		if i, ok := place[m.id]; ok {
			kept[i] = m
			continue
		}
		place[m.id] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

// free makes an id that no message has: the suffix goes on as often as it
// takes.
func (s *store) free(id, suffix string) string {
	for s.byID[id] != nil {
		id += suffix
	}
	return id
}

func (s *store) list(want func(*message) bool) []*message {
	var list []*message
	for _, m := range s.conversation {
		if want(m) {
			list = append(list, m)
		}
	}
	return list
}
