package engine_test

import "testing"

func TestToolCalls(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "72 73 a call goes to the message that it names",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				TOOL_CALL_START c search parentMessageId=m
				TOOL_CALL_ARGS c "{\"q\":"
				TOOL_CALL_ARGS c "1}"
				TOOL_CALL_END c
				TOOL_CALL_RESULT r c "42"
				RF`,
			want: `message 0 m started
				message 0 m ended
				message 0 m toolCallStarted c "search"
				message 0 m toolCallArgs c "{\"q\":"
				message 0 m toolCallArgs c "1}"
				message 0 m toolCallEnded c
				message 1 r toolResult c
				done success`,
			stores: `{"id":"m","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]}
				{"id":"r","role":"tool","content":"42","toolCallId":"c"}`,
		},
		{
			name: "72 naming an unknown message makes it, without content",
			in: `RS
				TOOL_CALL_START c f parentMessageId=p
				TOOL_CALL_END c
				RF`,
			want: `message 0 p toolCallStarted c "f"
				message 0 p toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"p","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`,
		},
		{
			name: "A5 without a parent, a new message with the call's id",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`,
		},
		{
			name: "A5 if that is taken, <id>-message, again and again",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"c","role":"user","content":"x"},{"id":"c-message","role":"user","content":"y"}]
				TOOL_CALL_START c f
				TOOL_CALL_END c
				RF`,
			want: `messages 2
				message 2 c-message-message toolCallStarted c "f"
				message 2 c-message-message toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "A5 a parent that is no assistant",
			in: `RS
				TEXT_MESSAGE_START u role=user
				TEXT_MESSAGE_END u
				TOOL_CALL_START c f parentMessageId=u
				TOOL_CALL_END c
				RF`,
			want: `message 0 u started
				message 0 u ended
				message 1 c toolCallStarted c "f"
				message 1 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "V02 parallel calls and text around them",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TOOL_CALL_START A f parentMessageId=m
				TOOL_CALL_START B f
				TOOL_CALL_ARGS A "{\"q\":"
				TOOL_CALL_ARGS B "{\"q\":\"two\"}"
				TOOL_CALL_ARGS A "\"one\"}"
				TOOL_CALL_END B
				TOOL_CALL_END A
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m toolCallStarted A "f"
				message 1 B toolCallStarted B "f"
				message 0 m toolCallArgs A "{\"q\":"
				message 1 B toolCallArgs B "{\"q\":\"two\"}"
				message 0 m toolCallArgs A "\"one\"}"
				message 1 B toolCallEnded B
				message 0 m toolCallEnded A
				message 0 m content "b"
				message 0 m ended
				done success pending [A B]`,
			stores: `{"id":"m","role":"assistant","content":"ab","toolCalls":[{"id":"A","type":"function","function":{"name":"f","arguments":"{\"q\":\"one\"}"}}]}
				{"id":"B","role":"assistant","toolCalls":[{"id":"B","type":"function","function":{"name":"f","arguments":"{\"q\":\"two\"}"}}]}`,
		},
		{
			name: "V03a 14 a second END",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_END c
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				error protocol ~ "c"
				done success pending [c]`,
		},
		{
			name: "V03b 14 ARGS of an unknown call",
			in: `RS
				TOOL_CALL_ARGS c "a"
				RF`,
			want: `error protocol ~ "c"
				done success`,
			stores: `no-messages`,
		},
		{
			name: "V03c 13 START of an open call",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_START c f
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				error protocol ~ "c"
				message 0 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "V03d 19 74 reopening continues where the call stands",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_ARGS c "a"
				TOOL_CALL_END c
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				TOOL_CALL_START c f parentMessageId=m
				TOOL_CALL_ARGS c "b"
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "a"
				message 0 c toolCallEnded c
				message 1 m started
				message 1 m ended
				message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "b"
				message 0 c toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"ab"}}]}
				{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "74 a new name is a warning, the first stands",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_END c
				TOOL_CALL_START c g
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				warn TOOL_CALL_START /toolCallName ~ "g"
				message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "a call held since an earlier run is continued",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_ARGS c "a"
				TOOL_CALL_END c
				RF
				RUN_STARTED t r2
				TOOL_CALL_START c f
				TOOL_CALL_ARGS c "b"
				TOOL_CALL_END c
				RUN_FINISHED t r2`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "a"
				message 0 c toolCallEnded c
				done success pending [c]
				message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "b"
				message 0 c toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"ab"}}]}`,
		},
		{
			name: "14 ENDs of a text message and of a call don't stand for each other",
			in: `RS
				TOOL_CALL_START c f
				TEXT_MESSAGE_END c
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				error protocol ~ "c"
				message 0 c toolCallEnded c
				done success pending [c]`,
		},
	})
}

