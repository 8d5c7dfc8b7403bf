package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/shard"
)

// ender is a handler that wants to hear of the end, and fails where it is told to.
type ender struct {
	on string // the update, or "end", at which it panics

	mu     sync.Mutex
	ends   []string
	stores []int // messages seen at the end
	after  int   // updates that came after the end
}

func (e *ender) HandleUpdate(_ *engine.Stream, u engine.Update) {
	e.mu.Lock()
	if len(e.ends) > 0 {
		e.after++
	}
	e.mu.Unlock()
	if e.on != "" && strings.HasPrefix(line(u), e.on) {
		panic("boom")
	}
}

func (e *ender) HandleEnd(s *engine.Stream, err error) {
	e.mu.Lock()
	e.ends = append(e.ends, endText(err))
	e.stores = append(e.stores, len(s.HandlerView().Messages()))
	e.mu.Unlock()
	if e.on == "end" {
		panic("boom")
	}
}

func endText(err error) string {
	var p *engine.PanicError
	var e *engine.Error
	switch {
	case err == nil:
		return "clean"
	case errors.As(err, &p):
		return fmt.Sprintf("panic %v", p.Value)
	case errors.As(err, &e):
		return e.Kind.String()
	case errors.Is(err, engine.ErrClosed):
		return "closed"
	}
	return err.Error()
}

const (
	openRun  = "RS\nTEXT_MESSAGE_START m"
	wholeRun = openRun + "\nTEXT_MESSAGE_END m\nRF"
)

// Every stream tells its handler of its end, once, as the last thing, with what Err gives then.
func TestTheEndIsTold(t *testing.T) {
	broken := errors.New("reset")
	tests := []struct {
		name, panics, events string
		stop                 bool
		close                error
		want, err            string
		stores               int
	}{
		{name: "clean", events: wholeRun, want: "clean", stores: 1},
		{name: "truncated", events: openRun, want: "protocol", stores: 1},
		{name: "an error closed it", events: openRun + "\n{", want: "json", stores: 1},
		{name: "broken transport", events: openRun, close: broken, want: "transport", stores: 1},
		{name: "stops at Done", events: wholeRun + "\nRS\nTEXT_MESSAGE_START n", stop: true, want: "clean", stores: 1},
		{name: "the handler panics", events: wholeRun, panics: "message 0 m started", want: "panic boom"},
		{name: "the handler panics at the end's Done", events: openRun, panics: "done", want: "panic boom"},
		{name: "the end hook panics", events: wholeRun, panics: "end", want: "clean", err: "panic boom", stores: 1},
	}
	for _, c := range tests {
		if c.err == "" {
			c.err = c.want
		}
		check := func(t *testing.T, h *ender, s *engine.Stream) {
			t.Helper()
			h.mu.Lock()
			defer h.mu.Unlock()
			if diff := cmp.Diff([]string{c.want}, h.ends); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
			if got := endText(s.Err()); got != c.err {
				t.Errorf("Err is %q, want %q", got, c.err)
			}
			if h.after != 0 {
				t.Errorf("%d updates after the end", h.after)
			}
		}
		body := engine.Frames(events(c.events)...)
		t.Run(c.name+"/on a shard", func(t *testing.T) {
			h := &ender{on: c.panics}
			told := make(chan error, 2)
			eng := startEngine(t, engine.Config{Shards: 1, Handler: h, OnPanic: func(_ *engine.Stream, err *engine.PanicError) { told <- err }})
			s := open(t, eng, "t", engine.StreamOptions{StopAtDone: c.stop})
			if s.Err() != nil {
				t.Error("an error before the end")
			}
			_, _ = s.Write(body)
			_ = s.CloseWithError(c.close)
			_ = s.CloseWithError(broken) // too late
			await(t, s)
			check(t, h, s)
			if h.stores[0] != c.stores {
				t.Errorf("%d messages at the end, want %d", h.stores[0], c.stores)
			}
			if (len(told) == 1) != (c.panics != "") || len(told) > 1 {
				t.Errorf("OnPanic was told %d times", len(told))
			}
			if n := eng.Stats().Streams; n != 0 {
				t.Errorf("%d streams are left", n)
			}
		})
		t.Run(c.name+"/here", func(t *testing.T) {
			h := &ender{on: c.panics}
			s, err := engine.NewStream(h, engine.StreamOptions{StopAtDone: c.stop})
			if err != nil {
				t.Fatal(err)
			}
			done := s.Done()
			thrown := func(f func()) (v any) {
				defer func() { v = recover() }()
				f()
				return nil
			}
			values := []any{thrown(func() { _, _ = s.Write(body) }), thrown(func() { _ = s.CloseWithError(c.close) }), thrown(func() { _ = s.Close() })}
			if slices.Contains(values, "boom") != (c.panics != "") {
				t.Errorf("panics %v", values)
			}
			select {
			case <-done:
			default:
				t.Error("Done is open")
			}
			check(t, h, s)
			if err := s.Release(); err != nil {
				t.Error(err)
			}
			check(t, h, s)
		})
	}
}

func await(t *testing.T, s *engine.Stream) {
	t.Helper()
	select {
	case <-s.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("the stream is not over")
	}
}

