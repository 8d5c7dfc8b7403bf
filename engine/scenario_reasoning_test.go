package engine_test

import "testing"

func TestReasoning(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "77 a message",
			in: `RS
				REASONING_MESSAGE_START z reasoning subagentRunId=s
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_MESSAGE_CONTENT z "b"
				REASONING_MESSAGE_END z
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				RF`,
			want: `reasoning z started = ""
				reasoning z content "a" = "a"
				reasoning z content "b" = "ab"
				reasoning z ended = "ab"
				message 0 m started
				message 0 m ended
				done success`,
			stores: `{"id":"z","role":"reasoning","content":"ab","subagentRunId":"s"}
				{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "18 a thought bracketed twice reports once: the first opener and the first closer",
			in: `RS
				REASONING_START z
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_MESSAGE_END z
				REASONING_END z
				RF`,
			want: `reasoning z started = ""
				reasoning z content "a" = "a"
				reasoning z ended = "a"
				done success`,
		},
		{
			name: "18 the span may close first",
			in: `RS
				REASONING_MESSAGE_START z reasoning
				REASONING_START z
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_END z
				REASONING_MESSAGE_CONTENT z "b"
				REASONING_MESSAGE_END z
				RF`,
			want: `reasoning z started = ""
				reasoning z content "a" = "a"
				reasoning z ended = "a"
				reasoning z content "b" = "ab"
				done success`,
		},
		{
			name: "19 each opening reports anew, in one span too",
			in: `RS
				REASONING_START z
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_END z
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_MESSAGE_END z
				REASONING_END z
				REASONING_START z
				REASONING_END z
				RF`,
			want: `reasoning z started = ""
				reasoning z ended = ""
				reasoning z started = ""
				reasoning z content "a" = "a"
				reasoning z ended = "a"
				reasoning z started = "a"
				reasoning z ended = "a"
				done success`,
		},
		{
			name: "77 a span of another id reports for itself and makes no entry",
			in: `RS
				REASONING_START p
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_END z
				REASONING_END p
				RF`,
			want: `reasoning p started = ""
				reasoning z started = ""
				reasoning z ended = ""
				reasoning p ended = ""
				done success`,
			stores: `{"id":"z","role":"reasoning","content":""}`,
		},
		{
			name: "15 16 17 openers and closers out of order",
			in: `RS
				REASONING_END z
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_MESSAGE_END z
				REASONING_START z
				REASONING_START z
				REASONING_MESSAGE_CONTENT z "a"
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_END z
				REASONING_END z
				RF`,
			want: `error protocol ~ "z"
				error protocol ~ "z"
				error protocol ~ "z"
				reasoning z started = ""
				error protocol ~ "z"
				error protocol ~ "z"
				error protocol ~ "z"
				reasoning z ended = ""
				done success`,
		},
		{
			name: "15 START on a message that is no reasoning",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				REASONING_MESSAGE_START m reasoning
				RF`,
			want: `message 0 m started
				message 0 m ended
				error protocol ~ "m"
				done success`,
		},
		{
			name: "6.2 a wrong role is malformed",
			in: `RS
				REASONING_MESSAGE_START z assistant`,
			want: `error json ~ REASONING_MESSAGE_START ~ role
				done failed ~ role`,
		},
		{
			name: "26 the span's owner",
			in: `RS
				REASONING_START z subagentRunId=s
				REASONING_END z subagentRunId=o
				REASONING_END z
				REASONING_START y
				REASONING_END y subagentRunId=s
				REASONING_END y
				RF`,
			want: `reasoning z started = ""
				error protocol ~ "z"
				reasoning z ended = ""
				reasoning y started = ""
				error protocol ~ "y"
				reasoning y ended = ""
				done success`,
		},
	})
}

