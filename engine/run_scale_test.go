package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// W01: a run can't wait for itself. From a handler it is refused, from a transport it doesn't wait in line.
func TestRunInsideARun(t *testing.T) {
	t.Run("from the handler", func(t *testing.T) {
		var eng *engine.Engine
		var inside error
		later := make(chan error, 1)
		eng = newEngine(t, engine.Config{Shards: 1, MaxRuns: 1, Handler: &journal{on: func(s *engine.Stream, u engine.Update) {
			if _, ok := u.(*engine.Done); !ok || s.Key() != "outer" {
				return
			}
			inside = eng.Run(t.Context(), engine.ReplayEvents(runStarted, runFinished), input("inner"), engine.StreamOptions{})
			go func() {
				later <- eng.Run(t.Context(), engine.ReplayEvents(runStarted, runFinished), input("later"), engine.StreamOptions{})
			}()
		}}})
		if err := eng.Run(t.Context(), engine.ReplayEvents(runStarted, runFinished), input("outer"), engine.StreamOptions{}); err != nil {
			t.Error(err)
		}
		if !errors.Is(inside, engine.ErrConfig) {
			t.Errorf("inside the handler: %v", inside)
		}
		if err := <-later; err != nil {
			t.Errorf("beside it: %v", err)
		}
	})
	t.Run("from the transport", func(t *testing.T) {
		eng := newEngine(t, engine.Config{MaxRuns: 1})
		var inside error
		outer := transportFunc(func(ctx context.Context, in *engine.RunAgentInput) (io.ReadCloser, error) {
			inside = eng.Run(ctx, engine.ReplayEvents(runStarted, runFinished), input("inner"), engine.StreamOptions{})
			return engine.ReplayEvents(runStarted, runFinished).Run(ctx, in)
		})
		if err := eng.Run(t.Context(), outer, input("outer"), engine.StreamOptions{}); err != nil {
			t.Error(err)
		}
		if !errors.Is(inside, engine.ErrBusy) {
			t.Errorf("inside the transport: %v", inside)
		}
	})
	t.Run("shutdown from the handler", func(t *testing.T) {
		var eng *engine.Engine
		var inside error
		eng = newEngine(t, engine.Config{Handler: &journal{on: func(*engine.Stream, engine.Update) { inside = eng.Shutdown(t.Context()) }}})
		if err := eng.Run(t.Context(), engine.ReplayEvents(runStarted, runFinished), input("t"), engine.StreamOptions{}); err != nil {
			t.Error(err)
		}
		if !errors.Is(inside, engine.ErrConfig) {
			t.Errorf("Shutdown: %v", inside)
		}
	})
}

// gate is a transport whose runs finish when told.
type gate struct {
	mu   sync.Mutex
	came []string
	open map[string]chan struct{}
}

func (g *gate) Run(ctx context.Context, in *engine.RunAgentInput) (io.ReadCloser, error) {
	c := make(chan struct{})
	g.mu.Lock()
	if g.open == nil {
		g.open = map[string]chan struct{}{}
	}
	g.open[in.ThreadID] = c
	g.came = append(g.came, in.ThreadID)
	g.mu.Unlock()
	select {
	case <-c:
		return engine.ReplayEvents(runStarted, runFinished).Run(ctx, in)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *gate) order() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.came)
}

func (g *gate) finish(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open[key])
}

