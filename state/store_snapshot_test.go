package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bare makes messages of "role:id:text" words.
func bare(words string) []*Message {
	var list []*Message
	for word := range strings.FieldsSeq(words) {
		f := strings.Split(word, ":")
		role, ok := ParseRole([]byte(map[string]string{"u": "user", "a": "assistant", "r": "reasoning", "x": "activity", "t": "tool"}[f[0]]))
		if !ok {
			panic(word)
		}
		m := NewMessage(role, f[1], f[2])
		if role == RoleActivity {
			m = &Message{ID: f[1], Role: role, ActivityType: f[2]}
		}
		list = append(list, m)
	}
	return list
}

func wordsOf(list []*Message) string {
	var words []string
	for _, m := range list {
		text := m.Text()
		if m.Role == RoleActivity {
			text = m.ActivityType
		}
		role := m.Role.String()[:1]
		if m.Role == RoleActivity {
			role = "x"
		}
		words = append(words, role+":"+m.ID+":"+text)
	}
	return strings.Join(words, " ")
}

func storeOf(t testing.TB, p *Pool, words string) *Store {
	t.Helper()
	s := NewStore(p)
	for _, m := range bare(words) {
		if err := s.Insert(m); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestApplySnapshot(t *testing.T) {
	tests := []struct {
		name           string
		held, snapshot string
		want           string // the conversation
	}{
		{"M02, the first", "a:a1:old x:x:x r:z:z u:gone:g", "u:u1:u a:a1:new", "a:a1:new x:x:x r:z:z u:u1:u"},
		{"M02, the second", "a:a1:new x:x:x r:z:z u:u1:u", "a:a1:new u:u1:u x:y:y", "a:a1:new r:z:z u:u1:u x:y:y"},
		{"into nothing", "", "u:1:a r:2:b", "u:1:a r:2:b"},
		{"empty", "u:1:a x:2:b r:3:c t:4:d", "", "x:2:b r:3:c"},
		{"reasoning drops reasoning, keeps activity", "x:x:x r:r:r", "r:q:q", "x:x:x r:q:q"},
		{"activity drops activity, keeps reasoning", "x:x:x r:r:r", "x:y:y", "r:r:r x:y:y"},
		{"held order stands", "u:1:a u:2:b u:3:c", "u:3:z u:9:n u:1:x u:2:y", "u:1:x u:2:y u:3:z u:9:n"},
		{"duplicates", "", "u:1:a u:2:b u:1:c u:3:d u:1:e", "u:1:e u:2:b u:3:d"},
		{"duplicates of a held one", "u:2:h u:1:h", "u:1:a u:2:b u:1:c", "u:2:b u:1:c"},
		{"the last duplicate's role counts", "r:r:r", "r:1:a u:1:b", "r:r:r u:1:b"},
		{"a role changes", "u:1:a a:2:b u:3:c", "u:1:a r:2:b u:3:c", "u:1:a r:2:b u:3:c"},
	}
	for _, tt := range tests {
		for name, pool := range map[string]*Pool{"no pool": nil, "pool": new(Pool)} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				s := storeOf(t, pool, tt.held)
				if err := s.ApplySnapshot(bare(tt.snapshot)); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, wordsOf(s.Conversation())); d != "" {
					t.Errorf("conversation (-want +got):\n%s", d)
				}
				checkStore(t, s)
			})
		}
	}
}

// checkStore holds a store to its invariants: the lists agree, and every index finds what the lists have.
func checkStore(t testing.TB, s *Store) {
	t.Helper()
	var messages, reasoning []*Message
	calls := map[string]*ToolCall{}
	for _, m := range s.Conversation() {
		if !m.held || s.lookUp(bytesOf(m.ID)) != m {
			t.Errorf("message %s isn't found", m.ID)
		}
		if m.Role == RoleReasoning {
			reasoning = append(reasoning, m)
			if m.Index() != -1 {
				t.Errorf("reasoning %s has index %d", m.ID, m.Index())
			}
		} else {
			if m.Index() != len(messages) {
				t.Errorf("message %s has index %d, stands at %d", m.ID, m.Index(), len(messages))
			}
			messages = append(messages, m)
		}
		for _, c := range m.ToolCalls {
			if c.message != m {
				t.Errorf("call %s doesn't know its message", c.ID)
			}
			if calls[c.ID] == nil {
				calls[c.ID] = c
			}
		}
	}
	if n := len(s.byID); n != 0 && n != len(s.conversation) || n == 0 && len(s.conversation) > fewMessages || len(s.byCall) != len(calls) {
		t.Errorf("indexes have %d messages and %d calls; held are %d and %d", len(s.byID), len(s.byCall), len(s.conversation), len(calls))
	}
	for id, c := range calls {
		if s.byCall[id] != c {
			t.Errorf("call %s isn't found", id)
		}
	}
	if d := cmp.Diff(wordsOf(messages), wordsOf(s.Messages())); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	if d := cmp.Diff(wordsOf(reasoning), wordsOf(s.Reasoning())); d != "" {
		t.Errorf("reasoning (-want +got):\n%s", d)
	}
}