func TestEncryptedValues(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "78 on a message, a thought and a call",
			in: `RS
				TEXT_MESSAGE_START m
				REASONING_MESSAGE_START z reasoning
				TOOL_CALL_START c f parentMessageId=m
				REASONING_ENCRYPTED_VALUE message m e1
				REASONING_ENCRYPTED_VALUE message z e2 encryptedValueType=k
				REASONING_ENCRYPTED_VALUE tool-call c e3
				TEXT_MESSAGE_END m
				REASONING_MESSAGE_END z
				TOOL_CALL_END c
				RF`,
			want: `message 0 m started
				reasoning z started = ""
				message 0 m toolCallStarted c "f"
				message 0 m encryptedValue
				reasoning z encryptedValue = ""
				message 0 m encryptedValue c
				message 0 m ended
				reasoning z ended = ""
				message 0 m toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"m","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"encryptedValue":"e3"}],"encryptedValue":"e1"}
				{"id":"z","role":"reasoning","content":"","encryptedValue":"e2","encryptedValueType":"k"}`,
		},
		{
			name: "79 a new value without a type deletes the type",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				REASONING_ENCRYPTED_VALUE message m e1 encryptedValueType=k
				REASONING_ENCRYPTED_VALUE message m e2
				RF`,
			want: `message 0 m started
				message 0 m ended
				message 0 m encryptedValue
				message 0 m encryptedValue
				done success`,
			stores: `{"id":"m","role":"assistant","content":"","encryptedValue":"e2"}`,
		},
		{
			name: "46 an unknown target or an activity: a warning",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {}
				REASONING_ENCRYPTED_VALUE message nobody e
				REASONING_ENCRYPTED_VALUE tool-call nobody e
				REASONING_ENCRYPTED_VALUE message x e
				RF`,
			want: `message 0 x activity
				warn REASONING_ENCRYPTED_VALUE /entityId ~ "nobody"
				warn REASONING_ENCRYPTED_VALUE /entityId ~ "nobody"
				warn REASONING_ENCRYPTED_VALUE /entityId ~ "x"
				done success`,
			stores: `{"id":"x","role":"activity","content":{},"activityType":"plan"}`,
		},
		{
			name: "82 a snapshot without it withdraws it",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				REASONING_ENCRYPTED_VALUE message m e1
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"x"}]
				RF`,
			want: `message 0 m started
				message 0 m ended
				message 0 m encryptedValue
				messages 1
				done success`,
			stores: `{"id":"m","role":"assistant","content":"x"}`,
		},
		{
			name: "6.2 an unknown subtype",
			in: `RS
				REASONING_ENCRYPTED_VALUE part m e
				RF`,
			want: `loud: error json ~ subtype
				loud: done failed ~ subtype
				spec: warn REASONING_ENCRYPTED_VALUE /subtype ~ "part"
				spec: done success`,
		},
	})
}

func TestThinking(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "1.4 a block becomes one thought, with one warning",
			in: `RS
				{"type":"THINKING_START","title":"Plans"}
				THINKING_TEXT_MESSAGE_START
				THINKING_TEXT_MESSAGE_CONTENT "a"
				THINKING_TEXT_MESSAGE_END
				THINKING_TEXT_MESSAGE_START
				THINKING_TEXT_MESSAGE_CONTENT "b"
				THINKING_TEXT_MESSAGE_END
				THINKING_END
				RF`,
			want: `warn THINKING_START  ~ THINKING_START ~ title
				reasoning thinking-1 started = ""
				reasoning thinking-1 content "a" = "a"
				reasoning thinking-1 ended = "a"
				reasoning thinking-1 started = "a"
				reasoning thinking-1 content "b" = "ab"
				reasoning thinking-1 ended = "ab"
				done success`,
			stores: `{"id":"thinking-1","role":"reasoning","content":"ab"}`,
		},
		{
			name: "1.4 text outside of a block is one thought each, ids in use are skipped",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"thinking-1","role":"reasoning","content":"x"},{"id":"thinking-3","role":"user","content":"x"}]
				THINKING_TEXT_MESSAGE_START
				THINKING_TEXT_MESSAGE_CONTENT "a"
				THINKING_TEXT_MESSAGE_END
				THINKING_TEXT_MESSAGE_START
				THINKING_TEXT_MESSAGE_END
				RF`,
			want: `messages 1
				warn THINKING_TEXT_MESSAGE_START  ~ THINKING_TEXT_MESSAGE_START
				reasoning thinking-2 started = ""
				reasoning thinking-2 content "a" = "a"
				reasoning thinking-2 ended = "a"
				warn THINKING_TEXT_MESSAGE_START  ~
				reasoning thinking-4 started = ""
				reasoning thinking-4 ended = ""
				done success`,
		},
		{
			name: "1.4 stray content and ends",
			in: `RS
				THINKING_TEXT_MESSAGE_CONTENT "a"
				THINKING_TEXT_MESSAGE_END
				THINKING_END
				THINKING_START
				THINKING_START
				THINKING_TEXT_MESSAGE_CONTENT "a"
				THINKING_END
				RF`,
			want: `error protocol ~ THINKING_TEXT_MESSAGE_CONTENT
				error protocol ~ THINKING_TEXT_MESSAGE_END
				error protocol ~ THINKING_END
				warn THINKING_START  ~
				reasoning thinking-1 started = ""
				error protocol ~ THINKING_START
				error protocol ~ THINKING_TEXT_MESSAGE_CONTENT
				reasoning thinking-1 ended = ""
				done success`,
		},
		{
			name: "1.4 a block counts as open at the end, and a new run starts without",
			in: `RS
				THINKING_START
				RF
				RUN_STARTED t r2
				THINKING_START
				THINKING_END
				RUN_FINISHED t r2`,
			want: `warn THINKING_START  ~
				reasoning thinking-1 started = ""
				error protocol ~ "thinking-1"
				done success
				warn THINKING_START  ~
				reasoning thinking-2 started = ""
				reasoning thinking-2 ended = ""
				done success`,
		},
		{
			name: "1.4 refused outside of a run without using up an id",
			in: `RS
				RF
				THINKING_START
				RUN_STARTED t r2
				THINKING_START
				THINKING_END
				RUN_FINISHED t r2`,
			want: `done success
				loud: error protocol ~ THINKING_START
				loud: warn THINKING_START  ~
				loud: reasoning thinking-1 started = ""
				loud: reasoning thinking-1 ended = ""
				loud: done success
				spec: error protocol ~ THINKING_START`,
		},
	})
}
