package plain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scenario is a stream and what it does.
type scenario struct {
	name   string
	events []string
	opts   Options
	want   []string // the updates in short
	raw    bool     // events are the whole stream, not the inside of a run
	// state and conversation are compared where they are set.
	state        string
	conversation string
	warnings     int
}

func runScenarios(t *testing.T, list []scenario) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			text := inRun(c.events...)
			if c.raw {
				text = body(c.events...)
			}
			r := record(t, c.opts, text, 0)
			if diff := cmp.Diff(c.want, r.summary()); diff != "" {
				t.Errorf("updates (-want +got):\n%s\n%s", diff, r.text())
			}
			if c.state != "" && string(appendJSON(nil, r.snapshot["state"])) != c.state {
				t.Errorf("state is %s, want %s", appendJSON(nil, r.snapshot["state"]), c.state)
			}
			if c.conversation != "" {
				if diff := cmp.Diff(mustParse([]byte(c.conversation)), r.snapshot["conversation"]); diff != "" {
					t.Errorf("conversation (-want +got):\n%s", diff)
				}
			}
			if len(r.warnings) != c.warnings {
				t.Errorf("%d warnings, want %d: %v", len(r.warnings), c.warnings, r.warnings)
			}
			for _, chunk := range []int{1, 7} {
				if diff := cmp.Diff(r.lines, record(t, c.opts, text, chunk).lines); diff != "" {
					t.Errorf("chunks of %d (-whole +chunks):\n%s", chunk, diff)
				}
			}
		})
	}
}

var (
	spec     = Options{Spec: true}
	noVerify = Options{NoVerify: true}
)

func textStart(id string) string { return `{"type":"TEXT_MESSAGE_START","messageId":"` + id + `"}` }
func textEnd(id string) string   { return `{"type":"TEXT_MESSAGE_END","messageId":"` + id + `"}` }
func textDelta(id, delta string) string {
	return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + delta + `"}`
}
func callStart(id, more string) string {
	return `{"type":"TOOL_CALL_START","toolCallId":"` + id + `","toolCallName":"n"` + more + `}`
}
func callArgs(id, delta string) string {
	return `{"type":"TOOL_CALL_ARGS","toolCallId":"` + id + `","delta":"` + delta + `"}`
}
func callEnd(id string) string { return `{"type":"TOOL_CALL_END","toolCallId":"` + id + `"}` }

