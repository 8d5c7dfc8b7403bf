package state

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What one peer made large doesn't stay with the pool, nor with the empty store, once it is given back.
func TestPoolsLetGoOfWhatWasLarge(t *testing.T) {
	const large = 8 << 20
	text := func() []byte { return []byte(strings.Repeat("x", large)) }
	snapshot := func(t *testing.T, s *Store, n int, ids string) error {
		list := make([]*Message, n)
		for i := range list {
			list[i] = s.pool.takeMessage()
			list[i].ID = list[i].own(fmt.Append(nil, ids, i))
			list[i].Role = RoleAssistant
			c := s.pool.takeCall()
			c.ID = c.own(fmt.Append(nil, ids, "call", i))
			list[i].ToolCalls = append(s.pool.takeCallList(), c)
		}
		return s.ApplySnapshot(list)
	}
	tests := []struct {
		name string
		use  func(t *testing.T, s *Store, m *Message) error
	}{
		{"text", func(_ *testing.T, s *Store, m *Message) error {
			_, err := s.AppendText(m, text(), true)
			return err
		}},
		{"text of a part", func(_ *testing.T, s *Store, m *Message) error {
			return s.SetParts(m, []Part{TextPart(string(text()))})
		}},
		{"source of a part", func(_ *testing.T, s *Store, m *Message) error {
			return s.SetParts(m, []Part{{Type: "image", Source: &Source{Type: "data", Value: string(text())}}})
		}},
		{"text after the last part", func(t *testing.T, s *Store, m *Message) error {
			// There is room for one part more behind them.
			parts := []Part{{Type: "image"}, {Type: "image"}, {Type: "image"}}
			if err := s.SetParts(m, parts); err != nil {
				return err
			}
			if cap(m.Parts) == len(m.Parts) {
				t.Fatal("no room behind the parts")
			}
			_, err := s.AppendText(m, text(), true)
			return err
		}},
		{"parts of a copy", func(_ *testing.T, s *Store, _ *Message) error {
			return s.Insert(PartsMessage("copy", TextPart(string(text()))))
		}},
		{"encrypted value", func(_ *testing.T, s *Store, m *Message) error {
			return s.SetEncrypted(m, text(), nil, false)
		}},
		{"metadata", func(_ *testing.T, s *Store, m *Message) error {
			return s.MergeMetadata(m, fmt.Appendf(nil, `{"k":"%s"}`, text()))
		}},
		{"arguments", func(t *testing.T, s *Store, m *Message) error {
			_, err := s.AppendArgs(m, mustCall(t, s, m, "c", "f"), text(), true)
			return err
		}},
		{"a call's name", func(t *testing.T, s *Store, m *Message) error {
			mustCall(t, s, m, "c", string(text()))
			return nil
		}},
		{"a name in a patch", func(t *testing.T, s *Store, m *Message) error {
			return patchActivity(t, s, m, fmt.Sprintf(`[{"op":"add","path":"/%s","value":1},{"op":"remove","path":"/%[1]s"}]`, text()))
		}},
		{"a name with an escape in a patch", func(t *testing.T, s *Store, m *Message) error {
			return patchActivity(t, s, m, fmt.Sprintf(`[{"op":"add","path":"/~0%sé","value":1},{"op":"remove","path":"/~0%[1]sé"}]`, text()))
		}},
		{"a long snapshot", func(t *testing.T, s *Store, _ *Message) error {
			if err := snapshot(t, s, 50_000, "first-"); err != nil {
				return err
			}
			if err := snapshot(t, s, 3, "second-"); err != nil {
				return err
			}
			return snapshot(t, s, 3, "third-")
		}},
		{"many calls, and a snapshot without", func(t *testing.T, s *Store, m *Message) error {
			for i := range 50_000 {
				mustCall(t, s, m, fmt.Sprint("c", i), "f")
			}
			return snapshot(t, s, 3, "second-")
		}},
		{"a snapshot beyond the limit", func(t *testing.T, s *Store, _ *Message) error {
			s.MaxMessages = 100
			defer func() { s.MaxMessages = 0 }()
			if err := snapshot(t, s, 50_000, "first-"); err == nil {
				t.Error("no error")
			}
			return nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pool := new(Pool)
			s := NewStore(pool)
			once := func(use func(*testing.T, *Store, *Message) error) {
				m := mustAdd(t, s, RoleAssistant, "m")
				if err := use(t, s, m); err != nil {
					t.Fatal(err)
				}
				s.Reset()
			}
			once(func(*testing.T, *Store, *Message) error { return nil })
			before := heapBytes()
			once(tt.use)
			dropIdleMessages(pool)
			if kept := heapBytes() - before; kept > 256<<10 {
				t.Errorf("%d bytes stay", kept)
			}
			runtime.KeepAlive(pool)
			runtime.KeepAlive(s)
		})
	}
}

