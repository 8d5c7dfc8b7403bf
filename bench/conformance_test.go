package bench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
)

// conformanceFolder holds the public streams of the protocol. They are not part of this project.
const conformanceFolder = "../../shared/conformance/streams"

// mustName reduces the reference client's error texts to what any good text names.
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

// mustWarn does the same for warnings.
var mustWarn = map[string][]string{
	"producer-declares-newer-version-warns":   {"version"},
	"state-delta-unappliable-warns-and-keeps": nil, // a patch error here
	"era-current-peer-keeps-modern-content":   nil,
}

// elsewhere are streams whose outcome this module doesn't share on purpose, or that are about requests.
var elsewhere = map[string]string{
	"era-0-0-39-flattens-content":              "eras of older peers are not offered",
	"era-0-0-47-upgrades-binary-content":       "about the request only",
	"era-0-0-57-subagent-dropped-with-warning": "eras of older peers are not offered",
	"era-pinned-peer-omits-protocol-version":   "about the request only",
	"current-peer-declares-protocol-version":   "about the request only",
	"truncated-run-reported-as-completed":      "a gap that the reference admits: truncation fails the run",
	"run-finished-wrong-run-id-fatal":          "from a draft: a warning here",
	"second-run-on-another-thread-fatal":       "from a draft: a warning here",
	"unknown-enum-value-role-fatal":            "a gap that the reference admits: the rule says strip",
}

type fixture struct {
	Name      string
	Stream    []json.RawMessage
	Expect    map[string]any
	Overrides struct{ Typescript map[string]any } `json:"expectOverrides"`
}