func TestEvents(t *testing.T) {
	failed := []string{"error json", "done failed"}
	runScenarios(t, []scenario{
		{
			name:   "D01 a character cut into two deltas",
			events: []string{textStart("m"), textDelta("m", `a\ud83d`), textDelta("m", ``), textDelta("m", `\ude00b`), textEnd("m")},
			want:   []string{"message started m", "message content m a", "message content m ", "message content m 😀b", "message ended m", "done success"},
		},
		{
			name:   "D01 in arguments",
			events: []string{callStart("c", ""), callArgs("c", `\ud83d`), callArgs("c", `\ude00`), callEnd("c")},
			want:   []string{"message toolCallStarted c c", "message toolCallArgs c c ", "message toolCallArgs c c 😀", "message toolCallEnded c c", "done success"},
		},
		{
			name:   "D01 halves of two items never join",
			events: []string{textStart("m"), textStart("n"), textDelta("m", `\ud83d`), textDelta("n", `\ude00`), textDelta("m", `x`), textEnd("m"), textEnd("n")},
			want: []string{"message started m", "message started n", "message content m ", "message content n \ufffd",
				"message content m \ufffdx", "message ended m", "message ended n", "done success"},
		},
		{
			name:   "D01 a half that nothing follows",
			events: []string{textStart("m"), textDelta("m", `a\ud83d`), textEnd("m")},
			want:   []string{"message started m", "message content m a", "message content m \ufffd", "message ended m", "done success"},
		},
		{
			name:         "D01 a half that never ends",
			events:       []string{runStart, textStart("m"), textDelta("m", `a\ud83d`), `{"type":"RUN_ERROR","message":"x"}`},
			raw:          true,
			want:         []string{"message started m", "message content m a", "error run", "done failed"},
			conversation: `[{"id":"m","role":"assistant","content":"a\ufffd"}]`,
		},
		{name: "D02 null in optional fields", events: []string{
			`{"type":"RUN_STARTED","threadId":"t","runId":"r","timestamp":null}`, callStart("c", `,"parentMessageId":null,"subagentRunId":null`), callEnd("c"), runEnd,
		}, raw: true, warnings: 3, want: []string{"message toolCallStarted c c", "message toolCallEnded c c", "done success"}},
		{name: "D03 an unknown type in Spec", opts: spec, events: []string{`{"type":"FANCY_NEW","x":1}`}, warnings: 1, want: []string{"done success"}},
		{name: "D03 an unknown type in Loud", events: []string{`{"type":"FANCY_NEW","x":1}`}, want: failed},
		{name: "D03 an unknown member in Spec", opts: spec, events: []string{`{"type":"CUSTOM","name":"n","value":1,"more":2}`}, warnings: 1, want: []string{"done success"}},
		{name: "D03 an unknown member in Loud", events: []string{`{"type":"CUSTOM","name":"n","value":1,"more":2}`}, want: []string{"done success"}},
		{name: "D03 a member of another type", opts: spec, events: []string{`{"type":"CUSTOM","name":"n","value":1,"delta":2}`}, warnings: 1, want: []string{"done success"}},
		{name: "D03 a malformed field", events: []string{`{"type":"TEXT_MESSAGE_START","messageId":12345}`}, want: failed},
		{name: "D03 no type", events: []string{`{"x":1}`}, want: failed},
		{name: "D03 an array", events: []string{`[1]`}, want: failed},
		{name: "D03 a number", events: []string{`5`}, want: failed},
		{name: "D03 a marker", events: []string{`[DONE]`}, want: failed},
		{name: "F06 empty data", events: []string{``}, want: failed},
		{name: "names are exact", events: []string{`{"type":"TEXT_MESSAGE_START","MessageID":"m"}`}, want: failed},
		{name: "a name in other letters doesn't hide the right one", events: []string{textStart("m"),
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"right","Delta":"wrong"}`, textEnd("m")},
			want: []string{"message started m", "message content m right", "message ended m", "done success"}},
		{name: "an escaped name", events: []string{textStart("m"), `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","d\u0065lta":"x"}`, textEnd("m")},
			want: []string{"message started m", "message content m x", "message ended m", "done success"}},
		{name: "the last duplicate wins", events: []string{textStart("m"), `{"type":"TEXT_MESSAGE_CONTENT","messageId":"z","delta":"a","messageId":"m","delta":"b"}`, textEnd("m")},
			want: []string{"message started m", "message content m b", "message ended m", "done success"}},
		{name: "invalid UTF-8", events: []string{textStart("m"), textDelta("m", "a\xE2\x82b\xFF\xFE\xF0\x9F\x98"), textEnd("m")},
			want: []string{"message started m", "message content m a\ufffdb\ufffd\ufffd\ufffd", "message ended m", "done success"}},
		{name: "integral by value", events: []string{`{"type":"CUSTOM","name":"n","value":1,"timestamp":1.0e3}`}, want: []string{"done success"}},
		{name: "a fraction is no integer", events: []string{`{"type":"CUSTOM","name":"n","value":1,"timestamp":1.5}`}, want: failed},
		{name: "beyond the exact integers", events: []string{`{"type":"CUSTOM","name":"n","value":1,"timestamp":9007199254740992}`}, want: failed},
		{name: "numbers keep their digits", events: []string{`{"type":"STATE_SNAPSHOT","snapshot":[9007199254740993,1.0,1e400]}`},
			want: []string{"state [9007199254740993,1.0,1e400]", "done success"}},
	})
}

func TestTextThatIsNoJSON(t *testing.T) {
	for _, value := range []string{`1.0.1`, `01`, `+1`, `1.`, `.5`, `1e`, `NaN`, `"\x41"`, `"\u12G4"`, "\"a\x00b\"", "\"a\tb\""} {
		t.Run("D05 "+value, func(t *testing.T) {
			r := record(t, Options{}, inRun(`{"type":"STATE_SNAPSHOT","snapshot":`+value+`}`), 0)
			if diff := cmp.Diff([]string{"error json", "done failed"}, r.summary()); diff != "" {
				t.Error(diff)
			}
			if at := fmt.Sprintf("%v at %v", r.updates[0]["event"], r.updates[0]["offset"]); at != "2 at 57" {
				t.Errorf("the error is at %s", at)
			}
		})
	}
}

func TestDepth(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, value, want string
	}{
		{"D07 at the limit", nest(depthLimit - 1), ""},
		{"D07 over the limit", nest(depthLimit), "decode"},
		{"D07 far over", nest(10_001), "decode"},
		{"D07 very far over", nest(1_000_000), "decode"},
		{"D07 unclosed", strings.Repeat("[", 40_000), "decode"},
		{"not JSON before the limit", `x` + nest(depthLimit), "json"},
		{"brackets in a string", `"` + nest(depthLimit) + `"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t, Options{}, inRun(`{"type":"CUSTOM","name":"n","value":`+c.value+`}`), 0)
			kind := ""
			if u := r.updates[0]; u["update"] == "error" {
				kind = u["kind"].(string)
			}
			if kind != c.want {
				t.Errorf("error %q, want %q", kind, c.want)
			}
		})
	}
}
