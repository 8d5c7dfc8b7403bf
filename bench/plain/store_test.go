package plain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func snapshotOf(messages string) string {
	return `{"type":"MESSAGES_SNAPSHOT","messages":` + messages + `}`
}

func TestStore(t *testing.T) {
	held := Options{Messages: []byte(`[{"id":"a1","role":"assistant","content":"old"},{"id":"x","role":"activity","activityType":"k","content":{}},
		{"id":"z","role":"reasoning","content":"t"},{"id":"gone","role":"user","content":"g"}]`)}
	result := func(id, content string) string {
		return `{"type":"TOOL_CALL_RESULT","messageId":"` + id + `","toolCallId":"c","content":` + content + `}`
	}
	runScenarios(t, []scenario{
		{name: "M02 a snapshot keeps what it doesn't speak of", opts: held,
			events: []string{snapshotOf(`[{"id":"u1","role":"user","content":"u"},{"id":"a1","role":"assistant","content":"new"}]`)},
			want:   []string{"messages", "done success"},
			conversation: `[{"id":"a1","role":"assistant","content":"new"},{"id":"x","role":"activity","activityType":"k","content":{}},
				{"id":"z","role":"reasoning","content":"t"},{"id":"u1","role":"user","content":"u"}]`},
		{name: "M02 a snapshot with an activity", opts: held,
			events:       []string{snapshotOf(`[{"id":"y","role":"activity","activityType":"k","content":{"n":1}}]`)},
			want:         []string{"messages", "done success"},
			conversation: `[{"id":"z","role":"reasoning","content":"t"},{"id":"y","role":"activity","activityType":"k","content":{"n":1}}]`},
		{name: "duplicate ids in one snapshot", events: []string{snapshotOf(`[{"id":"a","role":"user","content":"1"},{"id":"b","role":"user","content":"2"},{"id":"a","role":"user","content":"3"}]`)},
			want:         []string{"messages", "done success"},
			conversation: `[{"id":"a","role":"user","content":"3"},{"id":"b","role":"user","content":"2"}]`},
		{name: "deltas go on in the snapshot's copy", events: []string{textStart("m"), textDelta("m", `a\ud83d`), snapshotOf(`[{"id":"m","role":"assistant","content":"S"}]`),
			textDelta("m", `\ude00`), textEnd("m")},
			want: []string{"message started m", "message content m a", "messages", "message content m \ufffd", "message ended m", "done success"}},
		{name: "a snapshot drops what is open", events: []string{textStart("m"), callStart("c", ""), snapshotOf(`[]`), textDelta("m", "x"), callEnd("c"), textStart("m"), textEnd("m"), textEnd("m")},
			want:         []string{"message started m", "message toolCallStarted c c", "messages", "error protocol", "message started m", "message ended m", "error protocol", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":""}]`},
		{name: "a snapshot sets owners", events: []string{textStart("m"), snapshotOf(`[{"id":"m","role":"assistant","content":"","subagentRunId":"s"}]`),
			tagged(textDelta("m", "x"), "s"), tagged(textDelta("m", "y"), "u"), textEnd("m")},
			want: []string{"message started m", "messages", "message content m x", "error protocol", "message ended m", "done success"}},
		{name: "an unknown part is stripped in Spec", opts: spec, warnings: 3, events: []string{snapshotOf(`[{"id":"m","role":"user","content":[{"type":"text","text":"a"},{"type":"hologram"},` +
			`{"type":"image","source":{"type":"quantum","value":"v"}}]},{"id":"n","role":"oracle"}]`)},
			want: []string{"messages", "done success"}, conversation: `[{"id":"m","role":"user","content":[{"type":"text","text":"a"}]}]`},
		{name: "an unknown part is fatal in Loud", events: []string{snapshotOf(`[{"id":"m","role":"user","content":[{"type":"hologram"}]}]`)}, want: []string{"error json", "done failed"}},
		{name: "a binary part is upgraded", warnings: 1, events: []string{snapshotOf(`[{"id":"m","role":"user","content":[{"type":"binary","mimeType":"image/png","url":"u"}]}]`)},
			want: []string{"messages", "done success"}, conversation: `[{"id":"m","role":"user","content":[{"type":"image","source":{"type":"url","value":"u","mimeType":"image/png"}}]}]`},
		{name: "text into parts", opts: Options{Messages: []byte(`[{"id":"m","role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","value":"u"}}]}]`)},
			events: []string{textStart("m"), textDelta("m", "b"), textEnd("m")}, want: []string{"message started m", "message content m b", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"user","content":[{"type":"text","text":"ab"},{"type":"image","source":{"type":"url","value":"u"}}]}]`},
		{name: "placing calls", warnings: 1, events: []string{
			`{"type":"TEXT_MESSAGE_START","messageId":"u","role":"user"}`, textEnd("u"),
			callStart("u", ""), callEnd("u"), // its id is a message's
			callStart("c", `,"parentMessageId":"u"`), callEnd("c"), // the parent is no assistant
			callStart("d", `,"parentMessageId":"p"`), callEnd("d"), // the parent is unknown
			`{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"other"}`, callEnd("d")},
			want: []string{"message started u", "message ended u", "message toolCallStarted u-message u", "message toolCallEnded u-message u",
				"message toolCallStarted c c", "message toolCallEnded c c", "message toolCallStarted p d", "message toolCallEnded p d",
				"message toolCallStarted p d", "message toolCallEnded p d", "done success"}},
		{name: "results", warnings: 1, events: []string{textStart("m"), textEnd("m"), result("r", `"one"`), tagged(result("r", `[]`), "s"), result("m", `"two"`)},
			want: []string{"message started m", "message ended m", "message toolResult r c", "message toolResult r c", "message toolResult m-result c", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":""},{"id":"r","role":"tool","content":[],"toolCallId":"c","subagentRunId":"s"},
				{"id":"m-result","role":"tool","content":"two","toolCallId":"c"}]`},
		{name: "activities", warnings: 2, events: []string{activitySnapshot,
			`{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"z","content":{"n":1},"replace":false,"metadata":{"a":1},"subagentRunId":"s"}`,
			`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"j","patch":[{"op":"add","path":"/k","value":1}],"metadata":{"a":2}}`,
			`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"no","patch":[{"op":"remove","path":"/zz"}],"metadata":{"a":3}}`,
			`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"no","patch":[{"op":"replace","path":"","value":1}]}`,
			tagged(`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"no","patch":[]}`, "s"),
			`{"type":"ACTIVITY_DELTA","messageId":"nobody","activityType":"no","patch":[]}`,
			textStart("m"), textEnd("m"), `{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"k","content":{}}`},
			want: []string{"message activity act", "message activity act", "message activity act", "error patch", "error patch", "error protocol",
				"message started m", "message ended m", "done success"},
			conversation: `[{"id":"act","role":"activity","activityType":"j","content":{"k":1},"metadata":{"a":2}},{"id":"m","role":"assistant","content":""}]`},
		{name: "a thought in its span", events: []string{`{"type":"REASONING_START","messageId":"r"}`,
			`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"x"}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"r"}`, `{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"r"}`, `{"type":"REASONING_END","messageId":"r"}`,
			`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"v","encryptedValueType":"k"}`,
			`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"w"}`},
			want: []string{"reasoning started r ", "reasoning content r x x", "reasoning ended r x", "reasoning started r x", "reasoning ended r x",
				"reasoning encryptedValue r x", "reasoning encryptedValue r x", "done success"},
			conversation: `[{"id":"r","role":"reasoning","content":"x","encryptedValue":"w"}]`},
		{name: "a span without a message", events: []string{`{"type":"REASONING_START","messageId":"s"}`, `{"type":"REASONING_END","messageId":"s"}`},
			want: []string{"reasoning started s ", "reasoning ended s ", "done success"}, conversation: `[]`},
		{name: "retired thinking", warnings: 2, events: []string{`{"type":"THINKING_START","title":"x"}`, `{"type":"THINKING_TEXT_MESSAGE_START"}`,
			`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`, `{"type":"THINKING_TEXT_MESSAGE_END"}`, `{"type":"THINKING_END"}`, `{"type":"THINKING_END"}`,
			`{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_END"}`, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`},
			want: []string{"reasoning started thinking-1 ", "reasoning content thinking-1 a a", "reasoning ended thinking-1 a", "error protocol",
				"reasoning started thinking-2 ", "reasoning ended thinking-2 ", "error protocol", "done success"}},
		{name: "metadata", events: []string{tagged(textStart("m"), "s"),
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","metadata":{"a":{"b":1},"__proto__":1}}`, `{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":{"a":null}}`},
			want:         []string{"message started m", "message content m x", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"x","metadata":{"a":null,"__proto__":1},"subagentRunId":"s"}]`},
		{name: "adopted input", raw: true, opts: Options{AdoptInput: true, Messages: []byte(`[{"id":"u","role":"user","content":"held"}]`)},
			events: []string{strings.Replace(runStart, "}", `,"input":{"threadId":"t","runId":"r","state":{"k":1},"messages":[{"id":"u","role":"user","content":"echo"},{"id":"z","role":"reasoning","content":"t"}]}}`, 1), runEnd},
			want:   []string{"messages", "state {\"k\":1}", "done success"}, state: `{"k":1}`,
			conversation: `[{"id":"u","role":"user","content":"held"},{"id":"z","role":"reasoning","content":"t"}]`},
	})
}

// TestSnapshotLine holds the last line's members and the lists in it.
func TestSnapshotLine(t *testing.T) {
	r := record(t, Options{}, inRun(textStart("m"), textEnd("m"), `{"type":"REASONING_MESSAGE_CHUNK","messageId":"r","delta":"t"}`, sub("STARTED", "a", `,"name":"x"`), sub("ERROR", "a", `,"message":"m"`)), 0)
	message, thought := `{"id":"m","role":"assistant","content":""}`, `{"id":"r","role":"reasoning","content":"t"}`
	want := `{"threadId":"t","runId":"r","messages":[` + message + `],"reasoning":[` + thought + `],"conversation":[` + message + "," + thought +
		`],"state":{},"interrupts":[],"subagents":[{"id":"a","name":"x","status":"failed","message":"m"}]}`
	if diff := cmp.Diff(want, r.raw); diff != "" {
		t.Error(diff)
	}
}

// TestHistoryCostsNothing holds M03 and M04: a delta costs the same whatever
// is held, and however long the text is.
func TestHistoryCostsNothing(t *testing.T) {
	cost := func(messages, deltas int) time.Duration {
		var seed []string
		for i := range messages {
			seed = append(seed, fmt.Sprintf(`{"id":"s%d","role":"user","content":"x"}`, i))
		}
		head := body(runStart, callStart("c", ""))
		tail := []byte(strings.Repeat("data: "+callArgs("c", "x")+"\n\n", deltas))
		best := time.Hour
		for range 3 {
			p := New(Options{Messages: []byte("[" + strings.Join(seed, ",") + "]")})
			_, _ = p.Write(head)
			start := time.Now()
			_, _ = p.Write(tail)
			best = min(best, time.Since(start))
		}
		return best
	}
	if few, many := cost(10, 5000), cost(5000, 5000); many > 10*few {
		t.Errorf("5,000 deltas take %v with 10 messages and %v with 5,000", few, many)
	}
	if short, long := cost(10, 5000), cost(10, 50_000); long > 60*short {
		t.Errorf("5,000 deltas take %v and 50,000 take %v", short, long)
	}
}
