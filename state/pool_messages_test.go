package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fillStore leaves something in every field that a message or call has.
func fillStore(t testing.TB, s *Store, mark string) {
	t.Helper()
	e := &Enforcer{Pool: s.pool}
	list, err := e.Messages([]byte(strings.ReplaceAll(`[
		{"id":"a-#","role":"assistant","content":"text-#","name":"#","encryptedValue":"#","encryptedValueType":"#","metadata":{"#":1},"subagentRunId":"#",
		 "toolCalls":[{"id":"c-#","type":"function","function":{"name":"#","arguments":"args-#"},"encryptedValue":"#","encryptedValueType":"#","metadata":{"#":1}}]},
		{"id":"t-#","role":"tool","content":[{"type":"text","text":"part-#","metadata":"#"}],"toolCallId":"#","error":"#"},
		{"id":"x-#","role":"activity","activityType":"#","content":{"#":"#"}},
		{"id":"r-#","role":"reasoning","content":"#"}]`, "#", mark)), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ApplySnapshot(list); err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Conversation() {
		m.Mark = Mark{1, 2, 3, 4}
		for _, c := range m.ToolCalls {
			c.Mark = Mark{1, 2, 3, 4}
		}
		if m.Role == RoleActivity {
			continue
		}
		if _, err := s.AppendText(m, []byte(`more-`+mark+`\ud83d`), false); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatComesBackIsReset(t *testing.T) {
	pool := new(Pool)
	for round := range 4 {
		s := NewStore(pool)
		fillStore(t, s, fmt.Sprint("secret", round))
		// The second snapshot puts what the first one held among what is dropped.
		fillStore(t, s, fmt.Sprint("secret", round, "again"))
		s.Reset()
		s.Reset()

		fresh := NewStore(pool)
		var want []string
		for i, role := range []Role{RoleAssistant, RoleTool, RoleActivity, RoleReasoning, RoleUser, RoleSystem} {
			m := mustAdd(t, fresh, role, fmt.Sprint(i))
			if m.Mark != (Mark{}) || m.carry != 0 || m.bytes != 0 || m.HasText() || m.keys != nil {
				t.Errorf("a used message comes back as %+v", m)
			}
			c := mustCall(t, fresh, m, fmt.Sprint("c", i), "f")
			if c.Mark != (Mark{}) || c.carry != 0 || c.keys != nil || len(m.ToolCalls) != 1 {
				t.Errorf("a used call comes back as %+v", c)
			}
			plain := &Message{ID: fmt.Sprint(i), Role: role, ToolCalls: []*ToolCall{NewToolCall(fmt.Sprint("c", i), "f", "")}}
			want = append(want, string(plain.AppendJSON(nil)))
		}
		if d := cmp.Diff(want, wireOf(fresh.Conversation())); d != "" {
			t.Fatalf("round %d: used messages (-want +got):\n%s", round, d)
		}
		fresh.Reset()
	}
	if len(pool.messages.messages.items) == 0 || len(pool.messages.calls.items) == 0 || len(pool.messages.documents.items) == 0 || len(pool.messages.shelves.items) == 0 {
		t.Error("nothing came back to the pool")
	}
}

func TestPoolGetsEveryObjectOnce(t *testing.T) {
	pool := new(Pool)
	s := NewStore(pool)
	for round := range 20 {
		// Ids come again while they are held and later, so that messages and calls are swapped, claimed and dropped.
		fillStore(t, s, fmt.Sprint(round/2%3))
	}
	s.Reset()
	messages, calls := map[*Message]bool{}, map[*ToolCall]bool{}
	for _, m := range pool.messages.messages.items {
		if messages[m] {
			t.Error("a message is in the pool twice")
		}
		messages[m] = true
	}
	text := 0
	for _, class := range pool.messages.text.classes {
		for _, b := range class.items {
			text += cap(b)
		}
	}
	for _, c := range pool.messages.calls.items {
		if calls[c] {
			t.Error("a call is in the pool twice")
		}
		calls[c] = true
	}
	if text != pool.messages.text.bytes {
		t.Errorf("%d bytes are counted, %d are there", pool.messages.text.bytes, text)
	}
}

func TestLentMemoryIsPoisoned(t *testing.T) {
	if !docPoison {
		t.Skip("not in this build")
	}
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleAssistant, "message-id")
	if _, err := s.AppendText(m, []byte("text"), true); err != nil {
		t.Fatal(err)
	}
	text, id := m.Text(), m.ID
	s.Reset()
	if text == "text" || id == "message-id" {
		t.Error("views outlived their lending")
	}
}

// What a message outgrows serves the next one: sizes that differ from run to run settle without an allocation.
func TestBuffersServeEverySize(t *testing.T) {
	if docPoison {
		t.Skip("poisoned builds allocate")
	}
	pool := new(Pool)
	s := NewStore(pool)
	round := 0
	run := func() {
		for i := range 8 {
			m := mustAdd(t, s, RoleAssistant, string(rune('a'+i)))
			for range (i*7 + round*5) % 40 {
				if _, err := s.AppendText(m, []byte("some words that add up "), true); err != nil {
					t.Fatal(err)
				}
			}
		}
		round++
		s.Reset()
	}
	for range 100 {
		run()
	}
	if n := testing.AllocsPerRun(100, run); n > 8 { // the ids, in this test
		t.Errorf("%v allocations a run", n)
	}
}

func TestLargeBuffersAreLetGo(t *testing.T) {
	use := func(s *Store, n int) {
		m := mustAdd(t, s, RoleAssistant, "m")
		if _, err := s.AppendText(m, []byte(strings.Repeat("x", n)), true); err != nil {
			t.Fatal(err)
		}
		s.Reset()
	}
	tests := []struct {
		name string
		size int
		kept bool
	}{
		{"small", 100, true},
		{"of the largest class", 1 << largestText, true},
		{"beyond the classes", 1<<largestText + 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pool := new(Pool)
			use(NewStore(pool), tt.size)
			if got := pool.messages.text.bytes > 0; got != tt.kept {
				t.Errorf("the pool keeps %d bytes", pool.messages.text.bytes)
			}
		})
	}
	pool := new(Pool)
	s := NewStore(pool)
	for i := range keptList * 2 {
		mustAdd(t, s, RoleUser, fmt.Sprint(i))
	}
	s.Reset()
	if len(pool.messages.shelves.items) != 0 || len(pool.messages.messages.items) > freeMessages {
		t.Errorf("the pool keeps %d shelves and %d messages", len(pool.messages.shelves.items), len(pool.messages.messages.items))
	}
}

// What a burst filled the pool with goes when nobody asks for it.
func TestMessagePoolForgets(t *testing.T) {
	pool := new(Pool)
	var burst []*Store
	fill := func(s *Store) {
		m := mustAdd(t, s, RoleAssistant, "m")
		if _, err := s.AppendText(m, []byte("some text"), true); err != nil {
			t.Fatal(err)
		}
	}
	for range 4096 {
		s := NewStore(pool)
		fill(s)
		burst = append(burst, s)
	}
	for _, s := range burst {
		s.Reset()
	}
	p := &pool.messages
	if len(p.messages.items) != 4096 || len(p.shelves.items) != 4096 {
		t.Fatalf("the pool keeps %d messages and %d shelves of 4,096", len(p.messages.items), len(p.shelves.items))
	}
	held := p.text.bytes
	s := NewStore(pool)
	for range 5 * freeEpoch / 2 { // two puts each
		fill(s)
		s.Reset()
	}
	if len(p.messages.items) > 512 || len(p.shelves.items) > 512 || p.text.bytes > held/8 {
		t.Errorf("the pool keeps %d messages, %d shelves and %d bytes of text", len(p.messages.items), len(p.shelves.items), p.text.bytes)
	}
}

func TestSubagents(t *testing.T) {
	var s Subagents
	for range 3 {
		i, a := s.Add([]byte("s1"))
		if i != 0 || a.Status != Running || a.Name != "" {
			t.Fatalf("entry %d is %+v", i, a)
		}
		a.Name, a.Code, a.Mark.Flags = "n", Some("c"), 1
		if again, same := s.Add([]byte("s1")); again != 0 || same != a {
			t.Error("an id has two entries")
		}
		if i, _ := s.Add([]byte("s2")); i != 1 {
			t.Errorf("the second has index %d", i)
		}
		if i, found := s.Find([]byte("s2")); i != 1 || found != s.List()[1] {
			t.Errorf("the second is found at %d", i)
		}
		if i, found := s.Find([]byte("s3")); i != -1 || found != nil {
			t.Errorf("an unknown one is found at %d", i)
		}
		s.Reset()
		if len(s.List()) != 0 {
			t.Error("a reset store holds something")
		}
	}
}