func TestToolResults(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "75 a result is appended, of parts too, and keeps its owner",
			in: `RS
				TOOL_CALL_RESULT r c [{"type":"text","text":"x","id":"p"},{"type":"file","source":{}}] subagentRunId=s
				TOOL_CALL_RESULT e d [] role=tool
				RF`,
			want: `loud: error json ~ /content/1
				loud: done failed ~ /content/1
				spec: warn TOOL_CALL_RESULT /content/1 ~
				spec: message 0 r toolResult c
				spec: message 1 e toolResult d
				spec: done success`,
		},
		{
			name: "75 parts",
			in: `RS
				TOOL_CALL_RESULT r c [{"type":"text","text":"x","id":"p"}] subagentRunId=s
				TOOL_CALL_RESULT e d [] role=tool
				RF`,
			want: `message 0 r toolResult c
				message 1 e toolResult d
				done success`,
			stores: `{"id":"r","role":"tool","content":[{"type":"text","text":"x","id":"p"}],"toolCallId":"c","subagentRunId":"s"}
				{"id":"e","role":"tool","content":[],"toolCallId":"d"}`,
		},
		{
			name: "39 a result may come at any time, for an unknown call too",
			in: `RS
				TOOL_CALL_RESULT r c "early"
				TOOL_CALL_START c f
				TOOL_CALL_RESULT r2 c "while open"
				TOOL_CALL_END c
				RF`,
			want: `message 0 r toolResult c
				message 1 c toolCallStarted c "f"
				message 2 r2 toolResult c
				message 1 c toolCallEnded c
				done success`,
		},
		{
			name: "a result under a held tool message's id replaces content and owner",
			in: `RS
				TOOL_CALL_RESULT r c "one" subagentRunId=s metadata={"a":1}
				TOOL_CALL_RESULT r d [{"type":"text","text":"two"}] metadata={"b":2}
				RF`,
			want: `message 0 r toolResult c
				message 0 r toolResult d
				done success`,
			stores: `{"id":"r","role":"tool","content":[{"type":"text","text":"two"}],"toolCallId":"d","metadata":{"a":1,"b":2}}`,
		},
		{
			name: "a result under another message's id goes under <id>-result, with a warning",
			in: `RS
				TEXT_MESSAGE_START r
				TEXT_MESSAGE_END r
				TOOL_CALL_RESULT r c "one"
				TOOL_CALL_RESULT r c "two"
				RF`,
			want: `message 0 r started
				message 0 r ended
				warn TOOL_CALL_RESULT /messageId ~ "r-result"
				message 1 r-result toolResult c
				warn TOOL_CALL_RESULT /messageId ~ "r-result"
				message 1 r-result toolResult c
				done success`,
			stores: `{"id":"r","role":"assistant","content":""}
				{"id":"r-result","role":"tool","content":"two","toolCallId":"c"}`,
		},
		{
			name: "6.2 a wrong role is malformed",
			in: `RS
				TOOL_CALL_RESULT r c "one" role=user`,
			want: `error json ~ TOOL_CALL_RESULT ~ role
				done failed: JSON error ~ TOOL_CALL_RESULT ~ role`,
		},
		{
			name: "117 pending calls: started without a result, in call order",
			in: `RS
				TOOL_CALL_START a f
				TOOL_CALL_START b f
				TOOL_CALL_START d f
				TOOL_CALL_END a
				TOOL_CALL_END b
				TOOL_CALL_END d
				TOOL_CALL_RESULT r b "x"
				RUN_FINISHED t r outcome={"type":"success","pendingToolCallIds":["a","d"]}`,
			want: `message 0 a toolCallStarted a "f"
				message 1 b toolCallStarted b "f"
				message 2 d toolCallStarted d "f"
				message 0 a toolCallEnded a
				message 1 b toolCallEnded b
				message 2 d toolCallEnded d
				message 3 r toolResult b
				done success pending [a d]`,
		},
		{
			name: "117 A20 an outcome that names others is a warning",
			in: `RS
				TOOL_CALL_START a f
				TOOL_CALL_END a
				RUN_FINISHED t r outcome={"type":"success","pendingToolCallIds":["z"]}`,
			want: `message 0 a toolCallStarted a "f"
				message 0 a toolCallEnded a
				warn RUN_FINISHED /outcome/pendingToolCallIds ~
				done success pending [a]`,
		},
		{
			name: "117 the order doesn't matter",
			in: `RS
				TOOL_CALL_START a f
				TOOL_CALL_START b f
				TOOL_CALL_END a
				TOOL_CALL_END b
				RUN_FINISHED t r outcome={"type":"success","pendingToolCallIds":["b","a"]}`,
			want: `message 0 a toolCallStarted a "f"
				message 1 b toolCallStarted b "f"
				message 0 a toolCallEnded a
				message 1 b toolCallEnded b
				done success pending [a b]`,
		},
		{
			name: "117 an empty list never warns, and each run has its own tally",
			in: `RS
				TOOL_CALL_START a f
				TOOL_CALL_END a
				RUN_FINISHED t r outcome={"type":"success","pendingToolCallIds":[]}
				RUN_STARTED t r2
				RUN_FINISHED t r2`,
			want: `message 0 a toolCallStarted a "f"
				message 0 a toolCallEnded a
				done success pending [a]
				done success`,
		},
	})
}
