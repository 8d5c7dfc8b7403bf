package state

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wireOf is a list in its wire form, one message a line, for diffs that can be read.
func wireOf(list []*Message) []string {
	lines := []string{}
	for _, m := range list {
		lines = append(lines, string(m.AppendJSON(nil)))
	}
	return lines
}

func idsOf(list []*Message) string {
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return strings.Join(ids, " ")
}

func mustAdd(t testing.TB, s *Store, role Role, id string) *Message {
	t.Helper()
	m, err := s.Add(role, []byte(id))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustCall(t testing.TB, s *Store, m *Message, id, name string) *ToolCall {
	t.Helper()
	c, err := s.AddCall(m, []byte(id), []byte(name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStoreKeepsReasoningApart(t *testing.T) {
	for name, pool := range map[string]*Pool{"no pool": nil, "pool": new(Pool)} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(pool)
			for round := range 3 {
				mustAdd(t, s, RoleUser, "u")
				mustAdd(t, s, RoleReasoning, "r")
				mustAdd(t, s, RoleAssistant, "a")
				got := []string{idsOf(s.Messages()), idsOf(s.Reasoning()), idsOf(s.Conversation())}
				want := []string{"u a", "r", "u r a"}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("round %d: lists (-want +got):\n%s", round, d)
				}
				index := []int{s.Find([]byte("u")).Index(), s.Find([]byte("r")).Index(), s.Find([]byte("a")).Index()}
				if d := cmp.Diff([]int{0, -1, 1}, index); d != "" {
					t.Fatalf("round %d: indexes (-want +got):\n%s", round, d)
				}
				s.Reset()
				if s.Find([]byte("u")) != nil || len(s.Conversation()) != 0 {
					t.Fatal("a reset store holds something")
				}
			}
		})
	}
}

func TestStoreFindsByID(t *testing.T) {
	s := NewStore(new(Pool))
	for i := range 50 {
		m := mustAdd(t, s, RoleAssistant, fmt.Sprint("m", i))
		mustCall(t, s, m, fmt.Sprint("c", i), "f")
	}
	for _, i := range []int{7, 7, 3, 7, 3, 49, 0} {
		m := s.Find([]byte(fmt.Sprint("m", i)))
		if m == nil || m.Index() != i {
			t.Fatalf("m%d is found as %v", i, m)
		}
		on, c := s.FindCall([]byte(fmt.Sprint("c", i)))
		if c == nil || on != m || c.Message() != m || c.ID != fmt.Sprint("c", i) {
			t.Fatalf("c%d is found as %v on %v", i, c, on)
		}
	}
	if s.Find([]byte("none")) != nil {
		t.Error("an unknown message is found")
	}
	if m, c := s.FindCall([]byte("none")); m != nil || c != nil {
		t.Error("an unknown call is found")
	}
	if _, err := s.Add(RoleUser, []byte("m3")); !errors.Is(err, ErrHeld) {
		t.Errorf("adding a held id gives %v", err)
	}
	if err := s.Insert(UserMessage("m3", "x")); !errors.Is(err, ErrHeld) {
		t.Errorf("inserting a held id gives %v", err)
	}
}

func TestInsertCopies(t *testing.T) {
	seed := &Message{ID: "a", Role: RoleAssistant, Name: Some("n"), SubagentRunID: Some("s"), EncryptedValue: Some("e"),
		EncryptedValueType: Some("t"), Metadata: Metadata{{"k", JSON(`[1]`)}}}
	seed.SetText("text")
	seed.ToolCalls = []*ToolCall{NewToolCall("c", "f", "{}")}
	want := string(seed.AppendJSON(nil))
	s := NewStore(new(Pool))
	if err := s.Insert(seed); err != nil {
		t.Fatal(err)
	}
	held := s.Find([]byte("a"))
	if held == seed {
		t.Fatal("the seed itself is held")
	}
	if _, c := s.FindCall([]byte("c")); c == nil || c == seed.ToolCalls[0] {
		t.Fatalf("the call is held as %v", c)
	}
	seed.SetText("other")
	seed.ToolCalls[0].SetArguments("other")
	seed.Metadata[0].Value[1] = '2'
	if d := cmp.Diff(want, string(held.AppendJSON(nil))); d != "" {
		t.Errorf("the copy changed with the seed (-want +got):\n%s", d)
	}
	clone := held.Clone()
	s.Reset()
	if d := cmp.Diff(want, string(clone.AppendJSON(nil))); d != "" {
		t.Errorf("the clone changed with the store (-want +got):\n%s", d)
	}
	if clone.Held() || clone.Index() != -1 {
		t.Error("a clone is held")
	}
}

