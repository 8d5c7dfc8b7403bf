package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

func TestRunningEndsWithDone(t *testing.T) {
	const begins = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	for _, c := range []struct {
		name   string
		events []string
		want   bool
	}{
		{"no run yet", nil, false},
		{"a run is open", []string{begins}, true},
		{"it has finished", []string{begins, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`}, false},
		{"the agent failed", []string{begins, `{"type":"RUN_ERROR","message":"no"}`}, false},
		{"the stream is broken", []string{begins, `{`}, false},
		{"and the next run is open", []string{begins, `{"type":"RUN_ERROR","message":"no"}`, begins}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = s.Write(engine.Frames(c.events...)) // what broke the stream is not what this is about
			if got := viewOf(s).Running(); got != c.want {
				t.Errorf("Running = %v", got)
			}
		})
	}
}
