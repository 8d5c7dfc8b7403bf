package plain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

type expectation struct {
	Outcome          string
	RunError         any
	EventTypes       []string
	EventTypesAbsent []string
	EventPaths       map[string]any
	EventAbsentPaths []string
	Warnings         []string
	NoWarnings       bool
	MessageCount     *int
	Messages         any
	State            any
}

// mustName has the reference client's own error texts, reduced to what any
// good text must name.
var mustName = map[string][]string{
	"chunk-conflicting-role-fatal":        {"role"},
	"content-without-start-fatal":         {"orphan-content-m1"},
	"event-after-run-finished-fatal":      {"finished"},
	"first-chunk-missing-id-fatal":        {"text_message_chunk", "messageid"},
	"first-event-not-run-started-fatal":   {"run_started"},
	"malformed-known-field-fatal":         {"delta"},
	"nested-run-started-fatal":            {"run_started"},
	"open-message-at-run-finished-fatal":  {"run_finished"},
	"reasoning-message-wrong-role-fatal":  {"role"},
	"step-finished-without-start-fatal":   {"step_finished"},
	"subagent-finished-unstarted-fatal":   {"s-subagent-finished-unstarted-1"},
	"subagent-started-missing-name-fatal": {"name"},
	"truncated-stream-fails-the-run":      {"ended before"},
}

// otherwise lists the streams that are read differently on purpose.
var otherwise = map[string]string{
	"era-0-0-39-flattens-content":              "peer eras are not offered",
	"era-0-0-47-upgrades-binary-content":       "outgoing input only",
	"era-0-0-57-subagent-dropped-with-warning": "peer eras are not offered",
	"era-pinned-peer-omits-protocol-version":   "outgoing input only",
	"current-peer-declares-protocol-version":   "outgoing input only",
	"truncated-run-reported-as-completed":      "truncation fails here",
	"run-finished-wrong-run-id-fatal":          "a warning here",
	"second-run-on-another-thread-fatal":       "a warning here",
	"unknown-enum-value-role-fatal":            "stripped here",
}

