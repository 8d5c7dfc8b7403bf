package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
	"github.com/aguistream/aguistream/testdata/captures"
)

// told is what the official client says of one run.
type told struct {
	held
	Types    []string  `json:"types"`
	Warnings []string  `json:"warnings"`
	Error    *string   `json:"error"`
	RunError *runError `json:"runError"`
	Outcome  string    `json:"outcome"`
	Pending  []string  `json:"pending"`
}

type runError struct {
	Message string  `json:"message"`
	Code    *string `json:"code"`
}

// end is how the run ended, in our words.
func (o *told) end() string {
	switch {
	case o.Error != nil || o.RunError != nil:
		return "failed"
	case o.Outcome == "": // it takes a stream that just stops for a completed one
		return "failed"
	case o.Outcome == "interrupt":
		return "interrupted"
	}
	return o.Outcome
}

// question has the official client make runs.
type question struct {
	URL      string            `json:"url"`
	ThreadID string            `json:"threadId"`
	Messages json.RawMessage   `json:"messages"`
	State    json.RawMessage   `json:"state"`
	Runs     []json.RawMessage `json:"runs"`
}

func askOfficial(t *testing.T, q question) []told {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var answer []told
	call(t, "/ask", text, &answer)
	return answer
}

// outcome is a run of ours.
type outcome struct {
	end    engine.RunEnd
	errors []string
}

// run goes through a run, which is over within the limit.
func run(t *testing.T, start func(ctx context.Context) iter.Seq[engine.Update]) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var o outcome
	for u := range start(ctx) {
		switch u := u.(type) {
		case *engine.ErrorUpdate:
			o.errors = append(o.errors, u.Err.Error())
		case *engine.Done:
			o.end = u.End
		}
	}
	if ctx.Err() != nil {
		t.Fatal("the run hangs")
	}
	return o
}

var ruleSets = []engine.Rules{engine.Loud, engine.Spec}

const resumeBoth = `[{"interruptId":"i-1","status":"resolved","payload":{"go":true}},{"interruptId":"i-2","status":"cancelled"}]`

func resumeEntries() []engine.ResumeEntry {
	return []engine.ResumeEntry{
		{InterruptID: "i-1", Status: engine.ResumeResolved, Payload: engine.JSON(`{"go":true}`)},
		{InterruptID: "i-2", Status: engine.ResumeCancelled},
	}
}

// Both clients make two runs of one thread against the same server: everything, which is interrupted, and what comes of
// the answers. Nothing in it is anything to warn of.
func TestTheTypeScriptClientHoldsWhatASessionHolds(t *testing.T) {
	node(t)
	url := served(t, serve.Body{Name: "everything", Runs: [][]byte{frames(everything), frames(afterwards)}})
	official := askOfficial(t, question{
		URL: url, ThreadID: "interop", Messages: json.RawMessage(`[{"id":"u","role":"user","content":"go"}]`), State: json.RawMessage(`{"seed":1}`),
		Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`), json.RawMessage(`{"runId":"r2","resume":` + resumeBoth + `}`)},
	})
	for _, rules := range ruleSets {
		t.Run(rules.String(), func(t *testing.T) {
			var warnings []string
			s := engine.NewSession[engine.Raw](transport(t, url), "interop", engine.WithRules(rules),
				engine.WithMessages(engine.UserMessage("u", "go")), engine.WithState(engine.JSON(`{"seed":1}`)),
				engine.WithWarnings(func(w engine.Warning) { warnings = append(warnings, w.Text) }))
			starts := []func(ctx context.Context) iter.Seq[engine.Update]{
				func(ctx context.Context) iter.Seq[engine.Update] { return s.Run(ctx, engine.WithRunID("r1")) },
				func(ctx context.Context) iter.Seq[engine.Update] {
					return s.ResumeMany(ctx, resumeEntries(), engine.WithRunID("r2"))
				},
			}
			for i, start := range starts {
				ours := run(t, start)
				if official[i].Error != nil || len(official[i].Warnings) > 0 {
					t.Errorf("run %d: the official client fails with %v, warns %q", i, deref(official[i].Error), official[i].Warnings)
				}
				if ours.errors != nil || warnings != nil {
					t.Errorf("run %d: errors %q, warnings %q", i, ours.errors, warnings)
				}
				if got := ours.end.Kind.String(); got != official[i].end() {
					t.Errorf("run %d ends as %s, officially %s", i, got, official[i].end())
				}
				if i < len(starts)-1 {
					continue // lent until the next run; the last is the sum of both
				}
				if diff := cmp.Diff(official[i].Pending, ours.end.PendingToolCallIDs); diff != "" {
					t.Errorf("pending (-official +ours):\n%s", diff)
				}
				same(t, official[i].held, sessionHolds(t, s))
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return "nothing"
	}
	return *s
}

// The first of the two runs alone, so that nothing is covered up by the second, and the one that fails.
func TestTheTypeScriptClientReadsEveryEventType(t *testing.T) {
	node(t)
	url := served(t, serve.Body{Name: "everything", Runs: [][]byte{frames(everything)}}, serve.Body{Name: "failing", Runs: [][]byte{frames(failing)}})
	seen := map[string]bool{}
	for _, name := range []string{"everything", "failing"} {
		official := askOfficial(t, question{
			URL: url + name, ThreadID: "interop", Messages: json.RawMessage(`[]`), State: json.RawMessage(`{}`),
			Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`)},
		})[0]
		for _, typ := range official.Types {
			seen[typ] = true
		}
		for _, rules := range ruleSets {
			t.Run(name+"/"+rules.String(), func(t *testing.T) {
				s := engine.NewSession[engine.Raw](transport(t, url+name), "interop", engine.WithRules(rules))
				ours := run(t, func(ctx context.Context) iter.Seq[engine.Update] { return s.Run(ctx, engine.WithRunID("r1")) })
				compareEnds(t, &official, ours)
				same(t, official.held, sessionHolds(t, s))
			})
		}
	}
	// Chunks reach the client's own code as the events that they stand for.
	chunks := []decode.Type{decode.TextMessageChunk, decode.ToolCallChunk, decode.ReasoningMessageChunk}
	for typ := decode.TextMessageStart; typ <= decode.SubagentError; typ++ {
		isChunk := typ == chunks[0] || typ == chunks[1] || typ == chunks[2]
		if seen[typ.String()] == isChunk {
			t.Errorf("%s delivered: %v", typ, !isChunk)
		}
	}
}

