package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// A stream that waits holds nothing of the chunk that it was given last.
func TestAnIdleStreamPinsNoChunk(t *testing.T) {
	for _, c := range []struct{ name, event string }{
		{"text", `TEXT_MESSAGE_CONTENT m "x"`}, {"state", `STATE_DELTA [{"op":"add","path":"/a","value":"x"}]`},
		{"metadata", `TEXT_MESSAGE_CONTENT m "x" metadata={"a":"b"}`}, {"custom", "CUSTOM x 1"},
		{"result", `TOOL_CALL_RESULT r c "x"`}, {"snapshot", `MESSAGES_SNAPSHOT [{"id":"m","role":"user","content":"x"}]`},
		{"steps", "STEP_STARTED s"}, {"an error", "RS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := engine.NewStream(ignoring(), engine.StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = s.Write(engine.Frames(events(openRun)...))
			gone := make(chan bool, 1)
			write(t, s, engine.Frames(events(c.event)...), gone)
			for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				runtime.GC()
				select {
				case <-gone:
					runtime.KeepAlive(s)
					return
				default:
				}
			}
			t.Error("the chunk is held")
			runtime.KeepAlive(s)
		})
	}
}

// write gives the stream a chunk of memory that tells when it goes.
func write(t *testing.T, s *engine.Stream, p []byte, gone chan<- bool) {
	t.Helper()
	chunk := new([1 << 16]byte)
	runtime.SetFinalizer(chunk, func(*[1 << 16]byte) { gone <- true })
	if _, err := s.Write(chunk[:copy(chunk[:], p)]); err != nil {
		t.Error(err)
	}
}

// The End of a Done may be kept, whatever its stream and its neighbours do next.
func TestDoneEndMayBeKept(t *testing.T) {
	type kept struct {
		end engine.RunEnd
		was string
	}
	text := func(e engine.RunEnd) string {
		b, err := json.Marshal(e)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	var list []kept
	keep := engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		if d, ok := u.(*engine.Done); ok {
			list = append(list, kept{d.End, strings.Clone(text(d.End))})
		}
	})
	var pool engine.Pool
	for i := range 20 {
		s, err := engine.NewStream(keep, engine.StreamOptions{Pool: &pool})
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			id := fmt.Sprintf("%d-%d-some-longer-id", i, j)
			_, err = s.Write(engine.Frames(events(fmt.Sprintf(`RUN_STARTED t %[1]s
				TOOL_CALL_START %[1]s f
				TOOL_CALL_END %[1]s
				RUN_FINISHED t %[1]s result={"id":"%[1]s"} usage=[{"provider":"%[1]s","model":"m","inputTokens":%[2]d}]
				RUN_STARTED t %[1]s
				RUN_FINISHED t %[1]s outcome={"type":"interrupt","interrupts":[{"id":"%[1]s","reason":"r","message":"%[1]s","metadata":{"a":"%[1]s"}}]}
				RUN_STARTED t %[1]s
				{"type":"RUN_ERROR","message":"%[1]s","code":"%[1]s","usage":[{"provider":"%[1]s","model":"m"}]}`, id, i))...))
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = s.Close()
		_ = s.Release()
	}
	if len(list) != 180 {
		t.Fatalf("%d runs ended", len(list))
	}
	for i, k := range list {
		if diff := cmp.Diff(k.was, text(k.end)); diff != "" {
			t.Fatalf("run %d (-as it was +now):\n%s", i, diff)
		}
	}
}

func TestHandlerViewIsTheHandlers(t *testing.T) {
	if !engine.Poisoned {
		t.Skip("only builds with race or aguipoison look")
	}
	s, err := engine.NewStream(engine.HandlerFunc(func(s *engine.Stream, _ engine.Update) { s.HandlerView() }), engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(engine.Frames(events(wholeRun)...)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("nothing is said of a use outside of the handler")
		}
	}()
	s.HandlerView()
}
