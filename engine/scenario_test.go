package engine_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// scenario is a stream and what is to come of it.
type scenario struct {
	name string
	opt  engine.StreamOptions // Rules apart: each row runs under both sets
	// in is an event a line, in the notation of events.
	in string
	// want are the update and warning lines, in order, in the notation of match. Lines that begin with "spec:" are for
	// that set only, "loud:" likewise. Where a protocol error or none decides alone, they are not needed: under Spec
	// the lines end with the first protocol error and its Done.
	want string
	// stores are the lines of storesLines at the end, under Loud; empty: not looked at.
	stores string
	// only names the one set that the row is about.
	only string
}

// required are the members that events takes by place.
var required = map[string][]string{
	"TEXT_MESSAGE_START": {"messageId"}, "TEXT_MESSAGE_CONTENT": {"messageId", "delta"}, "TEXT_MESSAGE_END": {"messageId"},
	"TOOL_CALL_START": {"toolCallId", "toolCallName"}, "TOOL_CALL_ARGS": {"toolCallId", "delta"}, "TOOL_CALL_END": {"toolCallId"},
	"TOOL_CALL_RESULT": {"messageId", "toolCallId", "content"},
	"STATE_SNAPSHOT":   {"snapshot"}, "STATE_DELTA": {"delta"}, "MESSAGES_SNAPSHOT": {"messages"},
	"ACTIVITY_SNAPSHOT": {"messageId", "activityType", "content"}, "ACTIVITY_DELTA": {"messageId", "activityType", "patch"},
	"RAW": {"event"}, "CUSTOM": {"name", "value"},
	"RUN_STARTED": {"threadId", "runId"}, "RUN_FINISHED": {"threadId", "runId"}, "RUN_ERROR": {"message"},
	"STEP_STARTED": {"stepName"}, "STEP_FINISHED": {"stepName"},
	"REASONING_START": {"messageId"}, "REASONING_MESSAGE_START": {"messageId", "role"},
	"REASONING_MESSAGE_CONTENT": {"messageId", "delta"}, "REASONING_MESSAGE_END": {"messageId"}, "REASONING_END": {"messageId"},
	"REASONING_ENCRYPTED_VALUE": {"subtype", "entityId", "encryptedValue"},
	"SUBAGENT_STARTED":          {"subagentRunId", "name"}, "SUBAGENT_FINISHED": {"subagentRunId"}, "SUBAGENT_ERROR": {"subagentRunId", "message"},
	"THINKING_TEXT_MESSAGE_CONTENT": {"delta"},
}

// events reads the notation of scenarios: an event a line, its type, then the values of its required members by place
// and others as name=value. A value that is JSON stands for itself, any other for the string of its letters. A line that
// begins with { is JSON; RS and RF open and finish run r on thread t.
func events(text string) []string {
	var out []string
	for _, l := range cutLines(text) {
		switch l {
		case "RS":
			l = "RUN_STARTED t r"
		case "RF":
			l = "RUN_FINISHED t r"
		}
		if strings.HasPrefix(l, "{") {
			out = append(out, l)
			continue
		}
		words := splitWords(l)
		b := `{"type":` + strconv.Quote(words[0])
		places := required[words[0]]
		for _, w := range words[1:] {
			name, value, named := strings.Cut(w, "=")
			if !named || strings.ContainsAny(name, `"{[`) {
				name, value, places = places[0], w, places[1:]
			}
			if !json.Valid([]byte(value)) {
				value = strconv.Quote(value)
			}
			b += "," + strconv.Quote(name) + ":" + value
		}
		out = append(out, b+"}")
	}
	return out
}

// splitWords parts a line at the spaces that are outside of JSON values.
func splitWords(l string) []string {
	var words []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ' ' && depth == 0:
			if i > start {
				words = append(words, l[start:i])
			}
			start = i + 1
		}
	}
	if start < len(l) {
		words = append(words, l[start:])
	}
	return words
}

// outcome is all that came of a stream.
type outcome struct {
	Lines  []string
	Stores []string
	Counts engine.Counts
}