func compareEnds(t *testing.T, official *told, ours outcome) {
	t.Helper()
	if got := ours.end.Kind.String(); got != official.end() {
		t.Errorf("it ends as %s %q, officially %s (%s)", got, ours.errors, official.end(), deref(official.Error))
	}
	if e := official.RunError; e != nil {
		if ours.end.Message != e.Message || ours.end.HasCode != (e.Code != nil) || e.Code != nil && ours.end.Code != *e.Code {
			t.Errorf("RUN_ERROR is %q %q, officially %q %s", ours.end.Message, ours.end.Code, e.Message, deref(e.Code))
		}
	}
	if ours.end.Kind == engine.Success {
		if diff := cmp.Diff(official.Pending, ours.end.PendingToolCallIDs, cmpEmpty); diff != "" {
			t.Errorf("pending (-official +ours):\n%s", diff)
		}
	}
}

var cmpEmpty = cmp.Transformer("empty", func(s []string) string { return strings.Join(s, " ") })

// seeds are the messages and the state that a recorded run was asked with, where the server echoes them. Both clients are
// given them, as they had them when the run was recorded.
func seeds(t *testing.T, body []byte) (messages, st json.RawMessage) {
	t.Helper()
	var f decode.Framer
	f.Feed(body)
	first, _ := f.Next()
	var started struct {
		Input struct{ Messages, State json.RawMessage }
	}
	if err := json.Unmarshal(first.Data, &started); err != nil {
		t.Fatal(err)
	}
	messages, st = started.Input.Messages, started.Input.State
	if messages == nil {
		messages = json.RawMessage(`[]`)
	}
	if st == nil {
		st = json.RawMessage(`{}`)
	}
	return messages, st
}

func TestTheTypeScriptClientHoldsWhatASessionHoldsOfCaptures(t *testing.T) {
	node(t)
	url := served(t)
	for _, name := range captures.Names() {
		messages, st := seeds(t, captures.Body(name))
		official := askOfficial(t, question{
			URL: url + name, ThreadID: "interop", Messages: messages, State: st,
			Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`)},
		})[0]
		for _, rules := range ruleSets {
			t.Run(name+"/"+rules.String(), func(t *testing.T) {
				list, err := new(state.Enforcer).Messages(messages, "")
				if err != nil {
					t.Fatal(err)
				}
				s := engine.NewSession[engine.Raw](transport(t, url+name), "interop", engine.WithRules(rules),
					engine.WithMessages(list...), engine.WithState(engine.JSON(bytes.Clone(st))))
				ours := run(t, func(ctx context.Context) iter.Seq[engine.Update] { return s.Run(ctx, engine.WithRunID("r1")) })
				compareEnds(t, &official, ours)
				want := official.held
				if official.Error != nil {
					// It throws away what it had read and not applied yet, so what it holds is a matter of how the
					// bytes came. What it once made of the same bytes at an even pace was recorded.
					if err := json.Unmarshal(captures.Reference(name), &want); err != nil {
						t.Fatal(err)
					}
				}
				same(t, want, sessionHolds(t, s))
			})
		}
	}
}

// What AG-UI 1.1 added is stripped by a client of 1.0, with a warning, and nothing else comes of it.
func TestTheTypeScriptClientPutsUpWithWhatIsNewer(t *testing.T) {
	node(t)
	body := []string{
		`{"type":"RUN_STARTED","threadId":"","runId":"","protocolVersion":"1.1"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"djE=","encryptedValueType":"acme"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"success"}}`,
	}
	url := served(t, serve.Body{Name: "newer", Runs: [][]byte{frames(body)}})
	official := askOfficial(t, question{
		URL: url, ThreadID: "interop", Messages: json.RawMessage(`[]`), State: json.RawMessage(`{}`),
		Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`)},
	})[0]
	if text := strings.Join(official.Warnings, "\n"); !strings.Contains(text, "/encryptedValueType") {
		t.Errorf("warnings: %s", text)
	}
	s := engine.NewSession[engine.Raw](transport(t, url), "interop", engine.WithRules(engine.Spec))
	ours := run(t, func(ctx context.Context) iter.Seq[engine.Update] { return s.Run(ctx, engine.WithRunID("r1")) })
	compareEnds(t, &official, ours)
	got := sessionHolds(t, s)
	if got.Messages[0]["encryptedValueType"] != "acme" {
		t.Errorf("ours: %v", got.Messages[0])
	}
	delete(got.Messages[0], "encryptedValueType")
	same(t, official.held, got)
}
