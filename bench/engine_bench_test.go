package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/shard"
)

var errRefused = errors.New("refused")

// fleet is streams of an engine that are in flight together, each write of one followed by one of the next. They are at
// different places of their runs, as streams that began at different times are: while one ends and the next one takes its
// place, others are in their middle.
type fleet struct {
	eng    *engine.Engine
	bodies []Body
	runs   int
	chunk  int // bytes a write; 0: an event
	reels  []*reel
	keys   []string
	live   []slot
	done   sync.WaitGroup
}

// slot is where one of the streams in flight is.
type slot struct {
	stream *engine.Stream // nil: the next write opens one
	write  int            // the next one
}

// HandleUpdate reads every delta, on the shards.
func (f *fleet) HandleUpdate(_ *engine.Stream, u engine.Update) {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		f.read(u.Delta)
	case *engine.ReasoningUpdate:
		f.read(u.Delta)
	case *engine.Done:
		f.done.Done()
	}
}

// read copies a delta as far as a handler's own buffer goes.
func (f *fleet) read(delta string) {
	var buf [64]byte
	for len(delta) > 0 {
		delta = delta[copy(buf[:], delta):]
	}
}

// newFleet makes an engine of so many shards, 0 for one a CPU.
func newFleet(tb testing.TB, bodies []Body, runs, shards, chunk int) *fleet {
	tb.Helper()
	f := &fleet{bodies: bodies, runs: runs, chunk: chunk, live: make([]slot, runs)}
	eng, err := engine.New(engine.Config{Handler: f, Shards: shards})
	if err != nil {
		tb.Fatal(err)
	}
	f.eng = eng
	tb.Cleanup(func() {
		f.done.Add(runs) // for the runs that Shutdown ends
		if err := eng.Shutdown(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	for i := range bodies {
		r, err := newReel(bodies[i], chunk, engine.Loud, false)
		if err != nil {
			tb.Fatal(err)
		}
		f.reels = append(f.reels, r)
	}
	for i := range runs {
		f.keys = append(f.keys, strconv.Itoa(i))
	}
	return f
}

// spread gives each feeder's streams keys of its own shard; feeders and shards must be as many.
func (f *fleet) spread(shards int) error {
	set := shard.New(shard.Config{Workers: shards})
	for k, next := 0, 0; k < f.runs; next++ {
		if key := strconv.Itoa(next); set.WorkerOf(key) == k%shards {
			f.keys[k] = key
			k++
		}
	}
	return set.Shutdown(context.Background())
}

// work is what one fly does.
func (f *fleet) work() Work {
	var w Work
	for i := range f.runs {
		r := f.reels[i%len(f.reels)]
		w = w.plus(Work{int64(len(r.offsets)), int64(len(r.Bytes))})
	}
	return w
}

// launch opens the streams and brings each to its place.
func (f *fleet) launch() error {
	for k := range f.live {
		for range k / len(f.reels) % f.reels[k%len(f.reels)].writes() {
			if err := f.advance(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// fly feeds each stream as much as a body, from as many goroutines as there are CPUs, and waits until all of it is
// handled: each run in flight is taken to its end, and the one that follows it to where that was.
func (f *fleet) fly() error {
	f.done.Add(f.runs)
	n := min(runtime.GOMAXPROCS(0), f.runs)
	faults := make(chan error, n)
	for i := range n {
		go func() { faults <- f.feed(i, n) }()
	}
	var fault error
	for range n {
		fault = errors.Join(fault, <-faults)
	}
	if fault == nil {
		f.done.Wait()
		for f.eng.Stats().Shards.Total().Waiting > 0 {
			runtime.Gosched()
		}
	}
	return fault
}

// feed does its part of the streams: every n-th, from the i-th on.
func (f *fleet) feed(i, n int) error {
	for write, more := 0, true; more; write++ {
		more = false
		for k := i; k < f.runs; k += n {
			if write >= f.reels[k%len(f.reels)].writes() {
				continue
			}
			more = true
			if err := f.advance(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// advance does the next write of a stream, which it opens before the first and closes after the last.
func (f *fleet) advance(k int) error {
	at, r := &f.live[k], f.reels[k%len(f.reels)]
	if at.stream == nil {
		s, err := f.eng.Open(f.keys[k], engine.StreamOptions{})
		if err != nil {
			return err
		}
		at.stream = s
	}
	start := at.write * f.chunk
	if f.chunk == 0 && at.write > 0 {
		start = r.cuts[at.write-1]
	}
	if _, err := at.stream.Write(r.Bytes[start:r.end(start, at.write)]); err != nil {
		return err
	}
	if at.write++; at.write < r.writes() {
		return nil
	}
	stream := at.stream
	*at = slot{}
	return stream.Close()
}

func benchmarkFleet(b *testing.B, bodies []Body, runs, shards, chunk int) {
	b.Helper()
	f := newFleet(b, bodies, runs, shards, chunk)
	if err := f.launch(); err != nil {
		b.Fatal(err)
	}
	report(b, f.work(), f.fly)
}

// BenchmarkEngineRuns is the sharded engine, opening, feeding and mailboxes included, by the number of runs that are in
// flight at once. With -cpu 1 it is what one core does with all of that.
func BenchmarkEngineRuns(b *testing.B) {
	bodies, _ := someBodies(b, "mixed", brief(200, 5))
	for _, chunk := range []struct {
		name  string
		bytes int
	}{{"4KiB", 4 << 10}, {"event", 0}} {
		for _, runs := range []int{1, 100, 2000, 10_000} {
			b.Run(fmt.Sprintf("write=%s/runs=%d", chunk.name, runs), func(b *testing.B) {
				benchmarkFleet(b, bodies, runs, 0, chunk.bytes)
			})
		}
	}
}

// BenchmarkEngineShards is the same by the number of shards.
func BenchmarkEngineShards(b *testing.B) {
	bodies, _ := someBodies(b, "mixed", brief(200, 5))
	for _, shards := range []int{1, 2, 4, 16} {
		b.Run(fmt.Sprintf("shards=%d", shards), func(b *testing.B) { benchmarkFleet(b, bodies, 2000, shards, 4<<10) })
	}
}

// BenchmarkEngineScaling is two shards on two CPUs against one on one, by turns, each fed by a goroutine of its own: the
// metric is how many times as fast they are.
func BenchmarkEngineScaling(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("there is one CPU")
	}
	bodies, _ := someBodies(b, "mixed", brief(200, 5))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	const runs = 2000
	var all []Contestant
	var work Work
	for _, cpus := range []int{1, 2} {
		f := newFleet(b, bodies, runs, cpus, 4<<10)
		if err := errors.Join(f.spread(cpus), f.launch()); err != nil {
			b.Fatal(err)
		}
		work = f.work()
		all = append(all, Contestant{strconv.Itoa(cpus), func(int) error {
			if runtime.GOMAXPROCS(0) != cpus {
				runtime.GOMAXPROCS(cpus)
			}
			return f.fly()
		}})
	}
	times := 0.0
	for b.Loop() {
		scores, err := Alternate(context.Background(), all, AlternateOptions{
			Units: []Work{work}, Slice: time.Millisecond, For: time.Duration(brief(3000, 1)) * time.Millisecond,
		})
		if err != nil {
			b.Fatal(err)
		}
		times = scores[1].Speedup(&scores[0])
		b.ReportMetric(scores[1].EventsPerSecond(), "events/s")
		b.ReportMetric(scores[1].AllocsPerEvent(), "allocs/event")
		b.ReportMetric(scores[1].MBPerSecond(), "MB/s")
	}
	b.ReportMetric(0, "ns/op") // it is how long the turns were set to
	b.ReportMetric(times, "x-of-one")
}

// BenchmarkEngineWorkload is the same by workload.
func BenchmarkEngineWorkload(b *testing.B) {
	for _, name := range Workloads() {
		if name == CapturesWorkload {
			continue // some of its runs never end by themselves
		}
		bodies, _ := someBodies(b, name, brief(100, 5))
		b.Run(name, func(b *testing.B) { benchmarkFleet(b, bodies, 500, 0, 4<<10) })
	}
}
