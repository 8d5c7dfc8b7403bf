package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

// counted mints ids that tests can foresee.
func counted() engine.SessionOption {
	n := map[string]int{}
	return engine.WithIDs(func(kind string) string {
		n[kind]++
		return fmt.Sprintf("%s-%d", kind, n[kind])
	})
}

func linesOf(updates iter.Seq[engine.Update]) []string {
	var lines []string
	for u := range updates {
		lines = append(lines, line(u))
	}
	return lines
}

func sessionStores[S any](s *engine.Session[S]) []string { return storesLines(s.View()) }

// richStream has updates of every kind, and events that give several.
func richStream() []string {
	return events(`RUN_STARTED t run-1
		STATE_SNAPSHOT {"n":1}
		TEXT_MESSAGE_CHUNK messageId=m delta="a"
		TEXT_MESSAGE_CHUNK messageId=n delta="b"
		TOOL_CALL_CHUNK toolCallId=c toolCallName=f parentMessageId=m delta="{}"
		STATE_DELTA [{"op":"replace","path":"/n","value":2}]
		REASONING_MESSAGE_CHUNK messageId=z delta="t"
		TOOL_CALL_RESULT r c "ok"
		SUBAGENT_STARTED s sub
		SUBAGENT_FINISHED s
		ACTIVITY_SNAPSHOT x plan {}
		REASONING_ENCRYPTED_VALUE message z e
		TEXT_MESSAGE_END nobody
		STATE_DELTA [{"op":"remove","path":"/gone"}]
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"\ud83d"}
		MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"A"}]
		RUN_FINISHED t run-1 outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"j","reason":"y"}]}`)
}

