//go:build !race && !aguipoison

package state

import (
	"fmt"
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