// dropIdleMessages leaves of what is idle only a few: that many small ones stay for a while is meant to be so.
func dropIdleMessages(p *Pool) {
	few := p.messages.messages.items[:min(100, len(p.messages.messages.items))]
	p.messages.messages.items = append([]*Message(nil), few...)
	p.messages.calls = freeList[*ToolCall]{}
	p.messages.callLists = freeList[[]*ToolCall]{}
}

func patchActivity(t *testing.T, s *Store, m *Message, patch string) error {
	t.Helper()
	if err := s.SetActivity(m, []byte(`{"a":1}`)); err != nil {
		return err
	}
	p := new(Patch)
	if err := p.Parse([]byte(patch)); err != nil {
		return err
	}
	defer func() {
		s.pool.doc.texts = [docTextClasses]freeList[*byte]{} // meant to stay for a while
	}()
	return m.Activity.Apply(p)
}

// The buffers of documents that are held as texts are forgotten too, when no message ever comes.
func TestTextsOfDocumentsAreForgotten(t *testing.T) {
	pool := new(Pool)
	text := []byte(wideJSON(1800))
	burst := make([]*Document, 4096)
	for i := range burst {
		burst[i] = NewDocument(pool)
		if err := burst[i].Set(text); err != nil {
			t.Fatal(err)
		}
		if len(burst[i].flat) == 0 {
			t.Fatal("the document is a tree")
		}
	}
	for _, d := range burst {
		d.Reset()
	}
	held := pool.messages.text.bytes
	if held < len(burst)*len(text) {
		t.Fatalf("the pool keeps %d bytes", held)
	}
	d := NewDocument(pool)
	for range 5 * freeEpoch {
		if err := d.Set([]byte(`{"a":1}`)); err != nil {
			t.Fatal(err)
		}
		d.Reset()
	}
	if got := pool.messages.text.bytes; got > held/8 {
		t.Errorf("the pool keeps %d bytes of %d", got, held)
	}
}

// A document serves the next message only as a new one would: with the standard limits, and from this pool's memory.
func TestDocumentsComeBackAsNew(t *testing.T) {
	pool, other := new(Pool), new(Pool)
	s := NewStore(pool)
	m := mustAdd(t, s, RoleActivity, "m")
	if err := s.SetActivity(m, []byte(`{"a":[[]]}`)); err != nil {
		t.Fatal(err)
	}
	m.Activity.MaxDepth, m.Activity.MaxBytes, m.Activity.MaxOps, m.Activity.MaxCopyBytes = 3, 100, 1, 1
	s.Reset()
	list, err := (&Enforcer{Pool: other}).Messages([]byte(`[{"id":"x","role":"activity","activityType":"t","content":{}}]`), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ApplySnapshot(list); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	for range 3 {
		d := pool.takeDocument()
		if d.pool != pool {
			t.Error("a document's parts come from another pool, which another goroutine may use")
		}
		if d.MaxDepth != 0 || d.MaxBytes != 0 || d.MaxOps != 0 || d.MaxCopyBytes != 0 {
			t.Errorf("a document has the limits of the one before: %+v", d)
		}
	}
}

// A copy is whole even where its original is nested deeper than the standard allows.
func TestDeepActivityIsCopied(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", DefaultDocumentDepth) + strings.Repeat("]", DefaultDocumentDepth) + "}"
	m := &Message{ID: "m", Role: RoleActivity, Activity: NewDocument(nil)}
	m.Activity.MaxDepth = 2 * DefaultDocumentDepth
	if err := m.Activity.Set([]byte(deep)); err != nil {
		t.Fatal(err)
	}
	if got := string(m.Clone().Activity.AppendJSON(nil)); got != deep {
		t.Errorf("the copy is %s", got)
	}
}