// feed runs a body, cut as cuts says: it gets what is left and returns how much of it comes next.
func feed(t testing.TB, body []byte, opt engine.StreamOptions, cuts func(left int) int) outcome {
	t.Helper()
	var out outcome
	opt.Warn = func(w engine.Warning) { out.Lines = append(out.Lines, warningLine(w)) }
	s, err := engine.NewStream(engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		out.Lines = append(out.Lines, line(u))
	}), opt)
	if err != nil {
		t.Fatalf("NewStream: %v", err)
	}
	for len(body) > 0 {
		n := cuts(len(body))
		// A chunk of its own memory: what is kept of it would show.
		chunk := slices.Clone(body[:n])
		_, _ = s.Write(chunk)
		for i := range chunk {
			chunk[i] = '#'
		}
		body = body[n:]
	}
	_ = s.Close()
	out.Stores = storesLines(viewOf(s))
	out.Counts = viewOf(s).Counts()
	return out
}

// viewOf is the view of a stream that works on this goroutine.
func viewOf(s *engine.Stream) (view engine.View) {
	_ = s.View(context.Background(), func(v engine.View) { view = v })
	return view
}

func whole(left int) int { return left }
func bytewise(int) int   { return 1 }

func randomCuts(seed uint64) func(int) int {
	r := rand.New(rand.NewPCG(seed, 7))
	return func(left int) int { return 1 + r.IntN(min(left, 97)) }
}

// wantFor is what a rule set is to give.
func (sc scenario) wantFor(rules engine.Rules) []string {
	var want []string
	for _, l := range cutLines(sc.want) {
		set, rest, marked := strings.Cut(l, ": ")
		switch {
		case marked && (set == "spec" || set == "loud"):
			if set == rules.String() {
				want = append(want, rest)
			}
		default:
			want = append(want, l)
		}
		if n := len(want); rules == engine.Spec && n > 0 && strings.HasPrefix(want[n-1], "error protocol") && !strings.Contains(sc.want, "spec: error protocol") {
			return append(want, "done failed: protocol violation ~")
		}
	}
	return want
}

func runScenarios(t *testing.T, rows []scenario) {
	t.Helper()
	seen := map[string]bool{}
	for _, sc := range rows {
		if seen[sc.name] {
			t.Errorf("two rows are called %q", sc.name)
		}
		seen[sc.name] = true
		for _, rules := range []engine.Rules{engine.Loud, engine.Spec} {
			if sc.only != "" && sc.only != rules.String() {
				continue
			}
			t.Run(sc.name+"/"+rules.String(), func(t *testing.T) {
				opt := sc.opt
				opt.Rules = rules
				body := engine.Frames(events(sc.in)...)
				got := feed(t, body, opt, whole)
				want := sc.wantFor(rules)
				if diff := cmp.Diff(want, match(got.Lines, want)); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
				if sc.stores != "" && (rules == engine.Loud || sc.only != "") {
					stores := cutLines(sc.stores)
					if diff := cmp.Diff(stores, trimStores(got.Stores, stores)); diff != "" {
						t.Errorf("stores (-want +got):\n%s", diff)
					}
				}
				for name, cuts := range map[string]func(int) int{"byte by byte": bytewise, "random": randomCuts(1), "other random": randomCuts(2)} {
					if diff := cmp.Diff(got, feed(t, body, opt, cuts)); diff != "" {
						t.Errorf("cut %s (-whole +cut):\n%s", name, diff)
					}
				}
			})
		}
	}
}

// trimStores leaves out the kinds of lines that a row doesn't speak of.
func trimStores(got, want []string) []string {
	kinds := map[string]bool{}
	kind := func(l string) string {
		if strings.HasPrefix(l, "{") {
			return "{"
		}
		k, _, _ := strings.Cut(l, " ")
		return k
	}
	for _, l := range want {
		kinds[kind(l)] = true
	}
	if kinds["no-messages"] {
		kinds["{"] = true
	}
	var out []string
	if kinds["no-messages"] {
		out = append(out, "no-messages")
	}
	for _, l := range got {
		if kinds[kind(l)] {
			out = append(out, l)
		}
	}
	return match(out, want)
}
