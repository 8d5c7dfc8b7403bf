//go:build !race && !aguipoison

package state

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fastest is the shortest of several measurements: on a busy machine only that one is about the code.
func fastest(n int, f func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range n {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// ratioBelow tries again where the machine was busy.
func ratioBelow(t *testing.T, limit float64, measure func() float64) {
	t.Helper()
	best := measure()
	for range 4 {
		if best < limit {
			return
		}
		best = min(best, measure())
	}
	if best >= limit {
		t.Errorf("the ratio is %.2f, the limit %.2f", best, limit)
	}
}

func TestDeltaCostIsFreeOfHistory(t *testing.T) { // M03
	run := func(history int) time.Duration {
		s := NewStore(new(Pool))
		for i := range history {
			mustAdd(t, s, RoleUser, fmt.Sprint("m", i))
		}
		id, delta := []byte(fmt.Sprint("m", history/2)), []byte("x")
		return fastest(5, func() {
			for range 10_000 {
				if _, err := s.AppendText(s.Find(id), delta, true); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	ratioBelow(t, 1.5, func() float64 { return float64(run(1000)) / float64(run(10)) })
}

func TestArgumentCostIsLinear(t *testing.T) { // M04
	run := func(deltas int) float64 {
		d := fastest(5, func() {
			s := NewStore(nil)
			m := mustAdd(t, s, RoleAssistant, "m")
			c := mustCall(t, s, m, "c", "f")
			delta := []byte("x")
			for range deltas {
				if _, err := s.AppendArgs(m, c, delta, true); err != nil {
					t.Fatal(err)
				}
			}
		})
		return float64(d) / float64(deltas)
	}
	ratioBelow(t, 3, func() float64 { return run(100_000) / run(5_000) })
}

func TestSnapshotCostIsLinear(t *testing.T) {
	run := func(n int) float64 {
		s := NewStore(nil)
		list := func() []*Message {
			var list []*Message
			for i := range n {
				m := NewMessage(RoleAssistant, fmt.Sprint("m", i), "text")
				m.ToolCalls = []*ToolCall{NewToolCall(fmt.Sprint("c", i), "f", "")}
				list = append(list, m)
			}
			return list
		}
		d := time.Duration(1<<63 - 1)
		for range 4 {
			l := list()
			start := time.Now()
			if err := s.ApplySnapshot(l); err != nil {
				t.Fatal(err)
			}
			d = min(d, time.Since(start))
		}
		return float64(d) / float64(n)
	}
	// The larger one misses the caches; a quadratic one would be at 20.
	ratioBelow(t, 8, func() float64 { return run(10_000) / run(500) })
}

func TestWideObjectsAreReadInLinearTime(t *testing.T) {
	run := func(n int) float64 {
		raw := []byte(`[{"id":"m","role":"user","content":"x","metadata":{"k":0`)
		for i := range n {
			raw = fmt.Appendf(raw, `,"k%d":1`, i)
		}
		raw = append(raw, '}')
		for i := range n {
			raw = fmt.Appendf(raw, `,"u%d":1,"id":"m"`, i)
		}
		raw = append(raw, "}]"...)
		e := &Enforcer{}
		return float64(fastest(4, func() {
			if _, err := e.Messages(raw, ""); err != nil {
				t.Fatal(err)
			}
		})) / float64(n)
	}
	ratioBelow(t, 8, func() float64 { return run(10_000) / run(500) })
}

func TestDeltasDontAllocate(t *testing.T) {
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleAssistant, "m")
	c := mustCall(t, s, m, "c", "f")
	r := mustAdd(t, s, RoleReasoning, "r")
	id, reasoningID, callID := []byte("m"), []byte("r"), []byte("c")
	plain, escaped := []byte("delta"), []byte(`d\u00e9\ud83d`)
	// Room as a warm buffer has it: growth is paid once for many deltas.
	for _, buf := range []*[]byte{&m.text, &r.text, &c.args} {
		*buf = make([]byte, 0, 1<<20)
	}
	got := testing.AllocsPerRun(1000, func() {
		for range 2 {
			_, err1 := s.AppendText(s.Find(id), plain, true)
			_, err2 := s.AppendText(s.Find(reasoningID), escaped, false)
			on, call := s.FindCall(callID)
			_, err3 := s.AppendArgs(on, call, escaped, false)
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
		}
		s.FlushText(r)
		s.FlushArgs(m, c)
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestARunThroughAWarmPoolDoesNotAllocate(t *testing.T) {
	pool := new(Pool)
	s := NewStore(pool)
	ids := make([][]byte, 20)
	for i := range ids {
		ids[i] = []byte(fmt.Sprint("message-", i))
	}
	delta, name := []byte("some text "), []byte("tool")
	run := func() {
		for _, id := range ids {
			m, err := s.Add(RoleAssistant, id)
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.AddCall(m, id, name)
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				_, err1 := s.AppendText(m, delta, true)
				_, err2 := s.AppendArgs(m, c, delta, true)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
			}
		}
		s.Reset()
	}
	run()
	if got := testing.AllocsPerRun(20, run); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

// Small patches on documents held as texts cost little more than the same on trees, whatever the text.
func TestPatchesOfTextsCostLittle(t *testing.T) {
	list := func(item string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	const toEnd = `{"op":"move","from":"/1","path":"/-"}`
	deep, names := strings.Repeat("[", 900)+strings.Repeat("]", 900), strings.TrimSuffix(objectJSON(31), "}")
	for _, c := range []struct{ name, doc, patch string }{
		{"the end of numbers", list("1", 1000), list(`{"op":"add","path":"/-","value":1},{"op":"remove","path":"/0"}`, docFlatOps/2)},
		{"arrays", list("[]", 680), list(toEnd, docFlatOps)},
		{"objects behind a brace in a string", `["{",` + list("{}", 680)[1:], list(toEnd, docFlatOps)},
		{"nested ones", list(`[[[]]]`, 280), list(toEnd, docFlatOps)},
		{"what lies deep", deep, list(`{"op":"test","path":"`+strings.Repeat("/0", 899)+`","value":[]}`, docFlatOps)},
		{"a test of all", list("[]", 680), list(`{"op":"test","path":"","value":`+list("[]", 680)+`}`, docFlatOps)},
		{"a test of all, written otherwise", list("10", 680), list(`{"op":"test","path":"","value":`+list("1e1", 680)+`}`, docFlatOps)},
		{"the last name", names + `,"end":0}`, list(`{"op":"replace","path":"/end","value":1}`, docFlatOps)},
		{"one that fails at last", list("[]", 680), list(toEnd, docFlatOps-1)[:(docFlatOps-1)*(len(toEnd)+1)] + `,{"op":"remove","path":"/x"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Patch
			if err := p.Parse([]byte(c.patch)); err != nil || len(p.ops) != docFlatOps {
				t.Fatalf("%d operations, %v", len(p.ops), err)
			}
			d := NewDocument(new(Pool))
			took := func(tree bool) float64 {
				return float64(fastest(100, func() {
					if err := d.Set([]byte(c.doc)); err != nil {
						t.Fatal(err)
					}
					if len(d.flat) == 0 {
						t.Fatal("the document is a tree")
					}
					if tree {
						d.tree()
					}
					_ = d.Apply(&p)
				}))
			}
			ratioBelow(t, 6, func() float64 {
				text, tree := took(false), took(true)
				t.Logf("%.0f µs, as a tree %.0f µs", text/1e3, tree/1e3)
				return text / tree
			})
		})
	}
}
