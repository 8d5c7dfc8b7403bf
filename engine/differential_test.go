package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/plain"
	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
	"github.com/aguistream/aguistream/testdata/captures"
)

// account is what a pipeline makes of a stream, less the wording of what it complains of: that is each one's own.
type account struct {
	Updates  []string
	Warnings []string
	Stores   string
	Events   int64
	Applied  int64
	Skipped  int64
	Failed   int64
}

// manner is how a stream is read.
type manner struct {
	rules            engine.Rules
	noVerify, adopts bool
}

func (w manner) String() string {
	s := w.rules.String()
	if w.noVerify {
		s += " unverified"
	}
	if w.adopts {
		s += " adopting"
	}
	return s
}

var manners = []manner{
	{rules: engine.Loud}, {rules: engine.Spec},
	{rules: engine.Loud, noVerify: true}, {rules: engine.Spec, adopts: true},
}

func engineAccount(t testing.TB, body []byte, w manner, cuts func(int) int) account {
	t.Helper()
	var a account
	opt := engine.StreamOptions{Rules: w.rules, NoVerify: w.noVerify, AdoptInput: w.adopts}
	opt.Warn = func(w engine.Warning) { a.Warnings = append(a.Warnings, fmt.Sprintf("%d %s", w.Event, w.Path)) }
	agentsWords := false
	s, err := engine.NewStream(engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		switch u := u.(type) {
		case *engine.StateUpdate[engine.Raw]:
			a.Updates = append(a.Updates, "state "+canonical(u.State.AppendJSON(nil)))
			return
		case *engine.ErrorUpdate:
			e := u.Err
			agentsWords = e.Kind == engine.KindRun
			l := errorPlace(e.Kind.String(), e.Event, e.Offset, e.EventType, e.Late)
			if agentsWords {
				l += fmt.Sprintf(" message %q code %q %v", e.Reason, e.Code, e.HasCode)
			}
			a.Updates = append(a.Updates, l)
			return
		case *engine.Done:
			end := u.End
			if end.Result != nil {
				end.Result = state.JSON(canonical(end.Result))
			}
			if !agentsWords {
				end.Message = ""
			}
			a.Updates = append(a.Updates, doneLine(end))
			return
		case *engine.InterruptUpdate:
			a.Updates = append(a.Updates, "interrupt "+canonical(u.Interrupt.AppendJSON(nil)))
			return
		}
		a.Updates = append(a.Updates, line(u))
	}), opt)
	if err != nil {
		t.Fatal(err)
	}
	for len(body) > 0 {
		n := cuts(len(body))
		_, _ = s.Write(slices.Clone(body[:n]))
		body = body[n:]
	}
	_ = s.Close()
	v := viewOf(s)
	a.Stores = canonical(v.AppendJSON(nil))
	c := v.Counts()
	a.Events, a.Applied, a.Skipped, a.Failed = c.Events, c.Applied, c.Skipped, c.Failed
	slices.Sort(a.Warnings)
	a.Warnings = slices.Compact(a.Warnings) // of a duplicate member one may be enough
	return a
}

func plainAccount(t testing.TB, body []byte, w manner) account {
	t.Helper()
	var a account
	agentsWords := false
	p := plain.New(plain.Options{
		Spec: w.rules == engine.Spec, NoVerify: w.noVerify, AdoptInput: w.adopts,
		Warn: func(w plain.Warning) { a.Warnings = append(a.Warnings, fmt.Sprintf("%d %s", w.Event, w.Path)) },
		Update: func(u *plain.Update) {
			l := plainLine(t, u, agentsWords)
			agentsWords = strings.HasPrefix(l, "error run ")
			a.Updates = append(a.Updates, l)
		},
	})
	_, _ = p.Write(body)
	_ = p.Close()
	a.Stores = canonical(p.Snapshot())
	c := p.Counts()
	a.Events, a.Applied, a.Skipped, a.Failed = c.Events-c.Unread, c.Applied, c.Skipped, c.Failed
	slices.Sort(a.Warnings)
	a.Warnings = slices.Compact(a.Warnings) // of a duplicate member one may be enough
	return a
}

// errorPlace leaves out what the plain pipeline doesn't say: where a stream was cut short, and the type of an event
// whose text is broken.
func errorPlace(kind string, event, offset int64, typ string, late bool) string {
	if event == 0 && kind == "protocol" {
		offset = -1
	}
	if kind == "json" || kind == "decode" {
		typ = ""
	}
	return fmt.Sprintf("error %s event %d offset %d type %q late %v", kind, event, offset, typ, late)
}

