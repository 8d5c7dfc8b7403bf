package plain

import (
	"strings"
	"testing"
)

const runFailed = `{"type":"RUN_ERROR","message":"boom","code":"E"}`

func sub(kind, id, more string) string {
	return `{"type":"SUBAGENT_` + kind + `","subagentRunId":"` + id + `"` + more + `}`
}

// tagged gives an event a subagentRunId.
func tagged(event, id string) string {
	return strings.TrimSuffix(event, "}") + `,"subagentRunId":"` + id + `"}`
}

func stepEvent(kind, name string) string {
	return `{"type":"STEP_` + kind + `","stepName":"` + name + `"}`
}

func TestVerifier(t *testing.T) {
	violation := "error protocol"
	runScenarios(t, []scenario{
		{name: "V01 the stream ends in the middle", raw: true, events: []string{runStart, textStart("m"), textDelta("m", "The total is 1")},
			want:         []string{"message started m", "message content m The total is 1", violation, "done failed"},
			conversation: `[{"id":"m","role":"assistant","content":"The total is 1"}]`},
		{name: "V01 an empty body", raw: true, want: []string{violation, "done failed"}},
		{name: "V01 verification off", raw: true, opts: noVerify, events: []string{runStart}, want: []string{violation, "done failed"}},
		{name: "V02 parallel calls and text around them", events: []string{
			textStart("m"), textDelta("m", "a"), callStart("A", `,"parentMessageId":"m"`), callStart("B", `,"parentMessageId":"m"`),
			callArgs("A", `1`), callArgs("B", `2`), callArgs("A", `3`), callEnd("B"), callEnd("A"), textDelta("m", "b"), textEnd("m")},
			want: []string{"message started m", "message content m a", "message toolCallStarted m A", "message toolCallStarted m B",
				"message toolCallArgs m A 1", "message toolCallArgs m B 2", "message toolCallArgs m A 3", "message toolCallEnded m B",
				"message toolCallEnded m A", "message content m b", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"ab","toolCalls":[
				{"id":"A","type":"function","function":{"name":"n","arguments":"13"}},{"id":"B","type":"function","function":{"name":"n","arguments":"2"}}]}]`},
		{name: "V03 END twice", events: []string{callStart("c", ""), callEnd("c"), callEnd("c")},
			want: []string{"message toolCallStarted c c", "message toolCallEnded c c", violation, "done success"}},
		{name: "V03 END twice in Spec", opts: spec, events: []string{callStart("c", ""), callEnd("c"), callEnd("c")},
			want: []string{"message toolCallStarted c c", "message toolCallEnded c c", violation, "done failed"}},
		{name: "V03 ARGS for an unknown id", events: []string{callArgs("c", "x")}, want: []string{violation, "done success"}},
		{name: "V03 START while open", events: []string{callStart("c", ""), callStart("c", ""), callEnd("c")},
			want: []string{"message toolCallStarted c c", violation, "message toolCallEnded c c", "done success"}},
		{name: "V03 reopened", events: []string{callStart("c", ""), callArgs("c", "1"), callEnd("c"), callStart("c", ""), callArgs("c", "2"), callEnd("c")},
			want: []string{"message toolCallStarted c c", "message toolCallArgs c c 1", "message toolCallEnded c c",
				"message toolCallStarted c c", "message toolCallArgs c c 2", "message toolCallEnded c c", "done success"},
			conversation: `[{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"12"}}]}]`},
		{name: "V04 RUN_FINISHED after RUN_ERROR", raw: true, events: []string{runStart, runFailed, runEnd}, want: []string{"error run", "done failed", violation}},
		{name: "V04 RUN_ERROR after RUN_FINISHED", raw: true, events: []string{runStart, runEnd, runFailed, runFailed},
			want: []string{"done success", "error run late", violation}},
		{name: "V04 RUN_ERROR first", raw: true, events: []string{runFailed}, want: []string{"error run", "done failed"}},
		{name: "V04 nothing stays open across runs", raw: true, events: []string{runStart, textStart("m"), runFailed, runStart, textStart("m"), textEnd("m"), runEnd},
			want: []string{"message started m", "error run", "done failed", "message started m", "message ended m", "done success"}},
		{name: "V04 nested", events: []string{runStart}, want: []string{violation, "done success"}},
		{name: "V04 open at the end", events: []string{textStart("m")}, want: []string{"message started m", violation, "done success"}},
		{name: "V04 open at the end in Spec", opts: spec, events: []string{textStart("m")}, want: []string{"message started m", violation, "done failed"}},
		{name: "V04 RUN_FINISHED first", raw: true, events: []string{runEnd, runStart, runEnd}, want: []string{violation, "done success"}},
		{name: "V04 RUN_FINISHED first in Spec", raw: true, opts: spec, events: []string{runEnd, runStart, runEnd}, want: []string{violation, "done failed"}},
		{name: "between runs in Spec", raw: true, opts: spec, events: []string{runStart, runEnd, textStart("m"), runStart}, want: []string{"done success", violation}},
		{name: "as a session", raw: true, opts: Options{StopAtDone: true}, events: []string{runStart, runEnd, runFailed, `x`}, want: []string{"done success"}},
		{name: "steps are keyed by owner", events: []string{stepEvent("STARTED", "s"), tagged(stepEvent("STARTED", "s"), "a"), stepEvent("FINISHED", "s"),
			stepEvent("FINISHED", "s"), tagged(stepEvent("FINISHED", "s"), "a")}, want: []string{violation, "done success"}},
		{name: "a continuation under another owner", events: []string{textStart("m"), tagged(textDelta("m", "x"), "a"), textEnd("m")},
			want: []string{"message started m", violation, "message ended m", "done success"}},
		{name: "an untagged continuation", events: []string{tagged(textStart("m"), "a"), textDelta("m", "x"), tagged(textEnd("m"), "a")},
			want:         []string{"message started m", "message content m x", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"x","subagentRunId":"a"}]`},
		{name: "an empty tag is a tag", events: []string{tagged(textStart("m"), ""), textEnd("m")}, want: []string{"message started m", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"","subagentRunId":""}]`},
		{name: "reopened under another owner", events: []string{textStart("m"), textEnd("m"), tagged(textStart("m"), "a")},
			want: []string{"message started m", "message ended m", violation, "done success"}},
		{name: "a call and its parent message differ", events: []string{textStart("m"), textEnd("m"), tagged(callStart("c", `,"parentMessageId":"m"`), "a")},
			want: []string{"message started m", "message ended m", violation, "done success"}},
		{name: "a call takes its parent's owner", events: []string{tagged(textStart("m"), "a"), textEnd("m"), callStart("c", `,"parentMessageId":"m"`), tagged(callEnd("c"), "a")},
			want: []string{"message started m", "message ended m", "message toolCallStarted m c", "message toolCallEnded m c", "done success"}},
		{name: "a subagent's life", events: []string{sub("STARTED", "a", `,"name":"x"`), sub("STARTED", "a", `,"name":"x"`), sub("FINISHED", "a", `,"result":1`),
			sub("ERROR", "a", `,"message":"m"`), sub("STARTED", "a", `,"name":"x"`)},
			want: []string{"subagent started a running", violation, "subagent finished a finished", violation, violation, "done success"}},
		{name: "a subagent resumed in a later run", raw: true, events: []string{runStart, sub("STARTED", "a", `,"name":"x","description":"d"`),
			sub("FINISHED", "a", `,"outcome":{"type":"suspended","interruptIds":["i"]}`), runEnd, runStart, sub("STARTED", "a", `,"name":"y"`),
			sub("ERROR", "a", `,"message":"m","code":"c"`), runEnd},
			want: []string{"subagent started a running", "subagent suspended a suspended", "done success", "subagent resumed a running", "subagent failed a failed", "done success"}},
		{name: "a subagent is left running", events: []string{sub("STARTED", "a", `,"name":"x"`)}, want: []string{"subagent started a running", violation, "done success"}},
		{name: "announced late, parent unknown", events: []string{tagged(textStart("m"), "a"), textEnd("m"), sub("STARTED", "a", `,"name":"x","parentSubagentRunId":"z"`), sub("FINISHED", "a", "")},
			warnings: 2, want: []string{"message started m", "message ended m", "subagent started a running", "subagent finished a finished", "done success"}},
	})
}

func TestEndings(t *testing.T) {
	finish := func(more string) string {
		return strings.TrimSuffix(runEnd, "}") + "," + more + "}"
	}
	runScenarios(t, []scenario{
		{name: "interrupts", raw: true, events: []string{runStart, finish(`"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"},{"id":"j","reason":"r"}]}`)},
			want: []string{"interrupt", "interrupt", "done interrupted"}},
		{name: "two interrupts with one id", raw: true, events: []string{runStart, finish(`"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"},{"id":"i","reason":"s"}]}`)},
			want: []string{"error protocol", "interrupt", "done interrupted"}},
		{name: "no interrupts at all", raw: true, events: []string{runStart, finish(`"outcome":{"type":"interrupt","interrupts":[]}`)},
			want: []string{"error json", "done failed"}},
		{name: "cancelled", raw: true, events: []string{runStart, finish(`"outcome":{"type":"cancelled"}`)}, want: []string{"done cancelled"}},
		{name: "unknown outcome in Loud", raw: true, events: []string{runStart, finish(`"outcome":{"type":"paused"}`)}, want: []string{"error json", "done failed"}},
		{name: "unknown outcome in Spec", raw: true, opts: spec, events: []string{runStart, finish(`"outcome":{"type":"paused"}`)}, warnings: 1, want: []string{"done success"}},
		{name: "an outcome that is no object", raw: true, opts: spec, events: []string{runStart, finish(`"outcome":[]`)}, want: []string{"error json", "done failed"}},
		{name: "success with interrupts", raw: true, opts: spec, events: []string{runStart, finish(`"outcome":{"type":"success","interrupts":[1]}`)}, warnings: 1, want: []string{"done success"}},
		{name: "null outcome", raw: true, events: []string{runStart, finish(`"outcome":null,"result":null,"usage":null`)}, warnings: 3, want: []string{"done success"}},
		{name: "pending calls that differ", raw: true, events: []string{runStart, callStart("c", ""), callEnd("c"), finish(`"outcome":{"type":"success","pendingToolCallIds":["d"]}`)},
			warnings: 1, want: []string{"message toolCallStarted c c", "message toolCallEnded c c", "done success"}},
		{name: "ids that differ", raw: true, events: []string{runStart, `{"type":"RUN_FINISHED","threadId":"x","runId":"y"}`}, warnings: 2, want: []string{"done success"}},
		{name: "another thread", raw: true, events: []string{runStart, runEnd, `{"type":"RUN_STARTED","threadId":"x","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"x","runId":"r"}`},
			warnings: 1, want: []string{"done success", "done success"}},
		{name: "usage out of range", raw: true, events: []string{runStart, finish(`"usage":[{"inputTokens":-1}]`)}, want: []string{"error json", "done failed"}},
		{name: "usage integral by value", raw: true, events: []string{runStart, finish(`"usage":[{"inputTokens":1e2,"model":"m"}]`)}, want: []string{"done success"}},
		{name: "a newer protocol", raw: true, events: []string{strings.Replace(runStart, "}", `,"protocolVersion":"1.10"}`, 1), runEnd}, warnings: 1, want: []string{"done success"}},
		{name: "an older protocol", raw: true, events: []string{strings.Replace(runStart, "}", `,"protocolVersion":"1.0"}`, 1), runEnd}, want: []string{"done success"}},
		{name: "an unreadable protocol", raw: true, events: []string{strings.Replace(runStart, "}", `,"protocolVersion":"one"}`, 1), runEnd}, warnings: 1, want: []string{"done success"}},
	})
}