func TestConformanceStreams(t *testing.T) {
	paths, err := filepath.Glob(conformanceFolder + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("the conformance streams are not here")
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := json.Unmarshal(body, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		t.Run(f.Name, func(t *testing.T) {
			if why, ok := elsewhere[f.Name]; ok {
				t.Skip(why)
			}
			if f.Stream == nil || f.Expect == nil {
				t.Fatal("not a fixture")
			}
			f.hold(t, body)
		})
	}
}

func (f *fixture) hold(t *testing.T, body []byte) {
	opt := bench.UpdatesOptions{Input: bench.FixtureInput, Rules: engine.Spec, Stream: true, Trace: true, Snapshot: true}
	whole := printOf(t, body, opt)
	for _, opt.Chunk = range []int{1, 7} {
		if diff := cmp.Diff(whole.text, printOf(t, body, opt).text); diff != "" {
			t.Errorf("fed %d bytes at a time (-whole +cut):\n%s", opt.Chunk, diff)
		}
	}
	for name, want := range f.Overrides.Typescript {
		f.Expect[name] = want
	}
	for name, want := range f.Expect {
		check, ok := expectations[name]
		if !ok {
			t.Errorf("nothing is known of the expectation %q", name)
			continue
		}
		if fault := check(f, want, whole); fault != "" {
			t.Errorf("%s: %s\n%s", name, fault, whole.text)
		}
	}
}

// expectations are what a fixture can say, each giving what is wrong.
var expectations = map[string]func(f *fixture, want any, got *printed) string{
	"intentional":        unchecked, // says that an override is no oversight
	"errorContains":      unchecked, // its texts are those of mustName
	"request":            unchecked,
	"requestAbsentPaths": unchecked,
	"outcome":            checkOutcome,
	"runError":           checkRunError,
	"eventTypes":         func(_ *fixture, want any, got *printed) string { return within(want, got.types(), "types") },
	"eventTypesAbsent":   checkAbsentTypes,
	"eventPaths":         checkPaths,
	"eventAbsentPaths":   checkAbsentPaths,
	"warnings":           checkWarnings,
	"noWarnings":         checkNoWarnings,
	"messageCount":       checkCount,
	"messages": func(_ *fixture, want any, got *printed) string {
		return within(want, got.snapshot["conversation"], "messages")
	},
	"state": func(_ *fixture, want any, got *printed) string { return within(want, got.snapshot["state"], "state") },
}

func unchecked(*fixture, any, *printed) string { return "" }

func checkOutcome(f *fixture, want any, got *printed) string {
	hard := got.hard()
	if want != "failed" {
		if len(hard) > 0 {
			return fmt.Sprint("an error: ", hard[0]["message"])
		}
		return ""
	}
	// Between runs there is no run to end: an error that stands last closes the stream.
	last := got.updates[len(got.updates)-1]
	if got.end() != "failed" && (len(hard) == 0 || last["update"] != "error") {
		return "the last run did not fail"
	}
	var texts strings.Builder
	for _, e := range got.kind("error") {
		fmt.Fprintln(&texts, e["message"])
	}
	for _, name := range mustName[f.Name] {
		if !strings.Contains(strings.ToLower(texts.String()), name) {
			return fmt.Sprintf("no error names %q", name)
		}
	}
	return ""
}

func checkRunError(_ *fixture, want any, got *printed) string {
	text, _ := want.(string)
	for _, e := range got.kind("error") {
		if message, _ := e["message"].(string); e["kind"] == "run" && strings.Contains(message, text) {
			return ""
		}
	}
	return "no such run error"
}

func (p *printed) types() []any {
	types := []any{}
	for _, e := range p.events {
		types = append(types, e.(map[string]any)["type"])
	}
	return types
}

func checkAbsentTypes(_ *fixture, want any, got *printed) string {
	for _, absent := range want.([]any) {
		for _, typ := range got.types() {
			if typ == absent {
				return fmt.Sprint(typ, " was delivered")
			}
		}
	}
	return ""
}

func checkPaths(_ *fixture, want any, got *printed) string {
	for path, w := range want.(map[string]any) {
		v, ok := dig(got.events, path)
		if !ok {
			return path + " is absent"
		}
		if fault := within(w, v, path); fault != "" {
			return fault
		}
	}
	return ""
}

func checkAbsentPaths(_ *fixture, want any, got *printed) string {
	for _, path := range want.([]any) {
		if v, ok := dig(got.events, path.(string)); ok {
			return fmt.Sprintf("%s is there: %v", path, v)
		}
	}
	return ""
}

func checkWarnings(f *fixture, want any, got *printed) string {
	var texts strings.Builder
	for _, w := range got.warnings {
		fmt.Fprintln(&texts, w["warning"], w["type"], w["path"])
	}
	names, special := mustWarn[f.Name]
	if !special {
		for _, w := range want.([]any) {
			names = append(names, w.(string))
		}
	}
	for _, name := range names {
		if !strings.Contains(strings.ToLower(texts.String()), strings.ToLower(name)) {
			return fmt.Sprintf("no warning names %q", name)
		}
	}
	if f.Name != "state-delta-unappliable-warns-and-keeps" {
		return ""
	}
	if errors := got.kind("error"); len(errors) != 1 || errors[0]["kind"] != "patch" {
		return "no patch error"
	}
	return ""
}

func checkNoWarnings(_ *fixture, want any, got *printed) string {
	if want == true && len(got.warnings) > 0 {
		return fmt.Sprint(got.warnings[0])
	}
	return ""
}

func checkCount(_ *fixture, want any, got *printed) string {
	if n := len(got.conversation()); float64(n) != want {
		return fmt.Sprintf("%d messages, want %v", n, want)
	}
	return ""
}

// dig follows a dotted path of members and indexes.
func dig(v any, path string) (any, bool) {
	for _, step := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// within says where got isn't what is wanted: arrays of one length, objects on the named members, all else equal.
func within(want, got any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: %v is no object", at, got)
		}
		for name, w := range want {
			g, ok := object[name]
			if !ok {
				return at + "." + name + " is absent"
			}
			if fault := within(w, g, at+"."+name); fault != "" {
				return fault
			}
		}
		return ""
	case []any:
		array, ok := got.([]any)
		if !ok || len(array) != len(want) {
			return fmt.Sprintf("%s: %v is no array of %d", at, got, len(want))
		}
		for i, w := range want {
			if fault := within(w, array[i], at+"."+strconv.Itoa(i)); fault != "" {
				return fault
			}
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf("%s: %v, want %v", at, got, want)
	}
	return ""
}