// Runs beyond MaxRuns wait in line, first come, first served; beyond QueueRuns they are refused.
func TestRunQueue(t *testing.T) {
	g := &gate{}
	eng := newEngine(t, engine.Config{MaxRuns: 2, QueueRuns: 4})
	results := map[string]chan error{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := func(ctx context.Context, key string) {
		results[key] = make(chan error, 1)
		before := eng.Stats()
		go func() { results[key] <- eng.Run(ctx, g, input(key), engine.StreamOptions{}) }()
		eventually(t, key+" in line", func() bool {
			now := eng.Stats()
			return now.Runs+now.Queued == before.Runs+before.Queued+1
		})
	}
	for _, key := range []string{"a", "b"} {
		start(t.Context(), key)
		eventually(t, key+" live", func() bool { return slices.Contains(g.order(), key) })
	}
	start(t.Context(), "c")
	start(ctx, "d")
	start(t.Context(), "e")
	start(t.Context(), "f")
	if err := eng.Run(t.Context(), g, input("g"), engine.StreamOptions{}); err != engine.ErrBusy {
		t.Errorf("a run too many: %v", err)
	}
	if st := eng.Stats(); st.Runs != 2 || st.Queued != 4 {
		t.Errorf("%d live, %d queued", st.Runs, st.Queued)
	}
	cancel()
	if err := <-results["d"]; !errors.Is(err, context.Canceled) {
		t.Errorf("d: %v", err)
	}
	for _, step := range []struct{ done, next string }{{"b", "c"}, {"a", "e"}, {"c", "f"}, {"e", ""}, {"f", ""}} {
		g.finish(step.done)
		if err := <-results[step.done]; err != nil {
			t.Errorf("%s: %v", step.done, err)
		}
		if step.next != "" {
			eventually(t, step.next+" live", func() bool { return slices.Contains(g.order(), step.next) })
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "e", "f"}, g.order()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// One run after the other needs no queue.
func TestRunWithoutAQueue(t *testing.T) {
	eng := newEngine(t, engine.Config{MaxRuns: 1, QueueRuns: -1})
	for range 200 {
		if err := eng.Run(t.Context(), engine.ReplayEvents(runStarted, runFinished), input("t"), engine.StreamOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	g := &gate{}
	live := make(chan error)
	go func() { live <- eng.Run(t.Context(), g, input("a"), engine.StreamOptions{}) }()
	eventually(t, "a live", func() bool { return len(g.order()) == 1 })
	if err := eng.Run(t.Context(), g, input("b"), engine.StreamOptions{}); err != engine.ErrBusy {
		t.Errorf("beside it: %v", err)
	}
	g.finish("a")
	if err := <-live; err != nil {
		t.Error(err)
	}
}

// Shutdown ends live runs at once, and turns away those who wait.
func TestShutdownEndsRuns(t *testing.T) {
	for _, tt := range []struct {
		name string
		tr   engine.Transport
		told []string
	}{
		{"before the answer", &gate{}, failed("transport", "transport error: the engine was shut down")},
		{"before the first byte", hangs(), failed("transport", "transport error: the engine was shut down")},
		{"in the run", hangs(runStarted), failed("transport", "transport error: the engine was shut down (byte 57)")},
		{"between runs", hangs(runStarted, runFinished), []string{"done success"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &journal{}
			eng := newEngine(t, engine.Config{Handler: j, MaxRuns: 1})
			live, waits := make(chan error, 1), make(chan error, 1)
			go func() { live <- eng.Run(t.Context(), tt.tr, input("t"), engine.StreamOptions{}) }()
			eventually(t, "the run is live", func() bool { return eng.Stats().Runs == 1 })
			go func() { waits <- eng.Run(t.Context(), tt.tr, input("u"), engine.StreamOptions{}) }()
			eventually(t, "the other waits", func() bool { return eng.Stats().Queued == 1 })
			time.Sleep(20 * time.Millisecond) // for its bytes to come
			within(t, 2*time.Second, "Shutdown", func() {
				if err := eng.Shutdown(t.Context()); err != nil {
					t.Errorf("Shutdown: %v", err)
				}
			})
			if err := <-live; err != engine.ErrClosed {
				t.Errorf("live run: %v", err)
			}
			if err := <-waits; err != engine.ErrClosed {
				t.Errorf("waiting run: %v", err)
			}
			if err := eng.Run(t.Context(), tt.tr, input("v"), engine.StreamOptions{}); err != engine.ErrClosed {
				t.Errorf("late run: %v", err)
			}
			if diff := cmp.Diff(tt.told, j.of("t")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := j.of("u"); got != nil {
				t.Errorf("the one that waited was told %q", got)
			}
		})
	}
}

// W04: a hundred engines leave nothing, with work queued or without.
func TestEnginesComeAndGo(t *testing.T) {
	frames := engine.Frames(runStarted, runFinished)
	before := runtime.NumGoroutine()
	var done, closed atomic.Int64
	for i := range 100 {
		var told atomic.Int64
		eng, err := engine.New(engine.Config{Shards: 2, MaxRuns: 2, Handler: engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
			if _, ok := u.(*engine.Done); ok {
				told.Add(1)
			}
		})})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var here atomic.Int64
		for k := range 4 {
			wg.Go(func() {
				switch err := eng.Run(t.Context(), engine.ReplayBytes(frames), input(fmt.Sprint(k)), engine.StreamOptions{}); err {
				case nil:
					done.Add(1)
					here.Add(1)
				case engine.ErrClosed:
					closed.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		if i%2 == 0 {
			wg.Wait()
		}
		if err := eng.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if told.Load() < here.Load() {
			t.Fatalf("%d runs done, %d told", here.Load(), told.Load())
		}
	}
	if n := done.Load() + closed.Load(); n != 400 || done.Load() < 200 {
		t.Errorf("%d done, %d refused of 400", done.Load(), closed.Load())
	}
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

// A full mailbox stops the reading: an endless body doesn't grow what is held, and a neighbour isn't hurt.
func TestRunBackPressure(t *testing.T) {
	const mailbox = 64 << 10
	release := make(chan struct{})
	eng := newEngine(t, engine.Config{Shards: 2, MailboxBytes: mailbox, Handler: &journal{on: func(s *engine.Stream, u engine.Update) {
		if s.Key() == "slow" {
			<-release
		}
	}}})
	var written atomic.Int64
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		s := stream(w, r)
		s.events(runStarted, textChunk)
		piece := strings.Repeat(": "+strings.Repeat("x", 1000)+"\n", 32)
		for r.Context().Err() == nil {
			s.raw(piece)
			written.Add(int64(len(piece)))
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	slow := make(chan error, 1)
	go func() { slow <- eng.Run(ctx, over(t, srv.URL), input("slow"), engine.StreamOptions{}) }()
	var last int64
	eventually(t, "the sender stands still", func() bool {
		time.Sleep(50 * time.Millisecond)
		was := last
		last = written.Load()
		return last > 0 && last == was
	})
	if waiting := eng.Stats().Shards.Total().Waiting; waiting > mailbox {
		t.Errorf("%d bytes wait in a mailbox of %d", waiting, mailbox)
	}
	// A neighbour on the other shard goes on; which one that is is the hash's secret.
	eventually(t, "a neighbour is served", func() bool {
		near, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		key := fmt.Sprint(time.Now().UnixNano())
		err := make(chan error, 1)
		go func() {
			err <- eng.Run(near, engine.ReplayEvents(runStarted, runFinished), input(key), engine.StreamOptions{})
		}()
		select {
		case e := <-err:
			return e == nil
		case <-near.Done():
			return false
		}
	})
	cancel()
	close(release)
	if err := <-slow; !errors.Is(err, context.Canceled) {
		t.Errorf("slow run: %v", err)
	}
}

// Panics and stalls of some runs are their own affair.
func TestRunsDoNotHurtEachOther(t *testing.T) {
	var panics atomic.Int64
	j := &journal{on: func(s *engine.Stream, u engine.Update) {
		if strings.HasPrefix(s.Key(), "handler") {
			panic("handler")
		}
	}}
	eng := newEngine(t, engine.Config{Shards: 1, Handler: j, OnPanic: func(_ *engine.Stream, err *engine.PanicError) {
		if len(err.Stack) > 0 {
			panics.Add(1)
		}
	}})
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, r).events(runStarted, textChunk)
		<-r.Context().Done()
	})
	idle := engine.WithHTTPLimits(engine.HTTPLimits{Idle: 50 * time.Millisecond})
	kinds := []struct {
		name string
		tr   engine.Transport
		want error
	}{
		{"good", says(nil, runStarted, textChunk, runFinished), nil},
		{"transport panics", says(func() error { panic("transport") }, runStarted), engine.ErrTransport},
		{"peer stalls", over(t, srv.URL, idle), engine.ErrTransport},
		{"handler panics", hangs(runStarted, textChunk), nil}, // as a PanicError
	}
	var wg sync.WaitGroup
	for i := range 40 {
		kind := kinds[i%len(kinds)]
		wg.Go(func() {
			err := eng.Run(t.Context(), kind.tr, input(fmt.Sprint(kind.name, i)), engine.StreamOptions{})
			var p *engine.PanicError
			if kind.name == "handler panics" {
				if !errors.As(err, &p) {
					t.Errorf("%s: %v", kind.name, err)
				}
				return
			}
			if !errors.Is(err, kind.want) {
				t.Errorf("%s: %v", kind.name, err)
			}
		})
	}
	wg.Wait()
	if n := panics.Load(); n != 20 {
		t.Errorf("told of %d panics, want 20", n)
	}
	if got := j.of("good0"); got[len(got)-1] != "done success" {
		t.Errorf("a good run: %q", got)
	}
}

// What 2,000 runs over HTTP hold while they are live is given back when they ended.
func TestRunThousandsAtOnce(t *testing.T) {
	runs := 2000
	if testing.Short() {
		runs = 200
	}
	var arrived atomic.Int64
	var all chan struct{}
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		s := stream(w, r)
		s.events(runStarted, textChunk)
		if arrived.Add(1) == int64(runs) {
			close(all)
		}
		<-all
		s.events(textChunk, runFinished)
	})
	var ended atomic.Int64
	eng := newEngine(t, engine.Config{Shards: 2, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		if d, ok := u.(*engine.Done); ok && d.End.Kind == engine.Success && s.HandlerView().Messages()[0].Text() == "xx" {
			ended.Add(1)
		}
	})})
	tr := over(t, srv.URL)
	base := runtime.NumGoroutine()
	round := func() (live, after uint64) {
		arrived.Store(0)
		ended.Store(0)
		all = make(chan struct{})
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				if err := eng.Run(t.Context(), tr, input(fmt.Sprint(i)), engine.StreamOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		<-all
		live = heapInUse()
		wg.Wait()
		if n := ended.Load(); n != int64(runs) {
			t.Errorf("%d runs of %d ended well", n, runs)
		}
		tr.CloseIdleConnections()
		eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= base+16 })
		return live, heapInUse()
	}
	round() // fills pools
	live1, after1 := round()
	live2, after2 := round()
	t.Logf("live: %d KiB, then %d KiB; afterwards: %d KiB, then %d KiB", live1>>10, live2>>10, after1>>10, after2>>10)
	if after2 > after1+after1/4+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", after1, after2)
	}
	if st := eng.Stats(); st.Streams != 0 || st.Runs != 0 || engine.BuffersOut() != 0 {
		t.Errorf("left: %+v, %d buffers", st, engine.BuffersOut())
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
