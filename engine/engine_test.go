package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

// recorder is a handler that keeps each stream's lines apart, and its stores as they stood at the last Done.
type recorder struct {
	mu     sync.Mutex
	lines  map[string][]string
	stores map[string][]string
}

func newRecorder() *recorder {
	return &recorder{lines: map[string][]string{}, stores: map[string][]string{}}
}

func (r *recorder) HandleUpdate(s *engine.Stream, u engine.Update) {
	l := line(u)
	var stores []string
	if strings.HasPrefix(l, "done ") {
		stores = storesLines(s.HandlerView())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines[s.Key()] = append(r.lines[s.Key()], l)
	if stores != nil {
		r.stores[s.Key()] = stores
	}
}

func startEngine(t *testing.T, cfg engine.Config) *engine.Engine {
	t.Helper()
	eng, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := eng.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return eng
}

func open(t *testing.T, eng *engine.Engine, key string, opt engine.StreamOptions) *engine.Stream {
	t.Helper()
	s, err := eng.Open(key, opt)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// inputs are bodies of many kinds, good and broken.
func inputs(t *testing.T) map[string][]byte {
	t.Helper()
	bodies := map[string][]byte{}
	for _, name := range captures.Names() {
		if body := captures.Body(name); len(body) < 20<<10 {
			bodies[name] = body
		}
	}
	for _, name := range workload.Names() {
		body, err := workload.Body(name, workload.Options{Seed: 5, Tokens: 30, Runs: 2, StateBytes: stateBytes(name)})
		if err != nil {
			t.Fatal(err)
		}
		bodies[name] = body
	}
	for _, kind := range workload.Mutations() {
		bodies["mutated "+kind] = workload.Mutate(kind, bodies["mixed"], 9)
	}
	return bodies
}

// The same input gives the same updates and stores over any number of shards, and in a shard's second and third stream
// as in its first: what is pooled leaves no trace.
func TestEngineShardsChangeNothing(t *testing.T) {
	bodies := inputs(t)
	want := newRecorder()
	for name, body := range bodies {
		out := feed(t, body, engine.StreamOptions{}, whole)
		for _, l := range out.Lines {
			if !strings.HasPrefix(l, "warn ") {
				want.lines[name] = append(want.lines[name], l)
			}
		}
		want.stores[name] = out.Stores
	}
	for _, shards := range []int{1, 2, 7, 64} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			rec := newRecorder()
			eng := startEngine(t, engine.Config{Shards: shards, Handler: rec})
			const rounds = 3
			for round := range rounds {
				var writers sync.WaitGroup
				for name, body := range bodies {
					s := open(t, eng, fmt.Sprintf("%s/%d", name, round), engine.StreamOptions{})
					writers.Go(func() {
						r := rand.New(rand.NewPCG(uint64(round), uint64(len(body))))
						for rest := body; len(rest) > 0; {
							n := 1 + r.IntN(min(len(rest), 700))
							if _, err := s.Write(rest[:n]); err != nil {
								break // the stream is closed by an error; the handler had it
							}
							rest = rest[n:]
						}
						_ = s.Close()
					})
				}
				writers.Wait()
			}
			if err := eng.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			for name := range bodies {
				for round := range rounds {
					key := fmt.Sprintf("%s/%d", name, round)
					if diff := cmp.Diff(want.lines[name], rec.lines[key]); diff != "" {
						t.Fatalf("%s: updates (-alone +in the engine):\n%s", key, diff)
					}
					// A late RUN_ERROR, or what Loud skips between runs, changes no store but the record of the end.
					if diff := cmp.Diff(want.stores[name], rec.stores[key]); diff != "" {
						t.Fatalf("%s: stores (-alone +in the engine):\n%s", key, diff)
					}
				}
			}
		})
	}
}

