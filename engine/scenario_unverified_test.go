package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// Verification off: events apply as they come (semantics, section 6).
func TestUnverified(t *testing.T) {
	rows := []scenario{
		{
			name: "orphans open what they name, silently",
			in: `RS
				TEXT_MESSAGE_CONTENT m "a"
				TOOL_CALL_ARGS c "1"
				REASONING_MESSAGE_CONTENT z "t"
				TEXT_MESSAGE_END m
				TOOL_CALL_END c
				REASONING_MESSAGE_END z
				RF`,
			want: `message 0 m content "a"
				message 1 c toolCallArgs c "1"
				reasoning z content "t" = "t"
				message 0 m ended
				message 1 c toolCallEnded c
				reasoning z ended = "t"
				done success pending [c]`,
			stores: `{"id":"m","role":"assistant","content":"a"}
				{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"","arguments":"1"}}]}
				{"id":"z","role":"reasoning","content":"t"}`,
		},
		{
			name: "ends of unknown items are ignored",
			in: `RS
				TEXT_MESSAGE_END m
				TOOL_CALL_END c
				REASONING_MESSAGE_END z
				REASONING_END z
				STEP_FINISHED w
				SUBAGENT_FINISHED s
				SUBAGENT_ERROR s x
				THINKING_END
				RF`,
			want: `done success`,
			stores: `no-messages
				state {}`,
		},
		{
			name: "START of an open item is Started again",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_START m
				TOOL_CALL_START c f
				TOOL_CALL_START c f
				RF`,
			want: `message 0 m started
				message 0 m started
				message 1 c toolCallStarted c "f"
				message 1 c toolCallStarted c "f"
				done success pending [c]`,
		},
		{
			name: "owners, nested runs, steps and what is open are not judged",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=o
				STEP_STARTED w
				STEP_STARTED w
				SUBAGENT_STARTED s n
				SUBAGENT_STARTED s n
				RUN_STARTED t r2
				RUN_FINISHED t r2`,
			want: `message 0 m started
				message 0 m content "a"
				warn SUBAGENT_STARTED /subagentRunId ~
				subagent 0 s started running "n"
				subagent 0 s started running "n"
				done success`,
		},
		{
			name: "the first event may be any",
			in: `TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				RS
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				done success`,
		},
		{
			name: "a chunk without id and lane is an Error all the same",
			in: `RS
				TEXT_MESSAGE_CHUNK delta="a"
				RF`,
			want: `error protocol ~ messageId
				done success`,
		},
		{
			name: "a chunk that contradicts its opener continues",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				TEXT_MESSAGE_CHUNK role=user delta="b"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "b"
				message 0 m ended
				done success`,
		},
		{
			name: "START on a message that can't take it",
			in: `RS
				TOOL_CALL_RESULT o c "x"
				TEXT_MESSAGE_START o
				TEXT_MESSAGE_CONTENT o "y"
				RF`,
			want: `message 0 o toolResult c
				error protocol ~ "o"
				error protocol ~ "o"
				done success`,
		},
		{
			name: "what follows a terminal event",
			in: `RS
				RF
				TEXT_MESSAGE_START m
				RUN_STARTED t r2
				RUN_ERROR no
				RUN_FINISHED t r2`,
			want: `done success
				loud: error protocol ~ TEXT_MESSAGE_START
				loud: error run: run failed: no
				loud: done failed: no
				loud: error protocol ~ RUN_FINISHED
				spec: error protocol ~ TEXT_MESSAGE_START`,
		},
		{
			name: "truncation",
			in: `RS
				TEXT_MESSAGE_CONTENT m "a"`,
			want: `message 0 m content "a"
				error protocol ~ the stream ended before RUN_FINISHED or RUN_ERROR
				done failed ~`,
		},
		{
			name: "two interrupts of one id",
			in: `RS
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"b","reason":"x"},{"id":"b","reason":"y"}]}`,
			want: `interrupt {"id":"b","reason":"x"}
				interrupt {"id":"b","reason":"y"}
				done interrupted b b`,
		},
	}
	for i := range rows {
		rows[i].opt = engine.StreamOptions{NoVerify: true}
	}
	runScenarios(t, rows)
}