// Release is an end too, for a stream that was not closed.
func TestReleaseIsAnEnd(t *testing.T) {
	h := &ender{}
	s, err := engine.NewStream(h, engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Write(engine.Frames(events(openRun)...))
	_, _ = s.Release(), s.Release()
	if diff := cmp.Diff([]string{"closed"}, h.ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	<-s.Done()
	if _, err := s.Write(nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Write after Release: %v", err)
	}
	if err := s.View(t.Context(), func(engine.View) { t.Error("a view") }); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("View after Release: %v", err)
	}
	if s.HandlerView().Messages() != nil || s.HandlerView().State() == nil || s.Close() != nil {
		t.Error("a released stream is not empty")
	}
}

// Run and Shutdown end streams as well; Err is what Run returns.
func TestTheEndOfRunsIsTold(t *testing.T) {
	input := &engine.RunAgentInput{ThreadID: "t", RunID: "r"}
	for _, c := range []struct {
		name, want string
		run        func(t *testing.T, eng *engine.Engine)
	}{
		{"a run", "clean", func(t *testing.T, eng *engine.Engine) {
			if err := eng.Run(t.Context(), engine.ReplayEvents(events(wholeRun)...), input, engine.StreamOptions{}); err != nil {
				t.Error(err)
			}
		}},
		{"a cancelled run", context.Canceled.Error(), func(t *testing.T, eng *engine.Engine) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			if err := eng.Run(ctx, hangs(runStarted), input, engine.StreamOptions{}); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}},
		{"Shutdown in a run", "transport", func(t *testing.T, eng *engine.Engine) {
			_, _ = open(t, eng, "t", engine.StreamOptions{}).Write(engine.Frames(events(openRun)...))
		}},
		{"Shutdown between runs", "closed", func(t *testing.T, eng *engine.Engine) {
			_, _ = open(t, eng, "t", engine.StreamOptions{}).Write(engine.Frames(events(wholeRun)...))
		}},
		{"Shutdown before the first byte", "closed", func(t *testing.T, eng *engine.Engine) { open(t, eng, "t", engine.StreamOptions{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &ender{}
			eng := startEngine(t, engine.Config{Shards: 1, Handler: h})
			c.run(t, eng)
			if err := eng.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.want}, h.ends); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

// A stream brings its own handler and data.
func TestAStreamsOwnHandlerAndData(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 2, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) { t.Error("the engine's handler is called") })})
	got := make(chan any, 1)
	own := engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		if _, ok := u.(*engine.Done); ok {
			got <- s.Data()
		}
	})
	opt := engine.StreamOptions{Handler: own, Data: 7}
	s := open(t, eng, "t", opt)
	if _, err := s.WriteContext(t.Context(), engine.Frames(events(wholeRun)...)); err != nil {
		t.Fatal(err)
	}
	if v := <-got; v != 7 {
		t.Errorf("data %v", v)
	}
	if err := eng.Run(t.Context(), engine.ReplayEvents(events(wholeRun)...), &engine.RunAgentInput{ThreadID: "t", RunID: "r"}, opt); err != nil {
		t.Fatal(err)
	}
	if v := <-got; v != 7 {
		t.Errorf("data %v", v)
	}
	here, err := engine.NewStream(nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = here.WriteContext(t.Context(), engine.Frames(events(wholeRun)...))
	if v := <-got; v != 7 {
		t.Errorf("data %v", v)
	}
}

// What a broken handler's stream answers is this package's, and a closed stream's answer too.
func TestPanicErrors(t *testing.T) {
	cause := errors.New("cause")
	eng := startEngine(t, engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) { panic(cause) })})
	s := open(t, eng, "thread", engine.StreamOptions{})
	_, _ = s.Write(engine.Frames(events(openRun)...))
	await(t, s)
	_, wrote := s.Write([]byte("x"))
	_, tried := s.TryWrite([]byte("x"))
	for name, err := range map[string]error{
		"Write": wrote, "TryWrite": tried, "Err": s.Err(), "View": s.View(t.Context(), func(engine.View) {}),
		"Run": eng.Run(t.Context(), engine.ReplayEvents(events(openRun)...), &engine.RunAgentInput{ThreadID: "thread", RunID: "r"}, engine.StreamOptions{}),
	} {
		var p *engine.PanicError
		if !errors.As(err, &p) || p.Key != "thread" || p.Value != cause || len(p.Stack) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !errors.Is(err, engine.ErrClosed) || !errors.Is(err, cause) || errors.Is(err, engine.ErrFull) {
			t.Errorf("%s: %v is not what it should be", name, err)
		}
		if want := `aguistream: stream "thread" panicked: cause`; err.Error() != want {
			t.Errorf("%s: text %q, want %q", name, err, want)
		}
	}
}

func TestGoexitIsToldInOurWords(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) { exit() })})
	s := open(t, eng, "thread", engine.StreamOptions{})
	_, _ = s.Write(engine.Frames(events(openRun)...))
	await(t, s)
	if err := s.Err(); !errors.Is(err, shard.ErrGoexit) || strings.Contains(err.Error(), "shard") {
		t.Errorf("Err is %v", err)
	}
}