func TestFirstCallOfAnIDIsFound(t *testing.T) {
	s := NewStore(nil)
	for _, id := range []string{"a", "b"} {
		m := &Message{ID: id, Role: RoleAssistant, ToolCalls: []*ToolCall{NewToolCall("c", id, "")}}
		if err := s.Insert(m); err != nil {
			t.Fatal(err)
		}
	}
	if m, _ := s.FindCall([]byte("c")); m.ID != "a" {
		t.Errorf("the call is found on %s", m.ID)
	}
}

func TestStoreLimits(t *testing.T) {
	long := strings.Repeat("x", 11)
	tests := []struct {
		name string
		do   func(s *Store, m *Message) error
		want string
	}{
		{"one message more", func(s *Store, m *Message) error { _, err := s.Add(RoleUser, []byte("n")); return err },
			"messages of a thread over the limit of 2"},
		{"one seed more", func(s *Store, m *Message) error { return s.Insert(UserMessage("n", "")) },
			"messages of a thread over the limit of 2"},
		{"a snapshot of more", func(s *Store, m *Message) error {
			return s.ApplySnapshot([]*Message{UserMessage("1", ""), UserMessage("2", ""), UserMessage("3", "")})
		}, "messages of a thread over the limit of 2"},
		{"a snapshot beside kept ones", func(s *Store, m *Message) error {
			return s.ApplySnapshot([]*Message{UserMessage("1", ""), UserMessage("2", "")})
		}, "messages of a thread over the limit of 2"},
		{"a snapshot with a long one", func(s *Store, m *Message) error {
			return s.ApplySnapshot([]*Message{UserMessage("1", long)})
		}, "bytes of one message over the limit of 10"},
		{"plain text", func(s *Store, m *Message) error { _, err := s.AppendText(m, []byte(long), true); return err },
			"bytes of one message over the limit of 10"},
		{"escaped text", func(s *Store, m *Message) error { _, err := s.AppendText(m, []byte(`\n`+long), false); return err },
			"bytes of one message over the limit of 10"},
		{"arguments", func(s *Store, m *Message) error {
			_, c := s.FindCall([]byte("c"))
			_, err := s.AppendArgs(m, c, []byte(long), true)
			return err
		}, "bytes of one message over the limit of 10"},
		{"escaped arguments", func(s *Store, m *Message) error {
			_, c := s.FindCall([]byte("c"))
			_, err := s.AppendArgs(m, c, []byte(`\n`+long), false)
			return err
		}, "bytes of one message over the limit of 10"},
		{"metadata", func(s *Store, m *Message) error { return s.MergeMetadata(m, []byte(`{"k":"`+long+`"}`)) },
			"bytes of one message over the limit of 10"},
		{"content", func(s *Store, m *Message) error { return s.SetText(m, []byte(long)) },
			"bytes of one message over the limit of 10"},
		{"parts", func(s *Store, m *Message) error { return s.SetParts(m, []Part{TextPart(long)}) },
			"bytes of one message over the limit of 10"},
		{"encrypted value", func(s *Store, m *Message) error { return s.SetEncrypted(m, []byte(long), nil, false) },
			"bytes of one message over the limit of 10"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(new(Pool))
			s.MaxMessages, s.MaxMessageBytes = 2, 10
			m := mustAdd(t, s, RoleAssistant, "m")
			mustCall(t, s, m, "c", "f")
			mustAdd(t, s, RoleReasoning, "r")
			if _, err := s.AppendText(m, []byte(`ab`), true); err != nil {
				t.Fatal(err)
			}
			before := wireOf(s.Conversation())
			err := tt.do(s, m)
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Fatalf("the error is %v", err)
			}
			if d := cmp.Diff(tt.want, limit.Error()); d != "" {
				t.Errorf("error (-want +got):\n%s", d)
			}
			if d := cmp.Diff(before, wireOf(s.Conversation())); d != "" {
				t.Errorf("the store was changed (-want +got):\n%s", d)
			}
			if _, err := s.AppendText(m, []byte(`cdef`), true); err != nil {
				t.Errorf("what still fits is refused: %v", err)
			}
		})
	}
}

