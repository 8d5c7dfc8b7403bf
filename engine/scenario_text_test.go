package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

func TestTextMessages(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "67-69 a message is opened, grows and closes",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_CONTENT m "b c"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "b c"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"ab c"}
				state {}`,
		},
		{
			name: "67 role, name and owner come from START",
			in: `RS
				TEXT_MESSAGE_START m role=developer name=Ann subagentRunId=s
				TEXT_MESSAGE_END m
				TEXT_MESSAGE_START u role=user
				TEXT_MESSAGE_END u
				TEXT_MESSAGE_START y role=system
				TEXT_MESSAGE_END y
				RF`,
			want: `message 0 m started
				message 0 m ended
				message 1 u started
				message 1 u ended
				message 2 y started
				message 2 y ended
				done success`,
			stores: `{"id":"m","role":"developer","content":"","name":"Ann","subagentRunId":"s"}
				{"id":"u","role":"user","content":""}
				{"id":"y","role":"system","content":""}`,
		},
		{
			name: "21 no content and an empty delta are fine",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m ""
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content ""
				message 0 m ended
				done success`,
		},
		{
			name: "11 START of an open message",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				error protocol ~ "m" ~ (event 3, TEXT_MESSAGE_START, byte
				message 0 m content "a"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a"}`,
		},
		{
			name: "12 CONTENT of a message never opened",
			in: `RS
				TEXT_MESSAGE_CONTENT m "a"
				RF`,
			want: `error protocol ~ "m"
				done success`,
			stores: `no-messages`,
		},
		{
			name: "12 END of a message never opened",
			in: `RS
				TEXT_MESSAGE_END m
				RF`,
			want: `error protocol ~ "m"
				done success`,
		},
		{
			name: "12 CONTENT and END of a closed message",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m ended
				error protocol ~ "m"
				error protocol ~ "m"
				done success`,
			stores: `{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "19 70 reopening appends, and the first role, name and owner stand",
			in: `RS
				TEXT_MESSAGE_START m role=user name=Ann
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_END m
				TEXT_MESSAGE_START m role=system name=Bob
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				message 0 m started
				message 0 m content "b"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"user","content":"ab","name":"Ann"}`,
		},
		{
			name: "70 a held message appends, from the thread's history too",
			opt:  engine.StreamOptions{Messages: []*engine.Message{state.NewMessage(state.RoleAssistant, "m", "old ")}},
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "new"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "new"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"old new"}`,
		},
		{
			name: "68 an assistant message without content counts as empty",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant"}]
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_END m
				RF`,
			want: `messages 1
				message 0 m started
				message 0 m content "a"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a"}`,
		},
		{
			name: "A16 text into parts goes to the last text part",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"m","role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","value":"u"}}]}]
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `messages 1
				message 0 m started
				message 0 m content "b"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"user","content":[{"type":"text","text":"ab"},{"type":"image","source":{"type":"url","value":"u"}}]}`,
		},
		{
			name: "A16 else to a new text part",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"m","role":"user","content":[]}]
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_CONTENT m "c"
				TEXT_MESSAGE_END m
				RF`,
			want: `messages 1
				message 0 m started
				message 0 m content "b"
				message 0 m content "c"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"user","content":[{"type":"text","text":"bc"}]}`,
		},
		{
			name: "A15 START of a tool message's, an activity's or a thought's id",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"o","role":"tool","toolCallId":"c","content":"x"},{"id":"x","role":"activity","activityType":"p","content":{}},{"id":"z","role":"reasoning","content":"z"}]
				TEXT_MESSAGE_START o
				TEXT_MESSAGE_START x
				TEXT_MESSAGE_START z
				RF`,
			want: `messages 2
				error protocol ~ "o" ~ tool
				error protocol ~ "x" ~ activity
				error protocol ~ "z" ~ reasoning
				done success`,
		},
		{
			name: "37 messages interleave",
			in: `RS
				TEXT_MESSAGE_START a
				TEXT_MESSAGE_START b
				TEXT_MESSAGE_CONTENT a "1"
				TEXT_MESSAGE_CONTENT b "2"
				TEXT_MESSAGE_CONTENT a "3"
				TEXT_MESSAGE_END a
				TEXT_MESSAGE_END b
				RF`,
			want: `message 0 a started
				message 1 b started
				message 0 a content "1"
				message 1 b content "2"
				message 0 a content "3"
				message 0 a ended
				message 1 b ended
				done success`,
			stores: `{"id":"a","role":"assistant","content":"13"}
				{"id":"b","role":"assistant","content":"2"}`,
		},
		{
			name: "A2 an unknown role",
			in: `RS
				TEXT_MESSAGE_START m role=narrator
				TEXT_MESSAGE_END m
				RF`,
			want: `loud: error json ~ role ~ narrator
				loud: done failed: JSON error ~ narrator
				spec: warn TEXT_MESSAGE_START /role ~ narrator
				spec: message 0 m started
				spec: message 0 m ended
				spec: done success`,
		},
		{
			name: "A2 a role that can't be streamed is as unknown",
			in: `RS
				TEXT_MESSAGE_START m role=tool
				TEXT_MESSAGE_END m
				RF`,
			want: `loud: error json ~ role
				loud: done failed: JSON error ~ role
				spec: warn TEXT_MESSAGE_START /role ~ tool
				spec: message 0 m started
				spec: message 0 m ended
				spec: done success`,
		},
	})
}