// plainLine prints an update of the plain pipeline as engineAccount does the engine's.
func plainLine(t testing.TB, u *plain.Update, agentsWords bool) string {
	t.Helper()
	switch u.Kind {
	case "message":
		l := fmt.Sprintf("message %d %s %s", u.Index, u.ID, u.Change)
		if u.HasCall && u.ToolCallID != "" {
			l += " " + u.ToolCallID
		}
		switch {
		case u.Change == "toolCallStarted":
			l += fmt.Sprintf(" %q", u.Name)
		case u.HasDelta:
			l += fmt.Sprintf(" %q", u.Delta)
		}
		return l
	case "messages":
		return fmt.Sprintf("messages %d", u.Count)
	case "state":
		return "state " + canonical(u.State)
	case "reasoning":
		l := fmt.Sprintf("reasoning %s %s", u.ID, u.Change)
		if u.HasDelta {
			l += fmt.Sprintf(" %q", u.Delta)
		}
		return l + fmt.Sprintf(" = %q", u.Text)
	case "subagent":
		return fmt.Sprintf("subagent %d %s %s %s %q", u.Index, u.ID, u.Change, u.Status, u.Name)
	}
	var m struct {
		Kind, Message, Type, End string
		Code                     *string
		Late                     bool
		Event                    int64
		Offset                   *int64
		Interrupt, Result        json.RawMessage
		Interrupts               []struct{ ID string }
		PendingToolCallIDs       []string
		Usage                    []json.RawMessage
	}
	if err := json.Unmarshal(u.Line(), &m); err != nil {
		t.Fatalf("%v in %s", err, u.Line())
	}
	code, hasCode := "", m.Code != nil
	if hasCode {
		code = *m.Code
	}
	switch u.Kind {
	case "interrupt":
		return "interrupt " + canonical(m.Interrupt)
	case "error":
		offset := int64(-1)
		if m.Offset != nil {
			offset = *m.Offset
		}
		l := errorPlace(m.Kind, m.Event, offset, m.Type, m.Late)
		if m.Kind == "run" {
			l += fmt.Sprintf(" message %q code %q %v", strings.TrimPrefix(m.Message, "run failed: "), code, hasCode)
		}
		return l
	}
	end := engine.RunEnd{PendingToolCallIDs: m.PendingToolCallIDs, Code: code, HasCode: hasCode}
	for end.Kind = engine.Success; end.Kind.String() != m.End; end.Kind++ {
	}
	if m.Result != nil {
		end.Result = state.JSON(canonical(m.Result))
	}
	for _, in := range m.Interrupts {
		end.Interrupts = append(end.Interrupts, engine.Interrupt{ID: in.ID})
	}
	if agentsWords {
		end.Message = m.Message
	}
	for _, raw := range m.Usage {
		var usage engine.TokenUsage
		if err := json.Unmarshal(raw, &usage); err != nil {
			t.Fatal(err)
		}
		end.Usage = append(end.Usage, usage)
	}
	return doneLine(end)
}

func canonical(raw []byte) string { return string(state.CanonicalJSON(nil, raw)) }

// disagreement is the difference between the two pipelines on a body; "" when there is none.
func disagreement(t testing.TB, body []byte, w manner, cuts func(int) int) string {
	t.Helper()
	return cmp.Diff(plainAccount(t, body, w), engineAccount(t, body, w, cuts))
}

func TestEngineAgreesWithPlainOnCaptures(t *testing.T) {
	for _, name := range captures.Names() {
		for _, w := range manners {
			t.Run(name+"/"+w.String(), func(t *testing.T) {
				if diff := disagreement(t, captures.Body(name), w, whole); diff != "" {
					t.Errorf("(-plain +engine):\n%s", diff)
				}
			})
		}
	}
}

func TestEngineAgreesWithPlainOnWorkloads(t *testing.T) {
	for _, name := range workload.Names() {
		for seed := range uint64(4) {
			body, err := workload.Body(name, workload.Options{Seed: seed, Tokens: 40, Runs: 3, StateBytes: stateBytes(name), Chunks: seed%2 == 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range manners {
				t.Run(fmt.Sprintf("%s/%d/%v", name, seed, w), func(t *testing.T) {
					if diff := disagreement(t, body, w, randomCuts(seed)); diff != "" {
						t.Errorf("(-plain +engine):\n%s", diff)
					}
				})
			}
		}
	}
}

func TestEngineAgreesWithPlainOnBrokenStreams(t *testing.T) {
	rounds := uint64(3)
	if testing.Short() {
		rounds = 1
	}
	for _, kind := range workload.Mutations() {
		t.Run(kind, func(t *testing.T) {
			for _, name := range workload.Names() {
				for seed := range rounds {
					body, err := workload.Body(name, workload.Options{Seed: seed, Tokens: 12, Runs: 2, StateBytes: stateBytes(name), Chunks: seed%2 == 1})
					if err != nil {
						t.Fatal(err)
					}
					body = workload.Mutate(kind, body, seed)
					for _, w := range manners {
						if diff := disagreement(t, body, w, whole); diff != "" {
							t.Fatalf("%s, seed %d, %v (-plain +engine):\n%s", name, seed, w, diff)
						}
					}
				}
			}
		})
	}
}

// stateBytes keeps the documents of those workloads small that have one.
func stateBytes(name string) int {
	if name == "state" || name == "mixed" {
		return workload.MinStateBytes
	}
	return 0
}