func TestSetters(t *testing.T) {
	tests := []struct {
		name string
		role Role
		do   func(s *Store, m *Message) error
		want string
	}{
		{"result text", RoleTool, func(s *Store, m *Message) error {
			s.SetToolCallID(m, []byte("c"))
			s.SetOwner(m, []byte("s"), true)
			return s.SetText(m, []byte("done"))
		}, `{"id":"m","role":"tool","content":"done","toolCallId":"c","subagentRunId":"s"}`},
		{"result replaced by parts", RoleTool, func(s *Store, m *Message) error {
			s.SetToolCallID(m, []byte("c"))
			s.SetOwner(m, []byte("s"), true)
			if err := s.SetText(m, []byte("done")); err != nil {
				return err
			}
			s.SetOwner(m, nil, false)
			return s.SetParts(m, []Part{TextPart("x")})
		}, `{"id":"m","role":"tool","content":[{"type":"text","text":"x"}],"toolCallId":"c"}`},
		{"parts replaced by text", RoleTool, func(s *Store, m *Message) error {
			if err := s.SetParts(m, []Part{TextPart("x")}); err != nil {
				return err
			}
			return s.SetText(m, []byte("y"))
		}, `{"id":"m","role":"tool","content":"y","toolCallId":""}`},
		{"empty parts", RoleTool, func(s *Store, m *Message) error { return s.SetParts(m, nil) },
			`{"id":"m","role":"tool","content":[],"toolCallId":""}`},
		{"encrypted value with a type", RoleReasoning, func(s *Store, m *Message) error {
			return s.SetEncrypted(m, []byte("v"), []byte("t"), true)
		}, `{"id":"m","role":"reasoning","content":"","encryptedValue":"v","encryptedValueType":"t"}`},
		{"an absent type deletes", RoleReasoning, func(s *Store, m *Message) error {
			if err := s.SetEncrypted(m, []byte("v"), []byte("t"), true); err != nil {
				return err
			}
			return s.SetEncrypted(m, []byte("w"), nil, false)
		}, `{"id":"m","role":"reasoning","content":"","encryptedValue":"w"}`},
		{"encrypted value on a call", RoleAssistant, func(s *Store, m *Message) error {
			c, err := s.AddCall(m, []byte("c"), []byte("f"))
			if err != nil {
				return err
			}
			return s.SetCallEncrypted(m, c, []byte("v"), []byte("t"), true)
		}, `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"encryptedValue":"v","encryptedValueType":"t"}]}`},
		{"name and empty content", RoleAssistant, func(s *Store, m *Message) error {
			s.SetName(m, []byte(""))
			_, err := s.AppendText(m, nil, true)
			return err
		}, `{"id":"m","role":"assistant","content":"","name":""}`},
		{"activity", RoleActivity, func(s *Store, m *Message) error {
			s.SetActivityType(m, []byte("PLAN"))
			if err := s.SetActivity(m, []byte(`{"a":1}`)); err != nil {
				return err
			}
			return s.SetActivity(m, []byte(`{"b":1.0}`))
		}, `{"id":"m","role":"activity","content":{"b":1.0},"activityType":"PLAN"}`},
		{"metadata", RoleUser, func(s *Store, m *Message) error {
			return s.MergeMetadata(m, []byte(`{}`))
		}, `{"id":"m","role":"user","content":"","metadata":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(new(Pool))
			m := mustAdd(t, s, tt.role, "m")
			if err := tt.do(s, m); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(m.AppendJSON(nil))); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
			if m.bytes < m.size() {
				t.Errorf("%d bytes are counted, %d held", m.bytes, m.size())
			}
		})
	}
}

func TestReplacedContentLeavesEarlierViews(t *testing.T) {
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleTool, "m")
	for _, text := range []string{"first", "other"} {
		if err := s.SetText(m, []byte(text)); err != nil {
			t.Fatal(err)
		}
		view := m.Text()
		if err := s.SetText(m, []byte("zzzzz")); err != nil {
			t.Fatal(err)
		}
		if view != text {
			t.Errorf("the view of %q reads %q", text, view)
		}
	}
}

func TestEncryptedValuesDontPileUp(t *testing.T) {
	s := NewStore(nil)
	m := mustAdd(t, s, RoleReasoning, "m")
	for range 1000 {
		if err := s.SetEncrypted(m, []byte("0123456789"), nil, false); err != nil {
			t.Fatal(err)
		}
	}
	if cap(m.ids) > 2*ownLimit {
		t.Errorf("the message's buffer grew to %d bytes", cap(m.ids))
	}
}