// Breaking out of the loop at any update leaves stores that took the update's whole event and nothing behind it, and a
// session that can go on.
func TestSessionBreakAtEveryUpdate(t *testing.T) {
	rich := richStream()
	total := len(linesOf(engine.NewSession[engine.Raw](engine.ReplayEvents(rich...), "t").Run(t.Context())))
	if total < 20 {
		t.Fatalf("the stream gives %d updates only", total)
	}
	// eventOf tells which event gives the update of a number.
	eventOf := func(update int) int {
		seen, at := 0, 0
		s, _ := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) { seen++ }), engine.StreamOptions{})
		for seen <= update {
			_, _ = s.Write(engine.Frames(rich[at]))
			at++
		}
		return at
	}
	for stop := range total {
		for _, chunk := range []int{0, 7} {
			t.Run(fmt.Sprintf("update %d, chunks of %d", stop, chunk), func(t *testing.T) {
				body := engine.ReplayBytes(engine.Frames(rich...), engine.Frames(events("RUN_STARTED t run-2\nRUN_FINISHED t run-2")...))
				body.Chunk = chunk
				sess := engine.NewSession[engine.Raw](body, "t", counted())
				n := 0
				for range sess.Run(t.Context()) {
					if n == stop {
						break
					}
					n++
				}
				prefix := rich[:eventOf(stop)]
				s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{})
				if err != nil {
					t.Fatal(err)
				}
				_, _ = s.Write(engine.Frames(prefix...))
				_ = s.Close() // ends the wait for a second surrogate half, as a break does
				if diff := cmp.Diff(storesLines(viewOf(s)), sessionStores(sess)); diff != "" {
					t.Errorf("stores (-of the events so far +after the break):\n%s", diff)
				}
				again := sess.Run(t.Context())
				if len(sess.Interrupts()) > 0 {
					again = sess.ResumeMany(t.Context(), []engine.ResumeEntry{
						{InterruptID: "i", Status: engine.ResumeCancelled}, {InterruptID: "j", Status: engine.ResumeResolved},
					})
				}
				if diff := cmp.Diff([]string{"done success"}, linesOf(again)); diff != "" {
					t.Errorf("the next run (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Every loop ends with exactly one Done, and Failed has its Error right before it.
func TestSessionEndsWithOneDone(t *testing.T) {
	bodies := map[string][]byte{"nothing": nil, "rich": engine.Frames(richStream()...), "late": engine.Frames(events("RS\nRF\nRUN_ERROR late")...)}
	for _, name := range captures.Names() {
		bodies[name] = captures.Body(name)
	}
	valid, err := workload.Body("mixed", workload.Options{Tokens: 20, Runs: 2, StateBytes: workload.MinStateBytes})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range workload.Mutations() {
		bodies["mutated: "+kind] = workload.Mutate(kind, valid, 3)
	}
	for name, body := range bodies {
		for _, rules := range []engine.Rules{engine.Loud, engine.Spec} {
			t.Run(name+"/"+rules.String(), func(t *testing.T) {
				sess := engine.NewSession[engine.Raw](engine.ReplayBytes(body), "t", engine.WithRules(rules))
				var all []string
				var last string
				for u := range sess.Send(t.Context(), "hi") {
					if done, ok := u.(*engine.Done); ok && done.End.Kind == engine.Failed && !strings.HasPrefix(last, "error ") {
						t.Errorf("before Done(Failed) came %q", last)
					}
					last = line(u)
					all = append(all, last)
				}
				dones := 0
				for _, l := range all {
					if strings.HasPrefix(l, "done ") {
						dones++
					}
				}
				if dones != 1 || !strings.HasPrefix(last, "done ") {
					t.Errorf("%d Dones, the last update is %q", dones, last)
				}
			})
		}
	}
}

// failing is a transport that gives some bytes and then an error.
type failing struct {
	body []byte
	err  error // of Run when body is nil, else of Read
}

func (f failing) Run(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) {
	if f.body == nil {
		return nil, f.err
	}
	return io.NopCloser(io.MultiReader(strings.NewReader(string(f.body)), errorReader{f.err})), nil
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestSessionTransportFailures(t *testing.T) {
	broken := errors.New("connection reset")
	half := engine.Frames(events("RS\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_CONTENT m \"a\"")...)
	tests := []struct {
		name      string
		transport engine.Transport
		want      []string
		is        error
	}{
		{
			"no connection", failing{err: broken},
			[]string{"error transport: transport error: connection reset ~", "done failed: transport error: connection reset ~"}, broken,
		},
		{
			"an answer that is no stream", failing{err: &engine.Error{Kind: engine.KindHTTP, Status: 503, Reason: "try later", Offset: -1}},
			[]string{"error http: HTTP 503: try later", "done failed: HTTP 503: try later"}, engine.ErrHTTP,
		},
		{
			"dies in the middle", failing{body: half, err: broken},
			[]string{"message 1 m started", `message 1 m content "a"`, "error transport ~ connection reset", "done failed: transport error ~"}, engine.ErrTransport,
		},
		{
			"ends in the middle", engine.ReplayBytes(half),
			[]string{"message 1 m started", `message 1 m content "a"`, "error protocol ~ the stream ended", "done failed: protocol violation ~"}, engine.ErrTruncated,
		},
		{
			"ends before it begins", engine.ReplayBytes([]byte(": hello\n\n")),
			[]string{"error protocol ~ the stream ended before RUN_STARTED", "done failed ~"}, engine.ErrTruncated,
		},
		{
			"dies after the run's end", failing{body: engine.Frames(events("RS\nRF")...), err: broken},
			[]string{"done success"}, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sess := engine.NewSession[engine.Raw](tt.transport, "t", counted())
			var got []string
			var failed error
			for u := range sess.Send(t.Context(), "hi") {
				if u, ok := u.(*engine.ErrorUpdate); ok {
					failed = u.Err
				}
				got = append(got, line(u))
			}
			if diff := cmp.Diff(tt.want, match(got, tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.is != nil && !errors.Is(failed, tt.is) {
				t.Errorf("%v is no %v", failed, tt.is)
			}
			if n := len(sess.Messages()); n == 0 || sess.Messages()[0].Text() != "hi" {
				t.Errorf("what was sent is gone: %v", sessionStores(sess))
			}
		})
	}
}

// piped is a transport whose body the test writes; it counts the closings.
type piped struct {
	made   chan *io.PipeWriter
	closed atomic.Int32
}

type countedBody struct {
	io.ReadCloser
	closed *atomic.Int32
}

func (b countedBody) Close() error {
	b.closed.Add(1)
	return b.ReadCloser.Close()
}

func (p *piped) Run(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) {
	r, w := io.Pipe()
	p.made <- w
	return countedBody{r, &p.closed}, nil
}

// Cancelling the context while the body is silent ends the loop without a Done; the body is closed once, what arrived
// stays, and the session goes on.
func TestSessionCancelledInABlockedRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &piped{made: make(chan *io.PipeWriter, 1)}
	go func() {
		_, _ = (<-p.made).Write(engine.Frames(events("RUN_STARTED t run-1\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_CONTENT m \"a\"")...))
		cancel() // the bytes are read; the next read waits
	}()
	sess := engine.NewSession[engine.Raw](p, "t", counted())
	want := []string{"message 1 m started", `message 1 m content "a"`}
	if diff := cmp.Diff(want, linesOf(sess.Send(ctx, "hi"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := p.closed.Load(); n != 1 {
		t.Errorf("the body was closed %d times", n)
	}

	go func() {
		w := <-p.made
		_, _ = w.Write(engine.Frames(events("RUN_STARTED t run-2\nTEXT_MESSAGE_CONTENT m \"b\"\nRUN_FINISHED t run-2")...))
		_ = w.Close()
	}()
	want = []string{`error protocol ~ no open text message "m"`, "done success"}
	if diff := cmp.Diff(want, match(linesOf(sess.Send(t.Context(), "again")), want)); diff != "" {
		t.Errorf("the next run (-want +got):\n%s", diff)
	}
	if n := p.closed.Load(); n != 2 {
		t.Errorf("the bodies were closed %d times", n)
	}
}

// Breaking out while more is to come closes the body at once.
func TestSessionBreakClosesTheBody(t *testing.T) {
	p := &piped{made: make(chan *io.PipeWriter, 1)}
	written := make(chan error, 1)
	go func() {
		w := <-p.made
		_, _ = w.Write(engine.Frames(events("RUN_STARTED t run-1\nTEXT_MESSAGE_START m")...))
		_, err := w.Write([]byte("data: more\n"))
		written <- err
	}()
	sess := engine.NewSession[engine.Raw](p, "t")
	for range sess.Run(t.Context()) {
		break
	}
	if err := <-written; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the agent's next write got %v", err)
	}
	if n := p.closed.Load(); n != 1 {
		t.Errorf("the body was closed %d times", n)
	}
}

func TestSessionTypedState(t *testing.T) {
	type board struct {
		N int `json:"n"`
	}
	body := engine.ReplayEvents(events(`RUN_STARTED t run-1
		STATE_SNAPSHOT {"n":1}
		STATE_SNAPSHOT {"n":"x"}
		STATE_DELTA [{"op":"add","path":"/m","value":2}]
		STATE_DELTA [{"op":"replace","path":"/n","value":3}]
		RUN_FINISHED t run-1`)...)
	sess := engine.NewSession[board](body, "t", counted(), engine.WithState(engine.JSON(`{"n":7}`)))
	if got := sess.State(); got.N != 7 {
		t.Errorf("seeded state is %v", got)
	}
	var got []string
	for u := range sess.Run(t.Context()) {
		switch u := u.(type) {
		case *engine.StateUpdate[board]:
			got = append(got, fmt.Sprintf("state %d", u.State.N))
		default:
			got = append(got, line(u))
		}
		got = append(got, fmt.Sprintf("  typed %d raw %s", sess.State().N, sess.RawState().AppendJSON(nil)))
	}
	want := []string{
		"state 1", `  typed 1 raw {"n":1}`,
		"error state ~ board ~ (event 3, STATE_SNAPSHOT, byte", `  typed 1 raw {"n":"x"}`,
		"error state ~ board", `  typed 1 raw {"n":"x","m":2}`,
		"state 3", `  typed 3 raw {"n":3,"m":2}`,
		"done success", `  typed 3 raw {"n":3,"m":2}`,
	}
	if diff := cmp.Diff(want, match(got, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSessionBrokenSeeds(t *testing.T) {
	type board struct{ N int }
	tests := map[string]engine.SessionOption{
		"state that is no JSON":       engine.WithState(engine.JSON(`{`)),
		"state of another type":       engine.WithState(engine.JSON(`{"N":"x"}`)),
		"two messages with one id":    engine.WithMessages(user("u", "a"), user("u", "b")),
		"more messages than a thread": engine.WithMessages(slices.Repeat([]*engine.Message{user("u", "a")}, 2)...),
	}
	for name, opt := range tests {
		t.Run(name, func(t *testing.T) {
			replay := engine.ReplayEvents(events("RS\nRF")...)
			sess := engine.NewSession[board](replay, "t", opt)
			want := []string{"error config ~", "done failed: config error ~"}
			if diff := cmp.Diff(want, match(linesOf(sess.Send(t.Context(), "hi")), want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(replay.Requests) > 0 {
				t.Errorf("sent %s", replay.Requests)
			}
		})
	}
}
