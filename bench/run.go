package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aguistream/aguistream/engine"
)

// Defaults of RunOptions.
const (
	DefaultRuns     = 2000
	DefaultDuration = 10 * time.Second
	maxRuns         = 1_000_000
)

// RunOptions shape Run. The zero value keeps DefaultRuns streams in flight for DefaultDuration, one event a write, as
// fast as it goes; only Bodies must be given.
type RunOptions struct {
	Workload string // name for the reports
	Bodies   []Body // taken in turn
	Runs     int    // streams in flight at once
	Total    int64  // streams to run; 0: as many as Duration allows
	Duration time.Duration
	Shards   int // 0: one per CPU
	Chunk    int // bytes a write; 0: about one event
	Rules    engine.Rules
	// Rate is how many runs are started a second on average; 0 is as fast as it goes. All Runs are in flight from the
	// beginning; it is the writes that are spaced out.
	Rate  float64
	Check bool // compare every stream's stores with those of the plain pipeline
	// Live, if set, is where a line of progress is drawn over and over.
	Live io.Writer
}

// Run feeds bodies to an engine, very many at once, and measures. When ctx is over it starts no more, gives up those
// in flight, and reports what was done so far. The error says that the run could not be made; what the streams did, and
// whether the counts balanced and the stores were right, is in the Result.
func Run(ctx context.Context, opt RunOptions) (*Result, error) {
	r, err := newRunner(opt)
	if err != nil {
		return nil, err
	}
	eng, err := engine.New(engine.Config{
		Handler: r, Shards: r.opt.Shards,
		OnPanic: func(_ *engine.Stream, err *engine.PanicError) { r.give(fmt.Errorf("panic on a shard: %w", err)) },
	})
	if err != nil {
		return nil, err
	}
	r.eng = eng
	r.measure(ctx)
	if err := eng.Shutdown(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	if r.fault != nil {
		return nil, r.fault
	}
	return r.result(), nil
}

// runner is one Run under way.
type runner struct {
	opt     RunOptions
	eng     *engine.Engine
	reels   []*reel
	flights []flight
	idle    chan *flight // flights without a stream
	clock   func() int64

	started  atomic.Int64
	stopping atomic.Bool // no more streams are started, no more times taken
	cutting  atomic.Bool // those in flight are given up
	ending   sync.WaitGroup

	bytesFed atomic.Int64

	mu      sync.Mutex
	sum     totals
	latency *hdrhistogram.Histogram // ns
	fault   error

	began, ended time.Time
	usage        usage
}

// totals add up the streams that are over.
type totals struct {
	runs, short       int64
	bytes, updates    int64
	ends              [engine.Cancelled + 1]int64
	errors            [engine.KindConfig + 1]int64
	events            balance
	unbalanced        int64
	checked, mismatch int64
	differences       []string // the first few
}

// Latencies from 1 ns to a minute, three digits.
const (
	maxLatency    = int64(time.Minute)
	latencyDigits = 3
)

func newRunner(opt RunOptions) (*runner, error) {
	if len(opt.Bodies) == 0 {
		return nil, errors.New("no bodies to run")
	}
	if opt.Runs <= 0 {
		opt.Runs = DefaultRuns
	}
	if opt.Runs > maxRuns {
		return nil, fmt.Errorf("%d runs in flight are over %d", opt.Runs, maxRuns)
	}
	if opt.Total > 0 && opt.Total < int64(opt.Runs) {
		opt.Runs = int(opt.Total)
	}
	if opt.Total <= 0 && opt.Duration <= 0 {
		opt.Duration = DefaultDuration
	}
	if opt.Shards <= 0 {
		opt.Shards = runtime.GOMAXPROCS(0)
	}
	r := &runner{opt: opt, clock: stopwatch(), latency: hdrhistogram.New(1, maxLatency, latencyDigits)}
	for _, b := range opt.Bodies {
		made, err := newReel(b, opt.Chunk, opt.Rules, opt.Check)
		if err != nil {
			return nil, err
		}
		r.reels = append(r.reels, made)
	}
	// A stream that is being ended makes room for the next one, so that those in flight are all being fed.
	r.flights = make([]flight, opt.Runs+opt.Runs/4+feeders(opt.Runs))
	r.idle = make(chan *flight, len(r.flights))
	for i := range r.flights {
		r.flights[i] = newFlight(i)
		r.idle <- &r.flights[i]
	}
	return r, nil
}

// feeders is how many goroutines feed: as many as can run, not one a stream.
func feeders(runs int) int { return min(runtime.GOMAXPROCS(0), runs) }

// measure runs it all, from the first stream opened to the last one ended.
func (r *runner) measure(ctx context.Context) {
	live := r.watch()
	// What was garbage before is nobody's cost here.
	runtime.GC()
	before := readUsage()
	r.began = time.Now()
	var deadline <-chan time.Time
	if r.opt.Duration > 0 {
		timer := time.NewTimer(r.opt.Duration)
		defer timer.Stop()
		deadline = timer.C
	}
	fed := make(chan struct{})
	go func() {
		r.feedAll()
		r.ending.Wait()
		close(fed)
	}()
	select {
	case <-fed:
	case <-deadline:
		r.stopping.Store(true)
		r.drain(ctx, fed)
	case <-ctx.Done():
		r.stopping.Store(true)
		r.cutting.Store(true)
		<-fed
	}
	r.ended = time.Now()
	r.usage = readUsage().since(before)
	live()
}

// drain waits for the streams in flight, but not for ever: what has long to go is cut.
func (r *runner) drain(ctx context.Context, fed <-chan struct{}) {
	patience := time.NewTimer(max(2*time.Second, r.opt.Duration/2))
	defer patience.Stop()
	select {
	case <-fed:
		return
	case <-patience.C:
	case <-ctx.Done():
	}
	r.cutting.Store(true)
	<-fed
}

// HandleUpdate makes the runner the engine's handler.
func (r *runner) HandleUpdate(s *engine.Stream, u engine.Update) {
	s.Data().(*flight).update(s, u, r.clock, r.opt.Check)
}

// give keeps the first fault that broke the run itself.
func (r *runner) give(err error) {
	r.mu.Lock()
	if r.fault == nil {
		r.fault = err
	}
	r.mu.Unlock()
	r.stopping.Store(true)
	r.cutting.Store(true)
}

// finish ends a stream and adds it up.
func (r *runner) finish(f *flight) {
	defer r.ending.Done()
	if err := f.end(context.Background(), r.opt.Check); err != nil {
		r.give(fmt.Errorf("%s: ending a stream: %w", f.reel.Name, err))
	}
	same := !r.opt.Check || f.short || f.reel.same(f.stores)
	r.mu.Lock()
	r.sum.add(f, r.opt.Check, same)
	for _, ns := range f.stamps[:f.heard] {
		if ns > 0 {
			_ = r.latency.RecordValue(min(ns, maxLatency)) // it is in range now
		}
	}
	r.mu.Unlock()
	f.stream = nil
	r.idle <- f
}

// shownDifferences bounds how many stores are shown that differ.
const shownDifferences = 5

func (t *totals) add(f *flight, check, same bool) {
	b := f.balance()
	if !b.holds() {
		t.unbalanced++
	}
	t.events = t.events.plus(b)
	t.updates += f.updates
	for i, n := range f.errors {
		t.errors[i] += n
	}
	if f.short {
		t.short++
		t.bytes += int64(f.pos)
		return
	}
	t.runs++
	t.bytes += int64(len(f.reel.Bytes))
	for i, n := range f.ends {
		t.ends[i] += n
	}
	if !check {
		return
	}
	t.checked++
	if same {
		return
	}
	t.mismatch++
	if len(t.differences) < shownDifferences {
		t.differences = append(t.differences, f.reel.difference(f.stores))
	}
}
