package bench_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

// reference is what the official TypeScript client made of a capture.
type reference struct {
	Outcome    string           `json:"outcome"`
	RunError   any              `json:"runError"`
	EventTypes []string         `json:"eventTypes"`
	Messages   []map[string]any `json:"messages"`
	State      any              `json:"state"`
}

func (r *reference) truncated() bool {
	last := r.EventTypes[len(r.EventTypes)-1]
	return r.Outcome == "completed" && last != "RUN_FINISHED" && last != "RUN_ERROR"
}

func TestCapturesGiveWhatTheReferenceSays(t *testing.T) {
	opt := bench.UpdatesOptions{Rules: engine.Spec, Stream: true, AdoptInput: true, Snapshot: true}
	for _, name := range captures.Names() {
		t.Run(name, func(t *testing.T) {
			var want reference
			if err := json.Unmarshal(captures.Reference(name), &want); err != nil {
				t.Fatal(err)
			}
			opt := opt
			got := printOf(t, captures.Body(name), opt)
			for _, opt.Chunk = range []int{1, 13} {
				if diff := cmp.Diff(got.text, printOf(t, captures.Body(name), opt).text); diff != "" {
					t.Errorf("fed %d bytes at a time (-whole +cut):\n%s", opt.Chunk, diff)
				}
			}
			want.holdOutcome(t, got)
			want.holdStores(t, got)
		})
	}
}

func (r *reference) holdOutcome(t *testing.T, got *printed) {
	hard := got.hard()
	switch {
	case r.Outcome == "failed":
		if len(hard) == 0 {
			t.Error("the reference fails, and nothing is wrong here")
		}
	case r.truncated() || r.RunError != nil:
		if got.end() != "failed" {
			t.Errorf("the run ended as %q", got.end())
		}
	case len(hard) > 0:
		t.Errorf("an error that the reference hasn't: %v", hard[0]["message"])
	case got.end() == "failed":
		t.Error("the run failed")
	}
}

// holdStores compares messages by id, and the order of those that are no tool's: a result is appended here, and
// inserted behind its call there.
func (r *reference) holdStores(t *testing.T, got *printed) {
	ours := got.conversation()
	r.nameThoughts(ours)
	if diff := cmp.Diff(byID(r.Messages), byID(ours)); diff != "" {
		t.Errorf("messages (-reference +ours):\n%s", diff)
	}
	if diff := cmp.Diff(order(r.Messages), order(ours)); diff != "" {
		t.Errorf("order (-reference +ours):\n%s", diff)
	}
	// The reference reads numbers as doubles, and so does this test.
	if diff := cmp.Diff(r.State, got.snapshot["state"]); r.State != nil && diff != "" {
		t.Errorf("state (-reference +ours):\n%s", diff)
	}
}

// nameThoughts gives minted ids the reference's names: random there, counted here.
func (r *reference) nameThoughts(ours []map[string]any) {
	known := map[any]bool{}
	for _, m := range ours {
		known[m["id"]] = true
	}
	var minted []any
	for _, m := range r.Messages {
		if m["role"] == "reasoning" && !known[m["id"]] {
			minted = append(minted, m["id"])
		}
	}
	for _, m := range ours {
		if strings.HasPrefix(m["id"].(string), "thinking-") && len(minted) > 0 {
			m["id"], minted = minted[0], minted[1:]
		}
	}
}

func byID(messages []map[string]any) map[any]map[string]any {
	m := map[any]map[string]any{}
	for _, message := range messages {
		kept := map[string]any{}
		for name, v := range message {
			if !isEmpty(v) {
				kept[name] = v
			}
		}
		m[message["id"]] = kept
	}
	return m
}

// isEmpty tells what is as good as absent.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func order(messages []map[string]any) []any {
	var ids []any
	for _, m := range messages {
		if m["role"] != "tool" {
			ids = append(ids, m["id"])
		}
	}
	return ids
}