func TestEnginePanicEndsItsStreamAlone(t *testing.T) {
	rec := newRecorder()
	var told atomic.Pointer[engine.PanicError]
	eng := startEngine(t, engine.Config{
		Shards: 1,
		Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
			if m, ok := u.(*engine.MessageUpdate); ok && s.Key() == "bad" && m.Change == engine.MessageContent {
				panic("boom")
			}
			rec.HandleUpdate(s, u)
		}),
		OnPanic: func(s *engine.Stream, err *engine.PanicError) {
			if s.Key() != "bad" {
				t.Errorf("told of stream %q", s.Key())
			}
			told.Store(err)
		},
	})
	body := engine.Frames(events("RS\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_CONTENT m \"a\"\nTEXT_MESSAGE_END m\nRF")...)
	good, bad := open(t, eng, "good", engine.StreamOptions{}), open(t, eng, "bad", engine.StreamOptions{})
	half := len(body) / 2
	for _, s := range []*engine.Stream{good, bad} {
		_, _ = s.Write(body[:half])
	}
	for _, s := range []*engine.Stream{good, bad} {
		_, _ = s.Write(body[half:])
	}
	_ = good.Close()
	deadline := time.Now().Add(5 * time.Second)
	var err error
	for err == nil && time.Now().Before(deadline) {
		_, err = bad.Write([]byte("\n"))
		runtime.Gosched()
	}
	var p *engine.PanicError
	if !errors.As(err, &p) || p.Value != "boom" || p.Key != "bad" || !strings.Contains(err.Error(), "boom") {
		t.Errorf("writing to the bad stream: %v", err)
	}
	again := open(t, eng, "after", engine.StreamOptions{})
	_, _ = again.Write(body)
	_ = again.Close()
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"message 0 m started", `message 0 m content "a"`, "message 0 m ended", "done success"}
	for _, key := range []string{"good", "after"} {
		if diff := cmp.Diff(want, rec.lines[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if diff := cmp.Diff(want[:1], rec.lines["bad"]); diff != "" {
		t.Errorf("bad (-want +got):\n%s", diff)
	}
	if told.Load() == nil {
		t.Error("OnPanic was not told")
	}
}

// A view is of the stores between two events, after all bytes that were written before.
func TestEngineViewIsConsistent(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 2, Handler: newRecorder()})
	s := open(t, eng, "t", engine.StreamOptions{})
	if _, err := s.Write(engine.Frames(events("RS\nSTATE_SNAPSHOT {\"a\":0,\"b\":0}\nTEXT_MESSAGE_START m")...)); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 50; i++ {
		frames := engine.Frames(events(fmt.Sprintf("STATE_DELTA [{\"op\":\"replace\",\"path\":\"/a\",\"value\":%d},{\"op\":\"replace\",\"path\":\"/b\",\"value\":%d}]\nTEXT_MESSAGE_CONTENT m \"x\"", i, i))...)
		if _, err := s.Write(frames[:len(frames)-1]); err != nil { // the last frame is not whole yet
			t.Fatal(err)
		}
		err := s.View(t.Context(), func(v engine.View) {
			if got, want := string(v.State().AppendJSON(nil)), fmt.Sprintf(`{"a":%d,"b":%d}`, i, i); got != want {
				t.Errorf("state %s, want %s", got, want)
			}
			if got := len(v.Message("m").Text()); got != i-1 {
				t.Errorf("%d bytes of text, want %d", got, i-1)
			}
			if !v.Running() || v.ThreadID() != "t" || v.RunID() != "r" {
				t.Errorf("running %v, thread %q, run %q", v.Running(), v.ThreadID(), v.RunID())
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(frames[len(frames)-1:]); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	if err := s.View(t.Context(), func(engine.View) { t.Error("a view of an ended stream") }); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("View after the end: %v", err)
	}
}

// Shutdown lets the queued work be done, ends what is open, and leaves nothing behind.
func TestEngineShutdownDrains(t *testing.T) {
	rec := newRecorder()
	slow := engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		time.Sleep(100 * time.Microsecond)
		rec.HandleUpdate(s, u)
	})
	eng := startEngine(t, engine.Config{Shards: 2, Handler: slow})
	var text string
	for range 50 {
		text += "TEXT_MESSAGE_CONTENT m \"x\"\n"
	}
	body := engine.Frames(events("RS\nTEXT_MESSAGE_START m\n" + text)...)
	var streams []*engine.Stream
	for i := range 8 {
		s := open(t, eng, fmt.Sprint(i), engine.StreamOptions{})
		streams = append(streams, s)
		if _, err := s.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, s := range streams {
		lines := rec.lines[fmt.Sprint(i)]
		if len(lines) != 53 || !strings.HasPrefix(lines[51], "error transport") || !strings.HasPrefix(lines[52], "done failed") {
			t.Errorf("stream %d gave %d lines, at last %q", i, len(lines), lines[max(0, len(lines)-2):])
		}
		if _, err := s.Write(body); err == nil {
			t.Error("a stream takes bytes after Shutdown")
		}
	}
	if _, err := eng.Open("late", engine.StreamOptions{}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Open after Shutdown: %v", err)
	}
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Errorf("a second Shutdown: %v", err)
	}
	if n := eng.Stats().Streams; n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// TryWrite takes all or nothing, and says when a mailbox is full; Write waits.
func TestEngineFullMailbox(t *testing.T) {
	gate := make(chan struct{})
	rec := newRecorder()
	eng := startEngine(t, engine.Config{Shards: 1, MailboxBytes: 4 << 10, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		<-gate
		rec.HandleUpdate(s, u)
	})})
	s := open(t, eng, "t", engine.StreamOptions{})
	if _, err := s.Write(engine.Frames(events("RS\nTEXT_MESSAGE_START m")...)); err != nil {
		t.Fatal(err)
	}
	frame := engine.Frames(events("TEXT_MESSAGE_CONTENT m \"x\"")...)
	taken := 0
	for {
		n, err := s.TryWrite(frame)
		if err != nil {
			if !errors.Is(err, engine.ErrFull) || n != 0 {
				t.Fatalf("TryWrite: %d, %v", n, err)
			}
			break
		}
		if taken++; taken > 1000 {
			t.Fatal("a mailbox of 4 KiB is never full")
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Write(frame)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("Write into a full mailbox came back: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(gate)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	contents := 0
	for _, l := range rec.lines["t"] {
		if strings.Contains(l, " content ") {
			contents++
		}
	}
	if contents != taken+1 {
		t.Errorf("%d frames were taken, %d came through", taken+1, contents)
	}
}

// Crossing a limit ends the stream that did, and never hurts its neighbour on the shard.
func TestEngineLimitsHurtNoNeighbour(t *testing.T) {
	small := engine.Limits{FrameBytes: 2 << 10, Depth: 16, StateBytes: 1 << 10, Messages: 4, MessageBytes: 1 << 10, PatchOps: 4}
	long := strings.Repeat("x", 1<<10)
	tests := []struct {
		name, body string
		want       string
	}{
		{"frame", "data: " + strings.Repeat("x", 4<<10), "2048"},
		{"lines without an end", strings.Repeat("data: x\n", 1<<10), "2048"},
		{"id", "id: " + strings.Repeat("x", 4<<10), "2048"},
		{"depth", string(engine.Frames(events("RS\nSTATE_SNAPSHOT " + strings.Repeat("[", 20) + strings.Repeat("]", 20))...)), "16"},
		{"open nesting", "data: " + strings.Repeat("[", 1<<10) + "\n\n", "16"},
		{"state", string(engine.Frames(events("RS\nSTATE_SNAPSHOT \"" + long + "\"")...)), "1024"},
		{"messages", string(engine.Frames(events("RS\nTEXT_MESSAGE_START a\nTEXT_MESSAGE_START b\nTEXT_MESSAGE_START c\nTEXT_MESSAGE_START d\nTEXT_MESSAGE_START e")...)), "4"},
		{"text", string(engine.Frames(events("RS\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_CONTENT m \"" + long + "\"\nTEXT_MESSAGE_CONTENT m \"y\"")...)), "1024"},
		{"arguments", string(engine.Frames(events("RS\nTOOL_CALL_START c f\nTOOL_CALL_ARGS c \"" + long + "\"")...)), "1024"},
		{"result", string(engine.Frames(events("RS\nTOOL_CALL_RESULT r c \"" + long + "x\"")...)), "1024"},
		{"activity", string(engine.Frames(events("RS\nACTIVITY_SNAPSHOT x p {\"a\":\"" + long + "\"}")...)), "1024"},
		{"snapshot", string(engine.Frames(events("RS\nMESSAGES_SNAPSHOT [{\"id\":\"u\",\"role\":\"user\",\"content\":\"" + long + "x\"}]")...)), "1024"},
		{"metadata", string(engine.Frames(events("RS\nTEXT_MESSAGE_START m metadata={\"k\":\"" + long + "\"}")...)), "1024"},
		{"encrypted value", string(engine.Frames(events("RS\nTEXT_MESSAGE_START m\nREASONING_ENCRYPTED_VALUE message m \"" + long + "x\"")...)), "1024"},
	}
	rec := newRecorder()
	eng := startEngine(t, engine.Config{Shards: 1, Handler: rec})
	neighbour := open(t, eng, "neighbour", engine.StreamOptions{})
	ok := engine.Frames(events("RS\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_CONTENT m \"a\"\nTEXT_MESSAGE_END m\nRF")...)
	for i, tt := range tests {
		s := open(t, eng, tt.name, engine.StreamOptions{Limits: small})
		_, _ = s.Write([]byte(tt.body))
		_, _ = neighbour.Write(ok[i*len(ok)/len(tests) : (i+1)*len(ok)/len(tests)])
		// The stores are whole enough to be read after any of them.
		_ = s.View(t.Context(), func(v engine.View) { v.AppendJSON(nil) })
		_ = s.Close()
	}
	_ = neighbour.Close()
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := rec.lines[tt.name]
			tail := lines[max(0, len(lines)-2):]
			want := []string{"error decode: SSE decode error: ~ " + tt.want, "done failed: SSE decode error: ~ " + tt.want}
			if diff := cmp.Diff(want, match(tail, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"message 0 m started", `message 0 m content "a"`, "message 0 m ended", "done success"}, rec.lines["neighbour"]); diff != "" {
		t.Errorf("the neighbour (-want +got):\n%s", diff)
	}
}

// W01: a handler that writes to streams of its own shard never waits for itself.
func TestEngineHandlerWritesToItsShard(t *testing.T) {
	var eng *engine.Engine
	var other atomic.Pointer[engine.Stream]
	full := make(chan error, 1)
	rec := newRecorder()
	eng = startEngine(t, engine.Config{Shards: 1, MailboxBytes: 4 << 10, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		rec.HandleUpdate(s, u)
		if s.Key() != "from" || line(u) != "message 0 m started" {
			return
		}
		frame := engine.Frames(events("CUSTOM x 1")...)
		for range 1000 {
			if _, err := other.Load().Write(frame); err != nil {
				full <- err
				return
			}
		}
		full <- nil
	})})
	to := open(t, eng, "to", engine.StreamOptions{})
	other.Store(to)
	from := open(t, eng, "from", engine.StreamOptions{})
	_, _ = to.Write(engine.Frames(events("RS")...))
	_, _ = from.Write(engine.Frames(events("RS\nTEXT_MESSAGE_START m\nTEXT_MESSAGE_END m\nRF")...))
	select {
	case err := <-full:
		if !errors.Is(err, engine.ErrFull) {
			t.Errorf("writing into the full neighbour: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the handler waits for itself")
	}
	_, _ = to.Write(engine.Frames(events("RF")...))
	_, _ = to.Close(), from.Close()
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := rec.lines["to"]; len(got) != 1 || got[0] != "done success" {
		t.Errorf("the neighbour gave %q", got)
	}
}

// V01: CloseWithError tells of a broken transport, and Open judges seeds.
func TestEngineEnds(t *testing.T) {
	rec := newRecorder()
	eng := startEngine(t, engine.Config{Shards: 1, Handler: rec})
	broken := errors.New("reset by peer")
	s := open(t, eng, "t", engine.StreamOptions{})
	_, _ = s.Write(engine.Frames(events("RS")...))
	if err := s.CloseWithError(broken); err != nil {
		t.Errorf("CloseWithError: %v", err)
	}
	if _, err := s.Write(nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Write after the end: %v", err)
	}
	if _, err := eng.Open("u", engine.StreamOptions{State: engine.JSON("{")}); !errors.Is(err, engine.ErrConfig) {
		t.Errorf("Open with a broken seed: %v", err)
	}
	if _, err := engine.New(engine.Config{}); !errors.Is(err, engine.ErrConfig) {
		t.Errorf("New without a handler: %v", err)
	}
	if err := eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"error transport: transport error: reset by peer ~", "done failed: transport error: reset by peer ~"}
	if diff := cmp.Diff(want, match(rec.lines["t"], want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
