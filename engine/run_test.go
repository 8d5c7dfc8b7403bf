package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// transportFunc is a function as a transport.
type transportFunc func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error)

func (f transportFunc) Run(ctx context.Context, in *engine.RunAgentInput) (io.ReadCloser, error) {
	return f(ctx, in)
}

// body is a body of recorded bytes, then of what next says.
type body struct {
	io.Reader
	next  func() error // io.EOF if nil
	close func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.next != nil {
		return n, b.next()
	}
	return n, err
}

func (b *body) Close() error {
	if b.close != nil {
		b.close()
	}
	return nil
}

// says answers with events, then with what next says.
func says(next func() error, events ...string) engine.Transport {
	return transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) {
		return &body{Reader: strings.NewReader(string(engine.Frames(events...))), next: next}, nil
	})
}

// hangs answers with events and is silent then, until its body is closed.
func hangs(events ...string) engine.Transport {
	return transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) {
		closed := make(chan struct{})
		return &body{
			Reader: strings.NewReader(string(engine.Frames(events...))),
			next:   func() error { <-closed; return errors.New("read of a closed body") },
			close:  sync.OnceFunc(func() { close(closed) }),
		}, nil
	})
}

// journal keeps what a handler was told, by stream.
type journal struct {
	mu    sync.Mutex
	lines map[string][]string
	on    func(s *engine.Stream, u engine.Update) // may be nil
}

func (j *journal) HandleUpdate(s *engine.Stream, u engine.Update) {
	j.mu.Lock()
	if j.lines == nil {
		j.lines = map[string][]string{}
	}
	j.lines[s.Key()] = append(j.lines[s.Key()], line(u))
	j.mu.Unlock()
	if j.on != nil {
		j.on(s, u)
	}
}

func (j *journal) of(key string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines[key])
}

// newEngine is an engine that is shut down with the test and must leave nothing.
func newEngine(t *testing.T, cfg engine.Config) *engine.Engine {
	t.Helper()
	if cfg.Handler == nil {
		cfg.Handler = &journal{}
	}
	eng, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if n := engine.BuffersOut(); n != 0 {
			t.Errorf("%d read buffers are out", n)
		}
	})
	return eng
}

