package engine_test

import "testing"

func TestChunks(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "55 text: START, CONTENT, and END by what closes it",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m role=user name=Ann delta="a" subagentRunId=s
				TEXT_MESSAGE_CHUNK delta="b" subagentRunId=s
				TEXT_MESSAGE_CHUNK delta="c"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content "b"
				message 0 m content "c"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"user","content":"abc","name":"Ann","subagentRunId":"s"}`,
		},
		{
			name: "55 without a delta: START alone",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m
				TEXT_MESSAGE_CHUNK messageId=m delta=""
				RF`,
			want: `message 0 m started
				message 0 m content ""
				message 0 m ended
				done success`,
		},
		{
			name: "55 tools and reasoning",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="x"
				TOOL_CALL_CHUNK toolCallId=c toolCallName=f parentMessageId=m delta="1"
				TOOL_CALL_CHUNK delta="2"
				REASONING_MESSAGE_CHUNK messageId=z delta="t"
				REASONING_MESSAGE_CHUNK delta="u"
				RF`,
			want: `message 0 m started
				message 0 m content "x"
				message 0 m ended
				message 0 m toolCallStarted c "f"
				message 0 m toolCallArgs c "1"
				message 0 m toolCallArgs c "2"
				message 0 m toolCallEnded c
				reasoning z started = ""
				reasoning z content "t" = "t"
				reasoning z content "u" = "tu"
				reasoning z ended = "tu"
				done success pending [c]`,
		},
		{
			name: "59 another id closes the old item: up to three updates",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				TEXT_MESSAGE_CHUNK messageId=n delta="b"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				message 1 n started
				message 1 n content "b"
				message 1 n ended
				done success`,
		},
		{
			name: "C01 interleaved argument chunks stay in their calls",
			in: `RS
				TOOL_CALL_CHUNK toolCallId=a toolCallName=x delta="{\"q\":"
				TOOL_CALL_CHUNK toolCallId=b toolCallName=y delta="{}"
				TOOL_CALL_CHUNK toolCallId=a toolCallName=x delta="1}"
				RF`,
			want: `message 0 a toolCallStarted a "x"
				message 0 a toolCallArgs a "{\"q\":"
				message 0 a toolCallEnded a
				message 1 b toolCallStarted b "y"
				message 1 b toolCallArgs b "{}"
				message 1 b toolCallEnded b
				message 0 a toolCallStarted a "x"
				message 0 a toolCallArgs a "1}"
				message 0 a toolCallEnded a
				done success pending [a b]`,
			stores: `{"id":"a","role":"assistant","toolCalls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"q\":1}"}}]}
				{"id":"b","role":"assistant","toolCalls":[{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]}`,
		},
		{
			name: "C01 54 a first chunk needs id and name; what is refused leaves the other lane open",
			in: `RS
				TOOL_CALL_CHUNK toolCallId=a toolCallName=x delta="1"
				TOOL_CALL_CHUNK toolCallId=b toolCallName=y delta="2"
				TOOL_CALL_CHUNK toolCallId=a delta="3"
				TOOL_CALL_CHUNK delta="4"
				RF`,
			want: `message 0 a toolCallStarted a "x"
				message 0 a toolCallArgs a "1"
				message 0 a toolCallEnded a
				message 1 b toolCallStarted b "y"
				message 1 b toolCallArgs b "2"
				error protocol ~ toolCallName
				message 1 b toolCallArgs b "4"
				message 1 b toolCallEnded b
				done success pending [a b]`,
		},
		{
			name: "54 first chunks without an id",
			in: `RS
				TEXT_MESSAGE_CHUNK delta="a"
				TOOL_CALL_CHUNK toolCallName=f
				REASONING_MESSAGE_CHUNK delta="a" subagentRunId=s
				RF`,
			want: `error protocol ~ TEXT_MESSAGE_CHUNK ~ messageId
				error protocol ~ TOOL_CALL_CHUNK ~ toolCallId
				error protocol ~ REASONING_MESSAGE_CHUNK ~ messageId
				done success`,
			stores: `no-messages`,
		},
		{
			name: "52 an id-less chunk of another kind doesn't continue the lane",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				TOOL_CALL_CHUNK delta="1"
				TEXT_MESSAGE_CHUNK delta="b"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				error protocol ~ TOOL_CALL_CHUNK
				message 0 m content "b"
				message 0 m ended
				done success`,
		},
		{
			name: "52 lanes: one an owner, id-less chunks go by tag, then to the parent's",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=a delta="1" subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=b delta="2" subagentRunId=o
				TEXT_MESSAGE_CHUNK messageId=p delta="3"
				TEXT_MESSAGE_CHUNK delta="4" subagentRunId=s
				TEXT_MESSAGE_CHUNK delta="5"
				TEXT_MESSAGE_CHUNK messageId=b delta="6"
				RF`,
			want: `message 0 a started
				message 0 a content "1"
				message 1 b started
				message 1 b content "2"
				message 2 p started
				message 2 p content "3"
				message 0 a content "4"
				message 2 p content "5"
				message 1 b content "6"
				message 0 a ended
				message 1 b ended
				message 2 p ended
				done success`,
		},
		{
			name: "52 C02 neither id nor tag, and several lanes: ambiguous",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=a delta="1" subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=b delta="2" subagentRunId=o
				TEXT_MESSAGE_CHUNK delta="3"
				RF`,
			want: `message 0 a started
				message 0 a content "1"
				message 1 b started
				message 1 b content "2"
				error protocol ~ ambiguous
				message 0 a ended
				message 1 b ended
				done success`,
		},
		{
			name: "52 one lane of the kind is enough, whoever owns it",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=a delta="1" subagentRunId=s
				TOOL_CALL_CHUNK toolCallId=c toolCallName=f delta="x" subagentRunId=o
				TEXT_MESSAGE_CHUNK delta="2"
				TOOL_CALL_CHUNK delta="y"
				RF`,
			want: `message 0 a started
				message 0 a content "1"
				message 1 c toolCallStarted c "f"
				message 1 c toolCallArgs c "x"
				message 0 a content "2"
				message 1 c toolCallArgs c "y"
				message 0 a ended
				message 1 c toolCallEnded c
				done success pending [c]`,
		},
		{
			name: "52 23 an id that is open in another lane than the tag's",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=a delta="1" subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=a delta="2" subagentRunId=o
				TEXT_MESSAGE_CHUNK messageId=a delta="3"
				RF`,
			want: `message 0 a started
				message 0 a content "1"
				error protocol ~ "a" ~ "o"
				message 0 a content "3"
				message 0 a ended
				done success`,
		},
		{
			name: "52 a tag whose lane holds nothing",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=a delta="1"
				TEXT_MESSAGE_CHUNK delta="2" subagentRunId=o
				RF`,
			want: `message 0 a started
				message 0 a content "1"
				error protocol ~ messageId
				message 0 a ended
				done success`,
		},
		{
			name: "56 57 repeats may not conflict; a role left out is assistant",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="1"
				TEXT_MESSAGE_CHUNK messageId=m role=assistant delta="2"
				TEXT_MESSAGE_CHUNK role=user delta="3"
				TEXT_MESSAGE_CHUNK messageId=m name=Ann delta="4"
				TEXT_MESSAGE_CHUNK delta="5"
				RF`,
			want: `message 0 m started
				message 0 m content "1"
				message 0 m content "2"
				error protocol ~ "m" ~ role
				error protocol ~ "m" ~ name
				message 0 m content "5"
				message 0 m ended
				done success`,
		},
		{
			name: "56 A4 likewise for calls",
			in: `RS
				TOOL_CALL_CHUNK toolCallId=c toolCallName=f parentMessageId=p delta="1"
				TOOL_CALL_CHUNK toolCallId=c toolCallName=f parentMessageId=p delta="2"
				TOOL_CALL_CHUNK toolCallName=g delta="3"
				TOOL_CALL_CHUNK parentMessageId=q delta="4"
				TOOL_CALL_CHUNK toolCallId=d toolCallName=f delta="5"
				TOOL_CALL_CHUNK parentMessageId=p delta="6"
				RF`,
			want: `message 0 p toolCallStarted c "f"
				message 0 p toolCallArgs c "1"
				message 0 p toolCallArgs c "2"
				error protocol ~ "c" ~ toolCallName
				error protocol ~ "c" ~ parentMessageId
				message 0 p toolCallEnded c
				message 1 d toolCallStarted d "f"
				message 1 d toolCallArgs d "5"
				error protocol ~ "d" ~ parentMessageId
				message 1 d toolCallEnded d
				done success pending [c d]`,
		},
		{
			name: "58 metadata alone reaches the item; nothing at all gives nothing",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a" metadata={"x":1}
				TEXT_MESSAGE_CHUNK metadata={"y":2}
				TEXT_MESSAGE_CHUNK
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m content ""
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a","metadata":{"x":1,"y":2}}`,
		},
		{
			name: "60 61 after a close the id is needed, and reopens",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				CUSTOM x 1
				TEXT_MESSAGE_CHUNK delta="b"
				TEXT_MESSAGE_CHUNK messageId=m delta="c"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				error protocol ~ messageId
				message 0 m started
				message 0 m content "c"
				message 0 m ended
				done success`,
		},
		{
			name: "62 the forms don't mix: explicit content ends the shorthand first",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				TEXT_MESSAGE_CONTENT m "b"
				RF`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				error protocol ~ "m"
				done success`,
		},
		{
			name: "62 a chunk that names an open explicit item",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CHUNK messageId=m delta="b"
				TEXT_MESSAGE_CHUNK delta="c"
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				error protocol ~ "m"
				error protocol ~ messageId
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "63 a subagent's item closes before its end",
			in: `RS
				SUBAGENT_STARTED s sub
				SUBAGENT_STARTED o other
				TEXT_MESSAGE_CHUNK messageId=a delta="1" subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=b delta="2" subagentRunId=o
				SUBAGENT_FINISHED s
				TEXT_MESSAGE_CHUNK delta="3"
				SUBAGENT_ERROR o boom
				RF`,
			want: `subagent 0 s started running "sub"
				subagent 1 o started running "other"
				message 0 a started
				message 0 a content "1"
				message 1 b started
				message 1 b content "2"
				message 0 a ended
				subagent 0 s finished finished "sub"
				message 1 b content "3"
				message 1 b ended
				subagent 1 o failed failed "other"
				done success`,
		},
		{
			name: "64 C02 an open chunk at the end of the bytes gets no made-up END",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"`,
			want: `message 0 m started
				message 0 m content "a"
				error protocol ~ the stream ended
				done failed ~ the stream ended`,
		},
		{
			name: "C02 RUN_ERROR closes first",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				RUN_ERROR "no" code=E`,
			want: `message 0 m started
				message 0 m content "a"
				message 0 m ended
				error run: run failed: no
				done failed code "E": no`,
		},
		{
			name: "D01 a half surrogate of a chunk stream comes before its Ended",
			in: `RS
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"\ud83d"}
				RF`,
			want: `message 0 m started
				message 0 m content ""
				message 0 m content "�"
				message 0 m ended
				done success`,
		},
		{
			name: "a chunk whose START is refused opens no lane, and ends none",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"o","role":"tool","toolCallId":"c","content":"x"}]
				TEXT_MESSAGE_CHUNK messageId=m delta="a"
				TEXT_MESSAGE_CHUNK messageId=o delta="b"
				TEXT_MESSAGE_CHUNK delta="c"
				RF`,
			want: `messages 1
				message 1 m started
				message 1 m content "a"
				error protocol ~ "o"
				message 1 m content "c"
				message 1 m ended
				done success`,
		},
		{
			name: "50 a malformed chunk is an event first",
			in: `RS
				TEXT_MESSAGE_CHUNK messageId=m delta=5`,
			want: `error json ~ TEXT_MESSAGE_CHUNK ~ delta
				done failed ~ delta`,
		},
		{
			name: "A14 an untagged explicit event speaks in its item's lane",
			in: `RS
				TEXT_MESSAGE_START a subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=b delta="1" subagentRunId=s
				TEXT_MESSAGE_CHUNK messageId=p delta="2"
				TEXT_MESSAGE_END a
				TEXT_MESSAGE_CHUNK delta="3"
				RF`,
			want: `message 0 a started
				message 1 b started
				message 1 b content "1"
				message 2 p started
				message 2 p content "2"
				message 1 b ended
				message 0 a ended
				message 2 p content "3"
				message 2 p ended
				done success`,
		},
	})
}

