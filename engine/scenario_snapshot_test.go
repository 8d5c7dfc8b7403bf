package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

func TestMessagesSnapshot(t *testing.T) {
	const held = `MESSAGES_SNAPSHOT [{"id":"a1","role":"assistant","content":"old"},{"id":"x","role":"activity","activityType":"p","content":{}},{"id":"z","role":"reasoning","content":"z"},{"id":"gone","role":"user","content":"g"}]`
	runScenarios(t, []scenario{
		{
			name: "a thought that a snapshot took away and that ended starts anew",
			in: `RS
				REASONING_MESSAGE_START r reasoning
				MESSAGES_SNAPSHOT [{"id":"z","role":"reasoning","content":"z"}]
				REASONING_MESSAGE_END r
				REASONING_MESSAGE_START r reasoning
				REASONING_MESSAGE_END r
				RF`,
			want: `reasoning r started = ""
				messages 0
				reasoning r started = ""
				reasoning r ended = ""
				done success`,
		},
		{
			name: "unverified: what a snapshot took away and a delta opens anew ends like any other",
			opt:  engine.StreamOptions{NoVerify: true},
			in: `RS
				TEXT_MESSAGE_START c
				MESSAGES_SNAPSHOT []
				TOOL_CALL_START c f
				TEXT_MESSAGE_CONTENT c "x"
				TEXT_MESSAGE_END c
				RF`,
			want: `message 0 c started
				messages 0
				message 0 c toolCallStarted c "f"
				message 0 c content "x"
				message 0 c ended
				done success pending [c]`,
		},
		{
			name: "M02 90 kept ones hold their place, new ones follow",
			in: "RS\n" + held + `
				MESSAGES_SNAPSHOT [{"id":"u1","role":"user","content":"u"},{"id":"a1","role":"assistant","content":"new"}]
				RF`,
			want: `messages 3
				messages 3
				done success`,
			stores: `{"id":"a1","role":"assistant","content":"new"}
				{"id":"x","role":"activity","content":{},"activityType":"p"}
				{"id":"z","role":"reasoning","content":"z"}
				{"id":"u1","role":"user","content":"u"}`,
		},
		{
			name: "M02 92 a snapshot with an activity drops the others, and keeps the thoughts",
			in: "RS\n" + held + `
				MESSAGES_SNAPSHOT [{"id":"y","role":"activity","activityType":"q","content":{"k":1}}]
				RF`,
			want: `messages 3
				messages 1
				done success`,
			stores: `{"id":"z","role":"reasoning","content":"z"}
				{"id":"y","role":"activity","content":{"k":1},"activityType":"q"}`,
		},
		{
			name: "92 and the other way round",
			in: "RS\n" + held + `
				MESSAGES_SNAPSHOT [{"id":"y","role":"reasoning","content":"y"}]
				RF`,
			want: `messages 3
				messages 1
				done success`,
			stores: `{"id":"x","role":"activity","content":{},"activityType":"p"}
				{"id":"y","role":"reasoning","content":"y"}`,
		},
		{
			name: "an empty one still is one update",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				MESSAGES_SNAPSHOT []
				RF`,
			want: `message 0 m started
				message 0 m ended
				messages 0
				done success`,
			stores: `no-messages`,
		},
		{
			name: "93 a replaced message is replaced completely",
			in: `RS
				TEXT_MESSAGE_START m name=Ann subagentRunId=s metadata={"k":1}
				TOOL_CALL_START c f parentMessageId=m
				TOOL_CALL_END c
				REASONING_ENCRYPTED_VALUE message m e encryptedValueType=k
				TEXT_MESSAGE_END m
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"x"}]
				RF`,
			want: `message 0 m started
				message 0 m toolCallStarted c "f"
				message 0 m toolCallEnded c
				message 0 m encryptedValue
				message 0 m ended
				messages 1
				done success pending [c]`,
			stores: `{"id":"m","role":"assistant","content":"x"}`,
		},
		{
			name: "A19 of duplicate ids the last stands, in the first one's place",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"a","role":"user","content":"1"},{"id":"b","role":"user","content":"2"},{"id":"a","role":"assistant","content":"3"}]
				RF`,
			want: `messages 2
				done success`,
			stores: `{"id":"a","role":"assistant","content":"3"}
				{"id":"b","role":"user","content":"2"}`,
		},
		{
			name: "A6 an open item: later deltas go to the snapshot's copy",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TOOL_CALL_START c f parentMessageId=m
				TOOL_CALL_ARGS c "1"
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"X","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"Y"}}]}]
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "b"
				TOOL_CALL_ARGS c "2"
				TOOL_CALL_END c
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m toolCallStarted c "f"
				message 0 m toolCallArgs c "1"
				messages 1
				loud: error protocol ~ "m"
				loud: message 0 m content "b"
				loud: message 0 m toolCallArgs c "2"
				loud: message 0 m toolCallEnded c
				loud: message 0 m ended
				loud: done success pending [c]
				spec: error protocol ~ "m"
				spec: done failed ~ "m"`,
			stores: `{"id":"m","role":"assistant","content":"Xb","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"Y2"}}]}`,
		},
		{
			name: "A6 dropped: a delta is a violation, END is accepted without an update",
			in: `RS
				TEXT_MESSAGE_START m
				TOOL_CALL_START c f
				REASONING_MESSAGE_START z reasoning
				MESSAGES_SNAPSHOT [{"id":"y","role":"reasoning","content":"y"}]
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				TOOL_CALL_END c
				REASONING_MESSAGE_END z
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 1 c toolCallStarted c "f"
				reasoning z started = ""
				messages 0
				error protocol ~ "m"
				error protocol ~ "m"
				done success pending [c]`,
			stores: `{"id":"y","role":"reasoning","content":"y"}`,
		},
		{
			name: "A6 dropped: START mints it anew",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				MESSAGES_SNAPSHOT []
				TEXT_MESSAGE_START m role=user
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				messages 0
				message 0 m started
				message 0 m content "b"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"user","content":"b"}`,
		},
		{
			name: "A6 dropped, and brought back by a second snapshot",
			in: `RS
				TEXT_MESSAGE_START m
				MESSAGES_SNAPSHOT []
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"X"}]
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				messages 0
				messages 1
				message 0 m content "b"
				message 0 m ended
				done success`,
		},
		{
			name: "A6 dropped and never closed counts as open at the end",
			in: `RS
				TEXT_MESSAGE_START m
				MESSAGES_SNAPSHOT []
				RF`,
			want: `message 0 m started
				messages 0
				error protocol ~ "m"
				done success`,
		},
		{
			name: "A6 23 a dropped item still has its owner",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				MESSAGES_SNAPSHOT []
				TEXT_MESSAGE_END m subagentRunId=o
				TEXT_MESSAGE_END m subagentRunId=s
				RF`,
			want: `message 0 m started
				messages 0
				error protocol ~ "m" ~ "o"
				done success`,
		},
		{
			name: "A6 a copy of another role is no copy of what was open",
			in: `RS
				TEXT_MESSAGE_START m
				MESSAGES_SNAPSHOT [{"id":"m","role":"tool","toolCallId":"c","content":"x"}]
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				messages 1
				error protocol ~ "m"
				done success`,
			stores: `{"id":"m","role":"tool","content":"x","toolCallId":"c"}`,
		},
		{
			name: "every role and field goes through as it came",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"d","role":"developer","content":"d","name":"n","encryptedValue":"e","encryptedValueType":"k"},{"id":"s","role":"system","content":"s"},{"id":"a","role":"assistant"},{"id":"u","role":"user","content":[{"type":"text","text":"t"},{"type":"document","source":{"type":"file","value":"v","provider":"p","mimeType":"m"},"metadata":[1]}]},{"id":"t","role":"tool","content":"t","toolCallId":"c","error":"bad"}]
				RF`,
			want: `messages 5
				done success`,
			stores: `{"id":"d","role":"developer","content":"d","name":"n","encryptedValue":"e","encryptedValueType":"k"}
				{"id":"s","role":"system","content":"s"}
				{"id":"a","role":"assistant"}
				{"id":"u","role":"user","content":[{"type":"text","text":"t"},{"type":"document","source":{"type":"file","value":"v","provider":"p","mimeType":"m"},"metadata":[1]}]}
				{"id":"t","role":"tool","content":"t","toolCallId":"c","error":"bad"}`,
		},
	})
}
