package state

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Ids that begin and end alike have one hash, and are told apart all the same: while there are few messages, many, and
// while snapshots make few of many and many of few.
func TestFindAtEveryLength(t *testing.T) {
	ids := make([]string, 3*fewMessages)
	for i := range ids {
		switch i % 3 {
		case 0:
			ids[i] = fmt.Sprintf("message-%02d-of-this", i)
		case 1:
			ids[i] = fmt.Sprint(i)
		default:
			ids[i] = fmt.Sprintf("%02d", i) + string(make([]byte, i))
		}
	}
	if idHash([]byte(ids[0])) != idHash([]byte(ids[3])) {
		t.Fatal("the ids have different hashes")
	}
	r := rand.New(rand.NewPCG(7, 8))
	pool := new(Pool)
	s := NewStore(pool)
	held := map[string]*Message{}
	boundary := 0
	for range 4000 {
		before := len(held)
		id := ids[r.IntN(len(ids))]
		switch r.IntN(12) {
		case 0: // a snapshot of about as many as are looked through, or of any number
			n := r.IntN(len(ids))
			if r.IntN(2) == 0 {
				n = fewMessages - 2 + r.IntN(4)
			}
			list := make([]*Message, n)
			now := map[string]*Message{}
			for i, at := range r.Perm(len(ids))[:n] {
				list[i] = pool.takeMessage()
				list[i].ID, list[i].Role = list[i].own([]byte(ids[at])), RoleUser
				now[ids[at]] = list[i]
				if m := held[ids[at]]; m != nil {
					now[ids[at]] = m
				}
			}
			if err := s.ApplySnapshot(list); err != nil {
				t.Fatal(err)
			}
			held = now
		case 1:
			if r.IntN(4) == 0 {
				s.Reset()
				held = map[string]*Message{}
			}
		case 2, 3:
			err := s.Insert(UserMessage(id, "x"))
			if (err != nil) != (held[id] != nil) {
				t.Fatalf("Insert(%q): %v", id, err)
			}
			if err == nil {
				held[id] = s.Conversation()[len(held)]
			}
		default:
			m, err := s.Add(RoleAssistant, []byte(id))
			if (err != nil) != (held[id] != nil) {
				t.Fatalf("Add(%q): %v", id, err)
			}
			if err == nil {
				held[id] = m
			}
		}
		if (before > fewMessages) != (len(held) > fewMessages) {
			boundary++
		}
		for _, id := range ids {
			if got := s.Find([]byte(id)); got != held[id] {
				t.Fatalf("of %d messages %q is found at %p, want %p", len(held), id, got, held[id])
			}
			if got := s.lookUp([]byte(id)); got != held[id] {
				t.Fatalf("of %d messages %q is looked up at %p, want %p", len(held), id, got, held[id])
			}
		}
	}
	if boundary < 50 {
		t.Errorf("the number of messages came over the boundary %d times only", boundary)
	}
}