func TestText(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "escapes, raw UTF-8 and their mix are unescaped",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\n\t\"\\\/\u00e9é✅😀\ud83d\ude00\u0000"}
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a\n\t\"\\/éé✅😀😀\x00"
				message 0 m ended
				done success`,
		},
		{
			name: "D01 a high surrogate is carried to the next delta",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00b"}
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "😀b"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a😀b"}`,
		},
		{
			name: "D01 the halves of two items never join",
			in: `RS
				TEXT_MESSAGE_START a
				TEXT_MESSAGE_START b
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"\ud83d"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"\ude00"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"\ude01"}
				TEXT_MESSAGE_END a
				TEXT_MESSAGE_END b
				RF`,
			want: `message 0 a started
				message 1 b started
				message 0 a content ""
				message 1 b content "�"
				message 0 a content "😁"
				message 0 a ended
				message 1 b ended
				done success`,
		},
		{
			name: "D01 without a second half it is one update before Ended",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "�"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a�"}`,
		},
		{
			name: "D01 a next delta that doesn't fit makes it U+FFFD in front",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ud83d"}
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content ""
				message 0 m content "�b"
				message 0 m ended
				done success`,
		},
		{
			name: "D01 an item that never ends has it appended silently",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}`,
			want: `message 0 m started
				message 0 m content "a"
				error protocol ~ the stream ended before RUN_FINISHED or RUN_ERROR
				done failed ~ the stream ended before RUN_FINISHED or RUN_ERROR`,
			stores: `{"id":"m","role":"assistant","content":"a�"}`,
		},
		{
			name: "D01 a snapshot of the item discards it",
			in: `RS
				TEXT_MESSAGE_START m
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"x"}]
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00"}
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				messages 1
				message 0 m content "�"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"x�"}`,
		},
		{
			name: "D01 tool arguments likewise",
			in: `RS
				TOOL_CALL_START c f
				{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"a\ud83d"}
				{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\ude00"}
				{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\ud83d"}
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "a"
				message 0 c toolCallArgs c "😀"
				message 0 c toolCallArgs c ""
				message 0 c toolCallArgs c "�"
				message 0 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "D01 reasoning likewise",
			in: `RS
				REASONING_MESSAGE_START z reasoning
				{"type":"REASONING_MESSAGE_CONTENT","messageId":"z","delta":"a\ud83d"}
				REASONING_MESSAGE_END z
				RF`,
			want: `reasoning z started = ""
				reasoning z content "a" = "a"
				reasoning z content "�" = "a�"
				reasoning z ended = "a�"
				done success`,
		},
		{
			name: "invalid UTF-8 is one U+FFFD for each maximal subpart",
			in:   "RS\nTEXT_MESSAGE_START m\n{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"a\xff\xf0\x9f\x98b\xc3\xe2\x82\"}\nTEXT_MESSAGE_END m\nRF",
			want: `message 0 m started
				message 0 m content "a��b��"
				message 0 m ended
				done success`,
		},
		{
			name: "a lone surrogate in a payload string is U+FFFD",
			in: `RS
				{"type":"STATE_SNAPSHOT","snapshot":{"k":"\ud83d"}}
				{"type":"TEXT_MESSAGE_START","messageId":"\udc00"}
				{"type":"TEXT_MESSAGE_END","messageId":"\ufffd"}
				RF`,
			want: `state {"k":"�"}
				message 0 � started
				message 0 � ended
				done success`,
		},
		{
			name: "member names are exact after unescaping, the last duplicate wins",
			in: `RS
				{"ty\u0070e":"TEXT_MESSAGE_START","messageId":"x","messageId":"m"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":5,"delta":"a"}
				{"type":"TEXT_MESSAGE_START","type":"TEXT_MESSAGE_END","messageId":"m"}
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				done success`,
		},
	})
}