func TestVerificationOff(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "orphans open what they name", opts: noVerify, events: []string{textDelta("m", "x"), textEnd("m"), callArgs("c", "1"), callEnd("c")},
			want: []string{"message content m x", "message ended m", "message toolCallArgs c c 1", "message toolCallEnded c c", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"x"},
				{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"","arguments":"1"}}]}]`},
		{name: "the end of an unknown item", opts: noVerify, events: []string{textEnd("m"), callEnd("c"), sub("FINISHED", "a", "")}, want: []string{"done success"}},
		{name: "START of what is open", opts: noVerify, events: []string{textStart("m"), textStart("m")}, want: []string{"message started m", "message started m", "done success"}},
		{name: "a chunk without an id and a lane", opts: noVerify, events: []string{`{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}`}, want: []string{"error protocol", "done success"}},
		{name: "what follows the end", raw: true, opts: noVerify, events: []string{runStart, runEnd, textStart("m")}, want: []string{"done success", "error protocol"}},
		{name: "START on a message that can't take it", opts: noVerify, events: []string{
			`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x"}`, textStart("m"), textDelta("m", "x")},
			want: []string{"message toolResult m c", "error protocol", "error protocol", "done success"}},
		{name: "nested", opts: noVerify, events: []string{runStart}, want: []string{"done success"}},
	})
}