// naiveSnapshot is rules 90 to 93 word by word.
func naiveSnapshot(held, list []*Message) []*Message {
	var snapshot []*Message
list:
	for _, m := range list {
		for i, earlier := range snapshot {
			if earlier.ID == m.ID {
				snapshot[i] = m
				continue list
			}
		}
		snapshot = append(snapshot, m)
	}
	has := func(role Role) bool {
		for _, m := range snapshot {
			if m.Role == role {
				return true
			}
		}
		return false
	}
	find := func(in []*Message, id string) *Message {
		for _, m := range in {
			if m.ID == id {
				return m
			}
		}
		return nil
	}
	var out []*Message
	for _, m := range held {
		if c := find(snapshot, m.ID); c != nil {
			out = append(out, c)
		} else if m.Role == RoleActivity && !has(RoleActivity) || m.Role == RoleReasoning && !has(RoleReasoning) {
			out = append(out, m)
		}
	}
	for _, m := range snapshot {
		if find(held, m.ID) == nil {
			out = append(out, m)
		}
	}
	return out
}

func TestApplySnapshotAgreesWithTheRulesAsWritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	roles := []Role{RoleUser, RoleAssistant, RoleAssistant, RoleTool, RoleActivity, RoleReasoning}
	pool := new(Pool)
	serial := 0
	random := func(n int) []*Message {
		var list []*Message
		for range rnd.IntN(n) {
			serial++
			m := &Message{ID: fmt.Sprint("m", rnd.IntN(12)), Role: roles[rnd.IntN(len(roles))]}
			switch m.Role {
			case RoleActivity:
				m.ActivityType = fmt.Sprint("type", serial)
			case RoleAssistant:
				for range rnd.IntN(3) {
					serial++
					m.ToolCalls = append(m.ToolCalls, NewToolCall(fmt.Sprint("c", rnd.IntN(8)), "f", fmt.Sprint(serial)))
				}
				fallthrough
			default:
				m.SetText(fmt.Sprint("text", serial))
			}
			list = append(list, m)
		}
		return list
	}
	clones := func(list []*Message) []*Message {
		var c []*Message
		for _, m := range list {
			c = append(c, m.Clone())
		}
		return c
	}
	for range 300 {
		s := NewStore(pool)
		for range 6 {
			list := random(12)
			want := naiveSnapshot(clones(s.Conversation()), clones(list))
			if err := s.ApplySnapshot(list); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(wireOf(want), wireOf(s.Conversation())); d != "" {
				t.Fatalf("conversation (-want +got):\n%s", d)
			}
			checkStore(t, s)
			if t.Failed() {
				t.FailNow()
			}
		}
		s.Reset()
	}
}

func TestSnapshotOfAnOpenItem(t *testing.T) {
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleAssistant, "m")
	m.Mark.Flags = 7
	c := mustCall(t, s, m, "c", "f")
	c.Mark.Flags = 9
	for _, do := range []func() (string, error){
		func() (string, error) { return s.AppendText(m, []byte(`old\ud83d`), false) },
		func() (string, error) { return s.AppendArgs(m, c, []byte(`old\ud83d`), false) },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	before := m.Text()
	moved := &Message{ID: "n", Role: RoleAssistant, ToolCalls: []*ToolCall{NewToolCall("c", "g", "new"), NewToolCall("c", "h", "")}}
	if err := s.ApplySnapshot([]*Message{NewMessage(RoleAssistant, "m", "new"), moved}); err != nil {
		t.Fatal(err)
	}
	if before != "old" {
		t.Errorf("a view from before reads %q", before)
	}
	if on, found := s.FindCall([]byte("c")); s.Find([]byte("m")) != m || found != c || on.ID != "n" {
		t.Fatal("an open item lost its pointer")
	}
	if m.Mark.Flags != 7 || c.Mark.Flags != 9 {
		t.Errorf("the marks are %v and %v", m.Mark, c.Mark)
	}
	// The waiting halves went with what they were halves of.
	if _, err := s.AppendText(m, []byte(`\ude00`), false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendArgs(c.Message(), c, []byte(`\ude00`), false); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"id":"m","role":"assistant","content":"new` + "\uFFFD" + `"}`,
		`{"id":"n","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"g","arguments":"new` + "\uFFFD" +
			`"}},{"id":"c","type":"function","function":{"name":"h","arguments":""}}]}`,
	}
	if d := cmp.Diff(want, wireOf(s.Conversation())); d != "" {
		t.Errorf("conversation (-want +got):\n%s", d)
	}
	checkStore(t, s)
}

func TestSnapshotOfHeldMessagesIsCopied(t *testing.T) {
	s := storeOf(t, new(Pool), "u:1:a r:2:b a:3:c")
	// Taken over, the held ones would be in the pool while they are held, from the second round on.
	for range 3 {
		m := s.Messages()[0]
		if err := s.ApplySnapshot([]*Message{m, m, s.Reasoning()[0], NewMessage(RoleUser, "n", "d")}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff("u:1:a r:2:b u:n:d", wordsOf(s.Conversation())); d != "" {
			t.Fatalf("conversation (-want +got):\n%s", d)
		}
		checkStore(t, s)
	}
}