func input(thread string) *engine.RunAgentInput {
	return &engine.RunAgentInput{ThreadID: thread, RunID: "r"}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestRunReturns(t *testing.T) {
	broken := errors.New("the wire broke")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		tr   engine.Transport
		opt  engine.StreamOptions
		want error  // by errors.Is
		text string // of the error
		told []string
	}{
		{name: "success", tr: engine.ReplayEvents(runStarted, runFinished), told: []string{"done success"}},
		{
			name: "the agent's error", tr: engine.ReplayEvents(runStarted, `{"type":"RUN_ERROR","message":"no"}`),
			told: []string{"error run: run failed: no", "done failed: no"},
		},
		{
			name: "several runs", tr: engine.ReplayEvents(runStarted, runFinished, runStarted, runFinished),
			told: []string{"done success", "done success"},
		},
		{
			name: "the first run only", tr: hangs(runStarted, runFinished, runStarted), opt: engine.StreamOptions{StopAtDone: true},
			told: []string{"done success"},
		},
		{
			name: "truncated", tr: engine.ReplayEvents(runStarted), want: engine.ErrTruncated,
			text: "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 57)",
			told: failed("protocol", "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 57)"),
		},
		{
			name: "no event", tr: says(nil, runStarted, "nonsense"), want: engine.ErrJSON,
			text: "JSON error: ~ event 2", told: []string{"error json: ~ event 2", "done failed: ~ event 2"},
		},
		{
			name: "no event, and silence", tr: hangs(runStarted, "nonsense"), want: engine.ErrJSON,
			text: "JSON error: ~ event 2", told: []string{"error json: ~ event 2", "done failed: ~ event 2"},
		},
		{
			name: "no answer", want: broken,
			tr:   transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) { return nil, broken }),
			text: "transport error: the wire broke", told: failed("transport", "transport error: the wire broke"),
		},
		{
			name: "broken read", tr: says(func() error { return broken }, runStarted), want: broken,
			text: "transport error: the wire broke (byte 57)", told: failed("transport", "transport error: the wire broke (byte 57)"),
		},
		{
			name: "a deadline of the transport's own", tr: says(func() error { return context.DeadlineExceeded }, runStarted), want: engine.ErrTransport,
			text: "transport error: context deadline exceeded (byte 57)", told: failed("transport", "transport error: context deadline exceeded (byte 57)"),
		},
		{
			name: "broken read after the run", tr: says(func() error { return broken }, runStarted, runFinished), want: broken,
			text: "transport error: the wire broke (byte 115)",
			told: []string{"done success", "error transport: transport error: the wire broke (byte 115)"},
		},
		{name: "cancelled before", ctx: over, tr: hangs(), want: context.Canceled, text: "context canceled"},
		{
			name: "a panic of the transport", want: engine.ErrTransport,
			tr:   transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) { panic("oops") }),
			text: "transport error: the transport panicked: oops", told: failed("transport", "transport error: the transport panicked: oops"),
		},
		{
			name: "a panic of the body", tr: says(func() error { panic("oops") }, runStarted), want: engine.ErrTransport,
			text: "transport error: the transport panicked: oops", told: failed("transport", "transport error: the transport panicked: oops"),
		},
		{
			name: "a body that ends the goroutine", tr: says(func() error { runtime.Goexit(); return nil }, runStarted), want: engine.ErrTransport,
			text: "transport error: the transport panicked: ~ Goexit", told: []string{"error transport: ~ Goexit", "done failed: ~ Goexit"},
		},
		{
			name: "a panic of Close",
			tr: transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) {
				return &body{Reader: strings.NewReader(string(engine.Frames(runStarted, runFinished))), close: func() { panic("oops") }}, nil
			}),
			told: []string{"done success"},
		},
		{
			name: "seeds that are no use", tr: engine.ReplayEvents(runStarted, runFinished), opt: engine.StreamOptions{State: engine.JSON("{")},
			want: engine.ErrConfig, text: "config error: the seed state is not JSON",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &journal{}
			eng := newEngine(t, engine.Config{Handler: j, Shards: 2})
			ctx := t.Context()
			if tt.ctx != nil {
				ctx = tt.ctx
			}
			err := eng.Run(ctx, tt.tr, input("t"), tt.opt)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.text == "") {
				t.Errorf("Run: %v, want %v", err, tt.want)
			}
			if err != nil {
				text := []string{tt.text}
				if diff := cmp.Diff(text, match([]string{err.Error()}, text)); diff != "" {
					t.Errorf("text (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tt.told, match(j.of("t"), tt.told), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("updates (-want +got):\n%s", diff)
			}
			if st := eng.Stats(); st.Streams != 0 || st.Runs != 0 {
				t.Errorf("%d streams and %d runs are left", st.Streams, st.Runs)
			}
		})
	}
}

func TestRunRefusesInput(t *testing.T) {
	bad := input("t")
	bad.State = engine.JSON("{")
	wrong := input("t")
	wrong.Resume = []engine.ResumeEntry{{InterruptID: "i", Status: "resolved", Payload: engine.JSON("1,")}}
	for _, tt := range []struct {
		name string
		in   *engine.RunAgentInput
		want string
	}{
		{"none", nil, "config error: Run needs an input"},
		{"no JSON", bad, "config error: malformed input: "},
		{"a payload that is no JSON", wrong, "config error: malformed input: "},
		{"a message that is none", &engine.RunAgentInput{ThreadID: "t", RunID: "r", Messages: []*engine.Message{nil}}, "config error: malformed input: message 0 is nil"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &journal{}
			tr := engine.ReplayEvents(runStarted, runFinished)
			err := newEngine(t, engine.Config{Handler: j}).Run(t.Context(), tr, tt.in, engine.StreamOptions{})
			if !errors.Is(err, engine.ErrConfig) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Run: %v, want %s", err, tt.want)
			}
			if len(tr.Requests) != 0 || j.lines != nil {
				t.Errorf("sent %q, told %q", tr.Requests, j.lines)
			}
		})
	}
}

