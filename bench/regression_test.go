//go:build !race && !aguipoison

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
)

// These tests hold what noise can't move: quotients of what is timed by turns in one process, with air between them and
// what an idle machine gives, and counts of allocations. What must be reached on an idle machine is in README.md.

// attempts is how often something is measured before it counts as missed: a machine is busy for a while, code is slow
// for ever.
const attempts = 5

// reaches tries to measure at least least.
func reaches(t *testing.T, least float64, measure func() float64) {
	t.Helper()
	best := 0.0
	for range attempts {
		if best = max(best, measure()); best >= least {
			t.Logf("%.3g, at least %.3g", best, least)
			return
		}
	}
	t.Errorf("%.3g, at least %.3g", best, least)
}

// staysBelow tries to measure at most most.
func staysBelow(t *testing.T, most float64, measure func() float64) {
	t.Helper()
	best := measure()
	for i := 1; i < attempts && best > most; i++ {
		best = min(best, measure())
	}
	t.Logf("%.3g, at most %.3g", best, most)
	if best > most {
		t.Errorf("%.3g, at most %.3g", best, most)
	}
}

func TestEngineKeepsItsLead(t *testing.T) {
	cases := []struct {
		workload       string
		tokens, bodies int
		toPlain        float64 // the engine's speed by plain's
		toFloor        float64 // and by the floor's; 0 where nothing is asked
	}{
		{"mixed", 0, 12, 10, 1. / 14},
		{"chat", 0, 12, 8, 1. / 8},
		{"tools", 0, 12, 6, 0},
		{"reasoning", 0, 12, 6, 0},
		{"subagents", 0, 12, 6, 0},
		{"state", 30, 4, 20, 0}, // plain takes long over it
	}
	for _, c := range cases {
		t.Run(c.workload, func(t *testing.T) {
			bodies, err := CompareBodies(c.workload, 1, c.tokens)
			if err != nil {
				t.Fatal(err)
			}
			bodies = bodies[:c.bodies]
			var toPlain, toFloor []float64
			for range attempts {
				r, err := Compare(t.Context(), CompareOptions{Bodies: bodies, For: 250 * time.Millisecond, Slice: 10 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				if !r.Equal {
					t.Fatalf("the stores differ: %s", strings.Join(r.Differences, "\n"))
				}
				toPlain, toFloor = append(toPlain, r.Ratio.EngineToPlain), append(toFloor, r.Ratio.EngineToFloor)
				if r.Ratio.EngineToPlain >= c.toPlain && r.Ratio.EngineToFloor >= c.toFloor {
					t.Logf("%.1f x plain, 1/%.1f of the floor, %.4f allocations an event",
						r.Ratio.EngineToPlain, 1/r.Ratio.EngineToFloor, r.Row(engineRow).AllocsPerEvent)
					return
				}
			}
			t.Errorf("%.2f x plain, at least %.2f; %.4f of the floor, at least %.4f", toPlain, c.toPlain, toFloor, c.toFloor)
		})
	}
}

// plain must stay worth being compared with.
func TestPlainIsAnHonestBaseline(t *testing.T) {
	bodies, err := CompareBodies("chat", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	reaches(t, 0.5, func() float64 {
		r, err := Compare(t.Context(), CompareOptions{Bodies: bodies, For: 200 * time.Millisecond, Slice: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return r.Ratio.PlainToUnmarshal
	})
}

// TestAllocations counts, once the pools are warm, what a run allocates, and what its events do beside that: runs of
// two lengths, both long enough for all that a run of the workload may end with, tell them apart.
func TestAllocations(t *testing.T) {
	cases := []struct {
		workload string
		run      float64 // allocations of one run, whatever its length
		event    float64 // of one event
	}{
		{"chat", 16, 0.001},
		{"tools", 32, 0.001},
		{"state", 16, 0.001},
		{"reasoning", 16, 0.001},
		{"subagents", 40, 0.001},
		{"mixed", 24, 0.001},
	}
	for _, c := range cases {
		t.Run(c.workload, func(t *testing.T) {
			var perRun, perEvent float64
			for range attempts { // other goroutines allocate too
				shortEvents, shortAllocs := allocationsOfRuns(t, c.workload, 1000)
				longEvents, longAllocs := allocationsOfRuns(t, c.workload, 4000)
				perEvent = (longAllocs - shortAllocs) / (longEvents - shortEvents)
				perRun = shortAllocs - max(perEvent, 0)*shortEvents
				if perRun <= c.run && perEvent <= c.event {
					break
				}
			}
			t.Logf("%.2f allocations a run, %.5f an event", perRun, perEvent)
			if perRun > c.run || perEvent > c.event {
				t.Errorf("%.2f allocations a run, at most %v; %.5f an event, at most %v", perRun, c.run, perEvent, c.event)
			}
		})
	}
}

// allocationsOfRuns gives the events and the allocations of a run on average, over 100,000 events or so.
func allocationsOfRuns(t *testing.T, name string, tokens int) (events, allocs float64) {
	t.Helper()
	bodies, work := someBodies(t, name, tokens)
	var d deltas
	pass := func() {
		for _, b := range bodies {
			if err := d.engine(b, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for events := 0.0; events < 1e6; events += float64(work.Events) { // which message gets which buffers settles slowly
		pass()
	}
	passes := max(1, int(100_000/work.Events))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range passes {
		pass()
	}
	runtime.ReadMemStats(&after)
	runs := float64(passes * len(bodies))
	return float64(work.Events) * float64(passes) / runs, float64(after.Mallocs-before.Mallocs) / runs
}

// primed is a stream that has been fed a beginning, and the bytes that are fed again and again.
type primed struct {
	stream *engine.Stream
	again  []byte
}

func (p *primed) do(int) error {
	_, err := p.stream.Write(p.again)
	return err
}

func frameOf(event string) string { return "data: " + event + "\n\n" }

func prime(t *testing.T, beginning string, again string) *primed {
	t.Helper()
	d := new(deltas)
	s, err := engine.NewStream(d, engine.StreamOptions{Pool: &d.pool})
	if err != nil {
		t.Fatal(err)
	}
	p := &primed{s, []byte(again)}
	if _, err := s.Write([]byte(frameOf(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`) + beginning)); err != nil {
		t.Fatal(err)
	}
	if err := p.do(0); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCostDoesNotGrow holds an event's cost against what the stream holds already.
func TestCostDoesNotGrow(t *testing.T) {
	message := func(id string) string {
		return frameOf(`{"type":"TEXT_MESSAGE_START","messageId":"`+id+`","role":"assistant"}`) +
			frameOf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"`+id+`","delta":"a word or two"}`) +
			frameOf(`{"type":"TEXT_MESSAGE_END","messageId":"`+id+`"}`)
	}
	history := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(message(fmt.Sprint("m", i)))
		}
		return b.String()
	}
	const open = `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}`
	delta := frameOf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":" token"}`)
	stateOf := func(document string) string { return frameOf(`{"type":"STATE_SNAPSHOT","snapshot":` + document + `}`) }
	patch := func(ops string) string { return frameOf(`{"type":"STATE_DELTA","delta":[` + ops + `]}`) }
	replace := strings.Repeat(patch(`{"op":"replace","path":"/meta/version","value":17}`), 100)
	member := func(n int) string {
		return strings.Repeat(patch(fmt.Sprintf(`{"op":"replace","path":"/member-%d","value":17}`, n/2)), 100)
	}
	push := func(n int) string {
		return strings.Repeat(patch(`{"op":"add","path":"/items/-","value":17}`)+patch(fmt.Sprintf(`{"op":"remove","path":"/items/%d"}`, n)), 50)
	}
	cases := []struct {
		name         string
		small, large *primed
		most         float64 // an idle machine: 1.2 for text, 2 for patches
	}{
		{"a delta with 10,000 messages held against 10", prime(t, history(10)+frameOf(open), strings.Repeat(delta, 500)),
			prime(t, history(10_000)+frameOf(open), strings.Repeat(delta, 500)), 1.3},
		{"a patch of one member in 1 MiB against 1 KiB", prime(t, stateOf(recordsDocument(1<<10)), replace),
			prime(t, stateOf(recordsDocument(1<<20)), replace), 2},
		{"a patch of one member in 1 MiB against 8 KiB", prime(t, stateOf(recordsDocument(8<<10)), replace),
			prime(t, stateOf(recordsDocument(1<<20)), replace), 2},
		{"an add at the end of 100,000 items against 10", prime(t, stateOf(arrayDocument(10)), push(10)),
			prime(t, stateOf(arrayDocument(100_000)), push(100_000)), 2},
		{"a member among 10,000 against 10", prime(t, stateOf(objectDocument(10)), member(10)),
			prime(t, stateOf(objectDocument(10_000)), member(10_000)), 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			staysBelow(t, c.most, func() float64 { return speedup(t, c.small.do, c.large.do, 100*time.Millisecond) })
		})
	}
}

// TestDeltaCostIsFreeOfText holds a delta at the end of a 1 MiB message against one of an empty message. Both grow while
// they are timed, so they are made anew each time.
func TestDeltaCostIsFreeOfText(t *testing.T) {
	const deltas = 2000
	open := frameOf(`{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}`)
	again := strings.Repeat(frameOf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":" token"}`), deltas)
	long := frameOf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"` + strings.Repeat("x", 1<<20) + `"}`)
	took := func(beginning string) float64 {
		p := prime(t, beginning, again)
		began := time.Now()
		if err := p.do(0); err != nil {
			t.Fatal(err)
		}
		return float64(time.Since(began))
	}
	staysBelow(t, 1.3, func() float64 { // an idle machine: 1.2
		var quotients []float64
		for range 25 {
			small, large := took(open), took(open+long)
			quotients = append(quotients, large/small)
		}
		return median(quotients)
	})
}

// speedup is how many times as fast as second first is.
func speedup(t *testing.T, first, second func(int) error, d time.Duration) float64 {
	t.Helper()
	scores, err := Alternate(t.Context(), []Contestant{{"first", first}, {"second", second}},
		AlternateOptions{Units: []Work{{1, 1}}, For: d, Slice: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return scores[0].Speedup(&scores[1])
}

// TestOneByteAtATime holds the worst chunking against a good one.
func TestOneByteAtATime(t *testing.T) {
	body, _ := oneBody(t, "mixed", workload.Options{Seed: 1, Tokens: 500})
	framing := func(chunk int) func(int) error {
		var f decode.Framer
		return func(int) error {
			return pieces(body, chunk, func(p []byte) error {
				f.Feed(p)
				for {
					if _, ok := f.Next(); !ok {
						return f.Err()
					}
				}
			})
		}
	}
	streaming := func(chunk int) func(int) error {
		d := new(deltas)
		return func(int) error {
			s, err := engine.NewStream(d, engine.StreamOptions{Pool: &d.pool})
			if err != nil {
				return err
			}
			defer s.Release()
			if err := pieces(body, chunk, func(p []byte) error { _, err := s.Write(p); return err }); err != nil {
				return err
			}
			return s.Close()
		}
	}
	for _, c := range []struct {
		name string
		of   func(int) func(int) error
		most float64
	}{
		// Framing costs 0.1 ns a byte in large chunks: a hundred calls for a frame's hundred bytes can't come near that.
		{"framer", framing, 48},
		{"stream", streaming, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			staysBelow(t, c.most, func() float64 { return speedup(t, c.of(4<<10), c.of(1), 100*time.Millisecond) })
		})
	}
}

// TestShardedEngineKeepsUp holds the engine with its mailboxes, and feeding them, against bare streams, on one CPU.
func TestShardedEngineKeepsUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	bodies, _ := someBodies(t, "mixed", 0)
	const runs = 2000
	var d deltas
	bare := func(int) error {
		for i := range runs {
			if err := d.engine(bodies[i%len(bodies)], nil); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range []struct {
		name  string
		chunk int
		least float64 // an idle machine: 0.7 and 0.35
	}{{"4 KiB a write", 4 << 10, 0.55}, {"an event a write", 0, 0.3}} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, bodies, runs, 1, c.chunk)
			if err := f.launch(); err != nil {
				t.Fatal(err)
			}
			reaches(t, c.least, func() float64 {
				return speedup(t, func(int) error { return f.fly() }, bare, 500*time.Millisecond)
			})
		})
	}
}

// TestManyRunsInFlight holds 10,000 runs in flight at once against 100 at a time.
func TestManyRunsInFlight(t *testing.T) {
	bodies, _ := someBodies(t, "mixed", 40)
	few, many := newFleet(t, bodies, 100, 0, 4<<10), newFleet(t, bodies, 10_000, 0, 4<<10)
	if err := errors.Join(few.launch(), many.launch()); err != nil {
		t.Fatal(err)
	}
	reaches(t, 0.6, func() float64 { // an idle machine: 0.7
		return speedup(t, func(int) error { return many.fly() }, func(int) error {
			for range many.runs / few.runs {
				if err := few.fly(); err != nil {
					return err
				}
			}
			return nil
		}, 500*time.Millisecond)
	})
}

// heap is what is live on the heap.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// TestIdleStreamsAreSmall holds what an open stream takes beside what it holds.
func TestIdleStreamsAreSmall(t *testing.T) {
	const streams = 10_000
	for _, c := range []struct {
		name string
		body string
	}{
		{"opened", ""},
		{"after a run", frameOf(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`) +
			frameOf(`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`) +
			frameOf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello."}`) +
			frameOf(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`) +
			frameOf(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			eng, err := engine.New(engine.Config{Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) {})})
			if err != nil {
				t.Fatal(err)
			}
			open := make([]*engine.Stream, streams)
			before := heap()
			for i := range open {
				if open[i], err = eng.Open("thread", engine.StreamOptions{}); err != nil {
					t.Fatal(err)
				}
				if _, err := open[i].Write([]byte(c.body)); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range open { // until all is taken
				if err := s.View(context.Background(), func(engine.View) {}); err != nil {
					t.Fatal(err)
				}
			}
			each := (heap() - before) / streams
			t.Logf("%.0f bytes each", each)
			if each > 4<<10 {
				t.Errorf("%.0f bytes each, at most 4096", each)
			}
			if err := eng.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			runtime.KeepAlive(open)
		})
	}
}

// soak is how many times as long TestMemoryStaysFlat runs: 10 makes it the ten million deltas and the million runs that
// the figures speak of.
var soak = max(1, atoi(os.Getenv("AGUISTREAM_SOAK")))

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// TestMemoryStaysFlat runs for long and looks whether anything piles up.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	const air = 1 << 20
	for name, size := range map[string]int{"a million deltas on a state that is held as text": 1 << 10, "a million deltas on a larger one": 8 << 10} {
		t.Run(name, func(t *testing.T) {
			p := prime(t, frameOf(`{"type":"STATE_SNAPSHOT","snapshot":`+recordsDocument(size)+`}`), strings.Repeat(
				frameOf(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/meta/title","value":"Another title"}]}`)+
					frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/note","value":{"a":[1,2]}}]}`)+
					frameOf(`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/note"}]}`), 100))
			staysFlat(t, air, soak*1_000_000/300, func() error { return p.do(0) })
		})
	}
	t.Run("a hundred thousand runs", func(t *testing.T) {
		bodies, _ := someBodies(t, "mixed", 10)
		var d deltas
		staysFlat(t, air, soak*100_000/len(bodies), func() error {
			for _, b := range bodies {
				if err := d.engine(b, nil); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// staysFlat does something often, and holds the heap at the end against that after a tenth.
func staysFlat(t *testing.T, air float64, times int, do func() error) {
	t.Helper()
	early := 0.0
	for i := range times {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if i == times/10 {
			early = heap()
		}
	}
	late := heap()
	t.Logf("%.0f KiB after a tenth, %.0f KiB at the end", early/1024, late/1024)
	if late > early+air {
		t.Errorf("%.0f KiB after a tenth, %.0f KiB at the end", early/1024, late/1024)
	}
}