// What closes an open chunk stream (protocol, section 4.4): X comes between a chunk and its continuation without an id.
func TestWhatClosesAChunkStream(t *testing.T) {
	rows := []struct {
		name, x, gives string
		closes         bool
	}{
		{"RAW", `RAW {"a":1}`, "", false},
		{"ACTIVITY_SNAPSHOT", `ACTIVITY_SNAPSHOT x plan {}`, "message 1 x activity", false},
		{"ACTIVITY_DELTA", `ACTIVITY_DELTA x plan []`, "warn ACTIVITY_DELTA /messageId ~", false},
		{"REASONING_ENCRYPTED_VALUE", `REASONING_ENCRYPTED_VALUE message m e`, "message 0 m encryptedValue", false},
		{"SUBAGENT_STARTED", `SUBAGENT_STARTED s sub`, `subagent 0 s started running "sub"`, false},
		{"an event of another lane", `STATE_SNAPSHOT 1 subagentRunId=s`, "state 1", false},
		{"a chunk of another lane", `TEXT_MESSAGE_CHUNK messageId=b subagentRunId=s`, "message 1 b started", false},
		{"a step of another lane", `STEP_STARTED w subagentRunId=s`, "", false},
		{"CUSTOM", `CUSTOM n null`, "", true},
		{"STATE_SNAPSHOT", `STATE_SNAPSHOT 1`, "state 1", true},
		{"STATE_DELTA", `STATE_DELTA []`, "state {}", true},
		{"STEP_STARTED", `STEP_STARTED w`, "", true},
		{"MESSAGES_SNAPSHOT", `MESSAGES_SNAPSHOT [{"id":"m","role":"assistant","content":"x"}]`, "messages 1", true},
		{"TOOL_CALL_RESULT", `TOOL_CALL_RESULT r c "x"`, "message 1 r toolResult c", true},
		{"TEXT_MESSAGE_START", `TEXT_MESSAGE_START b`, "message 1 b started", true},
		{"TOOL_CALL_START", `TOOL_CALL_START c f`, `message 1 c toolCallStarted c "f"`, true},
		{"REASONING_START", `REASONING_START z`, `reasoning z started = ""`, true},
		{"REASONING_MESSAGE_START", `REASONING_MESSAGE_START z reasoning`, `reasoning z started = ""`, true},
		{"THINKING_START", `THINKING_START`, "warn THINKING_START  ~\nreasoning thinking-1 started = \"\"", true},
	}
	var all []scenario
	for _, r := range rows {
		in := "RS\nTEXT_MESSAGE_CHUNK messageId=m delta=\"a\"\n" + r.x + "\nTEXT_MESSAGE_CHUNK delta=\"b\"\nRUN_ERROR over"
		want := "message 0 m started\nmessage 0 m content \"a\"\n"
		if !r.closes {
			want += r.gives + "\nmessage 0 m content \"b\"\nmessage 0 m ended\n"
		} else if gives := r.gives; gives != "" && gives[:4] == "warn" {
			want += "warn THINKING_START  ~\nmessage 0 m ended\nreasoning thinking-1 started = \"\"\nerror protocol ~ messageId\n"
		} else {
			want += "message 0 m ended\n" + gives + "\nerror protocol ~ messageId\n"
		}
		if r.name == "a chunk of another lane" {
			want += "message 1 b ended\n"
		}
		all = append(all, scenario{name: r.name, in: in, want: want + "error run: run failed: over\ndone failed: over"})
	}
	runScenarios(t, all)
}
