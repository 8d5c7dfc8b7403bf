package interop

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// line tells an update so that two runs can be compared.
func line(u engine.Update) string {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		return fmt.Sprintf("message %d %s %s %q %s", u.Index, u.ID, u.Change, u.Delta, u.ToolCallID)
	case *engine.MessagesUpdate:
		return fmt.Sprintf("messages %d", len(u.Messages))
	case *engine.StateUpdate[engine.Raw]:
		var v any // numbers as doubles: JavaScript wrote some of them
		_ = json.Unmarshal(u.State.AppendJSON(nil), &v)
		return fmt.Sprintf("state %v", v)
	case *engine.ReasoningUpdate:
		return fmt.Sprintf("reasoning %s %s %q %q", u.ID, u.Change, u.Delta, u.Text)
	case *engine.InterruptUpdate:
		return "interrupt " + string(u.Interrupt.AppendJSON(nil))
	case *engine.SubagentUpdate:
		return fmt.Sprintf("subagent %d %s %s", u.Index, u.Change, u.Subagent.AppendJSON(nil))
	case *engine.ErrorUpdate:
		return fmt.Sprintf("error %s %s", u.Err.Kind, u.Err.Reason)
	case *engine.Done:
		e := u.End
		return fmt.Sprintf("done %s %s %v %q %q", e.Kind, e.Result, e.PendingToolCallIDs, e.Message, e.Code)
	}
	return fmt.Sprintf("%T", u)
}

// reading is all that a run gave.
type reading struct {
	Lines []string
	Holds held
	Usage []engine.TokenUsage
}

// read makes a run over a transport.
func read(t *testing.T, tr engine.Transport, rules engine.Rules, opts ...engine.SessionOption) reading {
	t.Helper()
	s := engine.NewSession[engine.Raw](tr, "interop", append(opts, engine.WithRules(rules))...)
	var r reading
	for u := range s.Run(t.Context(), engine.WithRunID("r1")) {
		r.Lines = append(r.Lines, line(u))
		if d, ok := u.(*engine.Done); ok {
			r.Usage = d.End.Usage
		}
	}
	r.Holds = sessionHolds(t, s)
	return r
}

// sameReading holds a run over HTTP to the same events from memory, with both rule sets.
func sameReading(t *testing.T, over func() engine.Transport, body []byte, opts ...engine.SessionOption) {
	t.Helper()
	for _, rules := range ruleSets {
		t.Run(rules.String(), func(t *testing.T) {
			got := read(t, over(), rules, opts...)
			want := read(t, engine.ReplayBytes(body), rules, opts...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-from memory +over HTTP):\n%s", diff)
			}
			if len(got.Lines) == 0 {
				t.Error("no update")
			}
		})
	}
}