func TestConformance(t *testing.T) {
	for _, f := range readShared(t, "conformance/streams") {
		name := strings.TrimSuffix(f.Name(), ".json")
		t.Run(name, func(t *testing.T) {
			if why := otherwise[name]; why != "" {
				t.Skip(why)
			}
			raw, err := os.ReadFile(filepath.Join(shared, "conformance/streams", f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			var fx struct {
				Stream          []json.RawMessage
				Input           struct{ Messages, State json.RawMessage }
				Expect          json.RawMessage
				ExpectOverrides struct{ Typescript json.RawMessage }
			}
			if err := json.Unmarshal(raw, &fx); err != nil {
				t.Fatal(err)
			}
			var want expectation
			keys := map[string]json.RawMessage{}
			for _, part := range []json.RawMessage{fx.Expect, fx.ExpectOverrides.Typescript} {
				if part == nil {
					continue
				}
				if err := json.Unmarshal(part, &want); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(part, &keys); err != nil {
					t.Fatal(err)
				}
			}
			events := make([]string, len(fx.Stream))
			for i, e := range fx.Stream {
				v, err := parse(e)
				if err != nil {
					t.Fatal(err)
				}
				events[i] = string(appendJSON(nil, v))
			}
			opts := Options{Spec: true, Messages: fx.Input.Messages, State: fx.Input.State}
			first := ""
			for _, chunk := range []int{0, 1, 7} {
				r := record(t, opts, body(events...), chunk)
				if first == "" {
					first = r.text()
				}
				if r.text() != first {
					t.Fatalf("other lines in chunks of %d:\n%s\nwhole:\n%s", chunk, r.text(), first)
				}
				for _, fault := range want.faults(name, keys, r) {
					t.Errorf("%s\n%s", fault, r.text())
				}
			}
		})
	}
}

func (want *expectation) faults(name string, keys map[string]json.RawMessage, r *recording) (faults []string) {
	bad := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var hard, run, patches []map[string]any
	texts, lastDone, lastHard := "", -1, -1
	for i, u := range r.updates {
		if u["update"] == "done" {
			lastDone = i
		}
		if u["update"] != "error" {
			continue
		}
		texts += strings.ToLower(u["message"].(string)) + " "
		switch u["kind"] {
		case "run":
			run = append(run, u)
		case "patch":
			patches = append(patches, u)
		default:
			hard, lastHard = append(hard, u), i
		}
	}
	failed := lastDone >= 0 && r.updates[lastDone]["end"] == "failed"
	if want.Outcome == "failed" {
		if len(hard) == 0 && !failed {
			bad("consumed without an error")
		}
		// Between runs there is no run to end: the error closes the stream.
		if between := lastHard > lastDone && lastDone >= 0; !between && !failed {
			bad("the last done is not failed")
		}
		for _, part := range mustName[name] {
			if !strings.Contains(texts, part) {
				bad("no error names %q", part)
			}
		}
	} else if len(hard) > 0 {
		bad("error: %v", hard[0])
	}
	if want.RunError != nil {
		text, _ := want.RunError.(string)
		if len(run) == 0 || !strings.Contains(run[0]["message"].(string), text) {
			bad("no run error %q", text)
		}
	}
	var types []string
	for _, e := range r.events {
		types = append(types, e["type"].(string))
	}
	if want.EventTypes != nil && !reflect.DeepEqual(types, want.EventTypes) {
		bad("event types %q, want %q", types, want.EventTypes)
	}
	for _, typ := range want.EventTypesAbsent {
		if strings.Contains(" "+strings.Join(types, " ")+" ", " "+typ+" ") {
			bad("event %s is delivered", typ)
		}
	}
	for path, value := range want.EventPaths {
		if got, ok := dig(r.events, path); !ok || subset(value, got) != "" {
			bad("event path %s is %v", path, got)
		}
	}
	for _, path := range want.EventAbsentPaths {
		if _, ok := dig(r.events, path); ok {
			bad("event path %s is there", path)
		}
	}
	warned := ""
	for _, w := range r.warnings {
		warned += strings.ToLower(fmt.Sprint(w)) + " "
	}
	if want.NoWarnings && len(r.warnings) > 0 {
		bad("warned: %s", warned)
	}
	if name == "state-delta-unappliable-warns-and-keeps" {
		if len(patches) == 0 {
			bad("no patch error")
		}
	} else {
		for _, part := range want.Warnings {
			if !strings.Contains(warned, strings.ToLower(part)) {
				bad("no warning names %q", part)
			}
		}
	}
	conversation := r.snapshot["conversation"].([]any)
	if want.MessageCount != nil && len(conversation) != *want.MessageCount {
		bad("%d messages, want %d", len(conversation), *want.MessageCount)
	}
	if want.Messages != nil {
		if why := subset(want.Messages, conversation); why != "" {
			bad("messages%s", why)
		}
	}
	if _, ok := keys["state"]; ok {
		if why := subset(want.State, r.snapshot["state"]); why != "" {
			bad("state%s", why)
		}
	}
	return faults
}

// dig follows "<index>.<dotted path>" into the events.
func dig(events []map[string]any, path string) (any, bool) {
	list := make([]any, len(events))
	for i, e := range events {
		list[i] = e
	}
	var v any = list
	for _, token := range strings.Split(path, ".") {
		switch c := v.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(c) {
				return nil, false
			}
			v = c[i]
		case map[string]any:
			x, ok := c[token]
			if !ok {
				return nil, false
			}
			v = x
		default:
			return nil, false
		}
	}
	return v, true
}

// subset says where got lacks what want names: arrays have the same length,
// objects the named members.
func subset(want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf(": %v is no object", got)
		}
		for name, value := range w {
			x, ok := g[name]
			if !ok {
				return "." + name + ": absent"
			}
			if why := subset(value, x); why != "" {
				return "." + name + why
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf(": %v, want %d items", got, len(w))
		}
		for i := range w {
			if why := subset(w[i], g[i]); why != "" {
				return fmt.Sprintf("[%d]%s", i, why)
			}
		}
		return ""
	case float64:
		n, ok := got.(json.Number)
		if f, err := n.Float64(); !ok || err != nil || f != w {
			return fmt.Sprintf(": %v, want %v", got, want)
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf(": %v, want %v", got, want)
	}
	return ""
}
