package engine_test

import "testing"

func TestSubagents(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "101 an invocation, with all that it says of itself",
			in: `RS
				SUBAGENT_STARTED s researcher description="looks" parentToolCallId=c parentMessageId=m
				SUBAGENT_STARTED k kid parentSubagentRunId=s
				SUBAGENT_FINISHED k
				SUBAGENT_FINISHED s result={"sources":3} outcome={"type":"success"}
				RF`,
			want: `subagent 0 s started running "researcher"
				subagent 1 k started running "kid"
				subagent 1 k finished finished "kid"
				subagent 0 s finished finished "researcher"
				done success`,
			stores: `subagent {"id":"s","name":"researcher","description":"looks","parentToolCallId":"c","parentMessageId":"m","status":"finished","result":{"sources":3}}
				subagent {"id":"k","name":"kid","parentSubagentRunId":"s","status":"finished"}`,
		},
		{
			name: "101 suspended and resumed in a later run: the same entry",
			in: `RS
				SUBAGENT_STARTED s sub description=d
				SUBAGENT_FINISHED s outcome={"type":"suspended","interruptIds":["i"]} result=1
				RF
				RUN_STARTED t r2
				SUBAGENT_STARTED s sub2
				SUBAGENT_FINISHED s
				RUN_FINISHED t r2`,
			want: `subagent 0 s started running "sub"
				subagent 0 s suspended suspended "sub"
				done success
				subagent 0 s resumed running "sub2"
				subagent 0 s finished finished "sub2"
				done success`,
			stores: `subagent {"id":"s","name":"sub2","description":"d","status":"finished"}`,
		},
		{
			name: "101 suspended keeps result and interrupt ids",
			in: `RS
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s outcome={"type":"suspended","interruptIds":["i"]} result=1
				RF`,
			want: `subagent 0 s started running "sub"
				subagent 0 s suspended suspended "sub"
				done success`,
			stores: `subagent {"id":"s","name":"sub","status":"suspended","result":1,"interruptIds":["i"]}`,
		},
		{
			name: "38 a subagent's failure doesn't end the run, and a later run starts it anew",
			in: `RS
				SUBAGENT_STARTED s sub
				SUBAGENT_ERROR s "boom" code=E
				RF
				RUN_STARTED t r2
				SUBAGENT_STARTED s sub
				SUBAGENT_ERROR s "again"
				RUN_FINISHED t r2`,
			want: `subagent 0 s started running "sub"
				subagent 0 s failed failed "sub"
				done success
				subagent 0 s started running "sub"
				subagent 0 s failed failed "sub"
				done success`,
			stores: `subagent {"id":"s","name":"sub","status":"failed","message":"again"}`,
		},
		{
			name: "8 one that its run left behind stays running",
			in: `RS
				SUBAGENT_STARTED s sub
				RUN_ERROR "no"
				RUN_STARTED t r2
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s
				RUN_FINISHED t r2`,
			want: `subagent 0 s started running "sub"
				error run: run failed: no
				done failed: no
				subagent 0 s started running "sub"
				subagent 0 s finished finished "sub"
				done success`,
		},
		{
			name: "30 announced twice, and again after its end",
			in: `RS
				SUBAGENT_STARTED s sub
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s
				SUBAGENT_STARTED s sub
				RF`,
			want: `subagent 0 s started running "sub"
				error protocol ~ "s"
				subagent 0 s finished finished "sub"
				error protocol ~ "s"
				done success`,
		},
		{
			name: "31 ends of what isn't active",
			in: `RS
				SUBAGENT_FINISHED s
				SUBAGENT_ERROR s "x"
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s
				SUBAGENT_FINISHED s
				SUBAGENT_ERROR s "x"
				RF`,
			want: `error protocol ~ "s"
				error protocol ~ "s"
				subagent 0 s started running "sub"
				subagent 0 s finished finished "sub"
				error protocol ~ "s"
				error protocol ~ "s"
				done success`,
		},
		{
			name: "31 what an earlier run announced isn't active",
			in: `RS
				SUBAGENT_STARTED s sub
				RUN_ERROR "no"
				RUN_STARTED t r2
				SUBAGENT_FINISHED s
				RUN_FINISHED t r2`,
			want: `subagent 0 s started running "sub"
				error run: run failed: no
				done failed: no
				error protocol ~ "s"
				done success`,
		},
		{
			name: "32 still active at RUN_FINISHED",
			in: `RS
				SUBAGENT_STARTED s sub
				RF`,
			want: `subagent 0 s started running "sub"
				error protocol ~ "s"
				done success`,
		},
		{
			name: "33 a missing name is malformed",
			in: `RS
				SUBAGENT_STARTED s`,
			want: `error json ~ SUBAGENT_STARTED ~ name
				done failed ~ name`,
		},
		{
			name: "34 A7 late announcements and unannounced parents are warnings",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_END m
				SUBAGENT_STARTED s sub parentSubagentRunId=nobody
				SUBAGENT_FINISHED s
				RF`,
			want: `message 0 m started
				message 0 m ended
				warn SUBAGENT_STARTED /parentSubagentRunId ~ "nobody"
				warn SUBAGENT_STARTED /subagentRunId ~ "s"
				subagent 0 s started running "sub"
				subagent 0 s finished finished "sub"
				done success`,
		},
		{
			name: "6.2 an unknown outcome",
			in: `RS
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s outcome={"type":"lost"}
				RF`,
			want: `subagent 0 s started running "sub"
				loud: error json ~ outcome
				loud: done failed ~ outcome
				spec: warn SUBAGENT_FINISHED /outcome ~
				spec: subagent 0 s finished finished "sub"
				spec: done success`,
		},
	})
}

func TestOwners(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "35 36 unannounced and finished owners are fine",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=ghost
				TEXT_MESSAGE_END m
				SUBAGENT_STARTED s sub
				SUBAGENT_FINISHED s
				TEXT_MESSAGE_START n subagentRunId=s
				TEXT_MESSAGE_END n
				RF`,
			want: `message 0 m started
				message 0 m ended
				subagent 0 s started running "sub"
				subagent 0 s finished finished "sub"
				message 1 n started
				message 1 n ended
				done success`,
		},
		{
			name: "23 24 continuations: another tag is refused, none continues",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=s
				TEXT_MESSAGE_CONTENT m "b"
				TEXT_MESSAGE_CONTENT m "c" subagentRunId=o
				TEXT_MESSAGE_END m subagentRunId=o
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "b"
				error protocol ~ "m" ~ "o"
				error protocol ~ "m" ~ "o"
				message 0 m ended
				done success`,
		},
		{
			name: "23 a tag on what the parent owns",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=s
				TEXT_MESSAGE_END m
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_CONTENT z "a" subagentRunId=s
				REASONING_MESSAGE_END z
				TOOL_CALL_START c f
				TOOL_CALL_ARGS c "a" subagentRunId=s
				TOOL_CALL_END c
				RF`,
			want: `message 0 m started
				error protocol ~ "m" ~ "s"
				message 0 m ended
				reasoning z started = ""
				error protocol ~ "z" ~ "s"
				reasoning z ended = ""
				message 1 c toolCallStarted c "f"
				error protocol ~ "c" ~ "s"
				message 1 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "20 an empty subagentRunId is a tag like any other",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=""
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=""
				TEXT_MESSAGE_END m
				TEXT_MESSAGE_START n
				TEXT_MESSAGE_CONTENT n "a" subagentRunId=""
				TEXT_MESSAGE_END n
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				message 1 n started
				error protocol ~ "n"
				message 1 n ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a","subagentRunId":""}
				{"id":"n","role":"assistant","content":""}`,
		},
		{
			name: "22 27 a call takes its parent message's owner, and may not contradict it",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_END m
				TOOL_CALL_START c f parentMessageId=m
				TOOL_CALL_ARGS c "1" subagentRunId=s
				TOOL_CALL_ARGS c "2" subagentRunId=o
				TOOL_CALL_END c
				TOOL_CALL_START d f parentMessageId=m subagentRunId=o
				RF`,
			want: `message 0 m started
				message 0 m ended
				message 0 m toolCallStarted c "f"
				message 0 m toolCallArgs c "1"
				error protocol ~ "c" ~ "o"
				message 0 m toolCallEnded c
				error protocol ~ "m" ~ "o"
				done success pending [c]`,
		},
		{
			name: "102 a call's made message has its tag",
			in: `RS
				TOOL_CALL_START c f subagentRunId=s
				TOOL_CALL_END c
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}],"subagentRunId":"s"}`,
		},
		{
			name: "28 A13 reopening in the same run: another tag is refused, none inherits",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_END m
				TEXT_MESSAGE_START m subagentRunId=o
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=s
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m ended
				error protocol ~ "m" ~ "o"
				message 0 m started
				message 0 m content "a"
				message 0 m ended
				done success`,
		},
		{
			name: "28 in a later run the tag is taken, the stored owner stands",
			in: `RS
				TEXT_MESSAGE_START m subagentRunId=s
				TEXT_MESSAGE_END m
				RF
				RUN_STARTED t r2
				TEXT_MESSAGE_START m subagentRunId=o
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=o
				TEXT_MESSAGE_CONTENT m "b" subagentRunId=s
				TEXT_MESSAGE_END m
				RUN_FINISHED t r2`,
			want: `message 0 m started
				message 0 m ended
				done success
				message 0 m started
				message 0 m content "a"
				error protocol ~ "m" ~ "s"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a","subagentRunId":"s"}`,
		},
		{
			name: "29 a snapshot sets the owners, of calls too, and of what is open",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_START n subagentRunId=o
				TEXT_MESSAGE_END n
				MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"x","subagentRunId":"s","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]},{"id":"n","role":"assistant","content":"y"}]
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=o
				TEXT_MESSAGE_CONTENT m "a" subagentRunId=s
				TEXT_MESSAGE_END m
				TOOL_CALL_START c f subagentRunId=o
				TEXT_MESSAGE_START n subagentRunId=o
				TEXT_MESSAGE_START n
				TEXT_MESSAGE_END n
				RF`,
			want: `message 0 m started
				message 1 n started
				message 1 n ended
				messages 2
				error protocol ~ "m" ~ "o"
				message 0 m content "a"
				message 0 m ended
				error protocol ~ "c" ~ "o"
				error protocol ~ "n" ~ "o"
				message 1 n started
				message 1 n ended
				done success`,
		},
		{
			name: "39 a result's owner is its own",
			in: `RS
				TOOL_CALL_START c f subagentRunId=s
				TOOL_CALL_END c
				TOOL_CALL_RESULT r c "x" subagentRunId=o
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallEnded c
				message 1 r toolResult c
				done success`,
		},
	})
}
