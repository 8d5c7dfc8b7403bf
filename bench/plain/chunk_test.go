package plain

import "testing"

func textChunk(more string) string { return `{"type":"TEXT_MESSAGE_CHUNK"` + more + `}` }
func callChunk(more string) string { return `{"type":"TOOL_CALL_CHUNK"` + more + `}` }

const activitySnapshot = `{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"k","content":{}}`

func TestChunks(t *testing.T) {
	violation := "error protocol"
	first := textChunk(`,"messageId":"m","delta":"a"`)
	next := textChunk(`,"delta":"b"`)
	opened := []string{"message started m", "message content m a"}
	closing := func(event string, updates ...string) scenario {
		want := append(append([]string{}, opened...), "message ended m")
		return scenario{name: "C02 closed by " + event, events: []string{first, event, next}, want: append(append(append(want, updates...), violation), "done success")}
	}
	keeping := func(event string, warnings int, updates ...string) scenario {
		want := append(append([]string{}, opened...), updates...)
		return scenario{name: "C02 not closed by " + event, events: []string{first, event, next}, warnings: warnings,
			want: append(want, "message content m b", "message ended m", "done success")}
	}
	list := []scenario{
		{name: "C01 interleaved with names", events: []string{callChunk(`,"toolCallId":"a","toolCallName":"x","delta":"1"`),
			callChunk(`,"toolCallId":"b","toolCallName":"y","delta":"2"`), callChunk(`,"toolCallId":"a","toolCallName":"x","delta":"3"`)},
			want: []string{"message toolCallStarted a a", "message toolCallArgs a a 1", "message toolCallEnded a a",
				"message toolCallStarted b b", "message toolCallArgs b b 2", "message toolCallEnded b b",
				"message toolCallStarted a a", "message toolCallArgs a a 3", "message toolCallEnded a a", "done success"}},
		{name: "C01 the third without a name", events: []string{callChunk(`,"toolCallId":"a","toolCallName":"x","delta":"1"`),
			callChunk(`,"toolCallId":"b","toolCallName":"y","delta":"2"`), callChunk(`,"toolCallId":"a","delta":"3"`)},
			want: []string{"message toolCallStarted a a", "message toolCallArgs a a 1", "message toolCallEnded a a",
				"message toolCallStarted b b", "message toolCallArgs b b 2", violation, "message toolCallEnded b b", "done success"}},
		closing(`{"type":"CUSTOM","name":"n","value":1}`),
		closing(`{"type":"STATE_DELTA","delta":[]}`, "state {}"),
		closing(`{"type":"MESSAGES_SNAPSHOT","messages":[]}`, "messages"),
		keeping(`{"type":"RAW","event":1}`, 0),
		keeping(activitySnapshot, 0, "message activity act"),
		keeping(`{"type":"ACTIVITY_DELTA","messageId":"z","activityType":"k","patch":[]}`, 1),
		keeping(`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v"}`, 0, "message encryptedValue m"),
		{name: "C02 closed by a step", events: []string{first, stepEvent("STARTED", "s"), next, stepEvent("FINISHED", "s")},
			want: []string{"message started m", "message content m a", "message ended m", violation, "done success"}},
		{name: "C02 RUN_ERROR closes first", raw: true, events: []string{runStart, first, runFailed},
			want: []string{"message started m", "message content m a", "message ended m", "error run", "done failed"}},
		{name: "C02 mixing forms", events: []string{first, textDelta("m", "b")},
			want: []string{"message started m", "message content m a", "message ended m", violation, "done success"}},
		{name: "C02 an open chunk at the end of the bytes", raw: true, events: []string{runStart, first},
			want: []string{"message started m", "message content m a", violation, "done failed"}},
		{name: "C02 two lanes are ambiguous", events: []string{textChunk(`,"messageId":"m","delta":"a","subagentRunId":"s"`),
			textChunk(`,"messageId":"n","delta":"b","subagentRunId":"u"`), textChunk(`,"delta":"c"`), textChunk(`,"delta":"d","subagentRunId":"s"`)},
			want: []string{"message started m", "message content m a", "message started n", "message content n b", violation,
				"message content m d", "message ended m", "message ended n", "done success"}},
		{name: "C02 one lane of a subagent", events: []string{textChunk(`,"messageId":"m","delta":"a","subagentRunId":"s"`), next},
			want: []string{"message started m", "message content m a", "message content m b", "message ended m", "done success"}},
		{name: "C02 SUBAGENT_STARTED closes nothing, its end the lane", events: []string{sub("STARTED", "s", `,"name":"x"`),
			textChunk(`,"messageId":"m","delta":"a","subagentRunId":"s"`), sub("STARTED", "u", `,"name":"y"`), textChunk(`,"delta":"b","subagentRunId":"s"`),
			sub("FINISHED", "s", ""), sub("FINISHED", "u", "")},
			want: []string{"subagent started s running", "message started m", "message content m a", "subagent started u running", "message content m b",
				"message ended m", "subagent finished s finished", "subagent finished u finished", "done success"}},
		{name: "C02 conflicting repeats", events: []string{first, textChunk(`,"messageId":"m","role":"user","delta":"b"`), textChunk(`,"role":"assistant","delta":"c"`), textChunk(`,"name":"n","delta":"d"`)},
			want: []string{"message started m", "message content m a", violation, "message content m c", violation, "message ended m", "done success"}},
		{name: "metadata alone", events: []string{first, textChunk(`,"metadata":{"k":1}`), textChunk(``)},
			want:         []string{"message started m", "message content m a", "message content m ", "message ended m", "done success"},
			conversation: `[{"id":"m","role":"assistant","content":"a","metadata":{"k":1}}]`},
		{name: "a refused opener closes nothing", events: []string{textStart("x"), callChunk(`,"toolCallId":"c","toolCallName":"n"`), textChunk(`,"messageId":"x","delta":"b"`),
			callChunk(`,"delta":"1"`), textEnd("x")},
			want: []string{"message started x", "message toolCallStarted c c", violation, "message toolCallArgs c c 1", "message toolCallEnded c c", "message ended x", "done success"}},
		{name: "another kind in the lane", events: []string{first, `{"type":"REASONING_MESSAGE_CHUNK","messageId":"r","delta":"t"}`},
			want: []string{"message started m", "message content m a", "message ended m", "reasoning started r ", "reasoning content r t t", "reasoning ended r t", "done success"}},
		{name: "half a character when a chunk stream is closed", events: []string{textChunk(`,"messageId":"m","delta":"\ud83d"`)},
			want: []string{"message started m", "message content m ", "message content m \ufffd", "message ended m", "done success"}},
	}
	runScenarios(t, list)
}