// What is sent is fit for sending, and what comes builds on it.
func TestRunSendsAndSeeds(t *testing.T) {
	in := input("t")
	user := &engine.Message{ID: "u", Role: state.RoleUser}
	user.SetText("hi")
	in.Messages = []*engine.Message{user, {ID: "a", Role: state.RoleActivity, ActivityType: "plan"}}
	in.State = engine.JSON(`{"n":1}`)
	var stores []string
	j := &journal{on: func(s *engine.Stream, u engine.Update) {
		if _, ok := u.(*engine.Done); ok {
			stores = storesLines(s.HandlerView())
		}
	}}
	tr := engine.ReplayEvents(runStarted, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2}]}`, textChunk, runFinished)
	if err := newEngine(t, engine.Config{Handler: j}).Run(t.Context(), tr, in, engine.StreamOptions{}); err != nil {
		t.Fatal(err)
	}
	sent := `{"threadId":"t","runId":"r","protocolVersion":"1.1","state":{"n":1},"messages":[{"id":"u","role":"user","content":"hi"}]}`
	if diff := cmp.Diff(sent, string(tr.Requests[0])); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	want := []string{
		`{"id":"u","role":"user","content":"hi"}`, `{"id":"a","role":"activity","content":{},"activityType":"plan"}`,
		`{"id":"m","role":"assistant","content":"x"}`, `state {"n":2}`,
	}
	if diff := cmp.Diff(want, stores); diff != "" {
		t.Errorf("stores (-want +got):\n%s", diff)
	}
}

// Cancelling ends a run wherever it stands; no Done is made up, and what arrived stays delivered.
func TestRunCancelled(t *testing.T) {
	for _, tt := range []struct {
		name string
		tr   engine.Transport
		told []string
	}{
		{"before the answer", transportFunc(func(ctx context.Context, _ *engine.RunAgentInput) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil},
		{"before the first byte", hangs(), nil},
		{"in the run", hangs(runStarted, textChunk), []string{"message 0 m started", textUpdate}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &journal{}
			eng := newEngine(t, engine.Config{Handler: j})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(30*time.Millisecond, cancel)
			within(t, time.Second, "the run", func() {
				if err := eng.Run(ctx, tt.tr, input("t"), engine.StreamOptions{}); !errors.Is(err, context.Canceled) {
					t.Errorf("Run: %v", err)
				}
			})
			if diff := cmp.Diff(tt.told, j.of("t"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// W03: a stream's events keep their order, however many shards and readers there are.
func TestRunKeepsOrder(t *testing.T) {
	const deltas, runs = 20_000, 4
	events := []string{runStarted, `{"type":"TEXT_MESSAGE_START","messageId":"m"}`}
	var want strings.Builder
	for i := range deltas {
		events = append(events, fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"%d,"}`, i))
		fmt.Fprintf(&want, "%d,", i)
	}
	frames := engine.Frames(append(events, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`, runFinished)...)
	var mu sync.Mutex
	inOrder := 0
	eng := newEngine(t, engine.Config{Shards: 8, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		if _, ok := u.(*engine.Done); ok && s.HandlerView().Messages()[0].Text() == want.String() {
			mu.Lock()
			inOrder++
			mu.Unlock()
		}
	})})
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			tr := engine.ReplayBytes(frames)
			tr.Chunk = 97 + i
			if err := eng.Run(t.Context(), tr, input(fmt.Sprint(i)), engine.StreamOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if inOrder != runs {
		t.Errorf("%d runs of %d in order", inOrder, runs)
	}
}
