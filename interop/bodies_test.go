package interop

import (
	"testing"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
)

// everything is a run with every event type but RUN_ERROR and, since it is of protocol 1.0 as the official packages are,
// without what 1.1 added. It ends in an interrupt. Ids of threads and runs are the request's.
var everything = []string{
	`{"type":"RUN_STARTED","threadId":"","runId":"","protocolVersion":"1.0","metadata":{"who":"agent"}}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[
		{"id":"s-dev","role":"developer","name":"ops","content":"be exact"},
		{"id":"s-sys","role":"system","content":"be kind","metadata":{"rank":1}},
		{"id":"s-user","role":"user","content":[{"type":"text","text":"see"},{"type":"image","id":"p1","source":{"type":"url","value":"https://example.com/a.png","mimeType":"image/png"}},
			{"type":"audio","source":{"type":"data","value":"AAAA","mimeType":"audio/wav"}},{"type":"video","source":{"type":"url","value":"https://example.com/v"}},
			{"type":"document","source":{"type":"file","value":"file-1","provider":"acme"},"metadata":{"pages":[1,2]}}]},
		{"id":"s-asst","role":"assistant","toolCalls":[{"id":"s-call","type":"function","function":{"name":"look","arguments":"{}"},"encryptedValue":"c2VjcmV0","metadata":{"n":null}}]},
		{"id":"s-tool","role":"tool","toolCallId":"s-call","content":"seen","error":"dark"},
		{"id":"s-act","role":"activity","activityType":"PLAN","content":{"steps":["a"]}},
		{"id":"s-think","role":"reasoning","content":"hm","encryptedValue":"dGhpbms="}]}`,
	`{"type":"STEP_STARTED","stepName":"plan","timestamp":1764600000000}`,
	`{"type":"STATE_SNAPSHOT","snapshot":{"list":[1,2,3],"a/b~c":"x","big":9007199254740993,"float":1.0,"null":null,"nested":{"深":{"k":"é\ud83d\ude00"}}}}`,
	`{"type":"STATE_DELTA","delta":[{"op":"test","path":"/list/0","value":1},{"op":"add","path":"/list/-","value":{"v":4}},{"op":"replace","path":"/a~1b~0c","value":""},
		{"op":"copy","from":"/list","path":"/copied"},{"op":"move","from":"/nested/深","path":"/moved"},{"op":"remove","path":"/copied/1"},{"op":"add","path":"/null","value":null}]}`,
	`{"type":"REASONING_START","messageId":"th-1"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"th-1","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"th-1","delta":"let me "}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"th-1","delta":"see","metadata":{"m":1}}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"th-1"}`,
	`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"th-1","encryptedValue":"ZW5j"}`,
	`{"type":"REASONING_END","messageId":"th-1"}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"th-2","delta":"in "}`,
	`{"type":"REASONING_MESSAGE_CHUNK","delta":"chunks"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m-1","role":"assistant","name":"writer","metadata":{"lang":"en","keep":1}}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"Grüße \"東京\"\n\u2028<b>&</b> \ud83d"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"\ude00","metadata":{"lang":null}}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":""}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m-1","rawEvent":{"id":7}}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m-sys","role":"system"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m-sys"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m-2","role":"assistant","delta":"chunk "}`,
	`{"type":"TEXT_MESSAGE_CHUNK","delta":"by chunk"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c-1","toolCallName":"search","parentMessageId":"m-1"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c-1","delta":"{\"q\":"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c-1","delta":"\"a\\\"b\"}","metadata":{"t":[true]}}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c-1"}`,
	`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c-1","encryptedValue":"dG9vbA=="}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"r-1","toolCallId":"c-1","content":"found","role":"tool"}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"c-2","toolCallName":"draw","delta":"{\"w\":"}`,
	`{"type":"TOOL_CALL_CHUNK","delta":"1}"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"r-2","toolCallId":"c-2","content":[{"type":"text","text":"drawn"},{"type":"image","source":{"type":"data","value":"AAAA","mimeType":"image/png"}}]}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c-3","toolCallName":"ask"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c-3"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-1","name":"critic","description":"reads","parentToolCallId":"c-3"}`,
	`{"type":"STEP_STARTED","stepName":"plan","subagentRunId":"sub-1"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m-s1","subagentRunId":"sub-1"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-2","name":"helper","parentSubagentRunId":"sub-1","parentMessageId":"m-s1"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m-s2","subagentRunId":"sub-2"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-s1","subagentRunId":"sub-1","delta":"inter"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-s2","subagentRunId":"sub-2","delta":"two"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-s1","subagentRunId":"sub-1","delta":"leaved"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m-s2","subagentRunId":"sub-2"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m-s1","subagentRunId":"sub-1"}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"th-s","subagentRunId":"sub-2","delta":"doubt"}`,
	`{"type":"SUBAGENT_ERROR","subagentRunId":"sub-2","message":"gave up","code":"E2"}`,
	`{"type":"STEP_FINISHED","stepName":"plan","subagentRunId":"sub-1"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-1","result":{"ok":true},"outcome":{"type":"success"}}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-3","name":"waiter"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-3","outcome":{"type":"suspended","interruptIds":["i-1"]}}`,
	`{"type":"ACTIVITY_SNAPSHOT","messageId":"a-1","activityType":"SEARCH","content":{"hits":[]},"replace":true}`,
	`{"type":"ACTIVITY_DELTA","messageId":"a-1","activityType":"SEARCH","patch":[{"op":"add","path":"/hits/-","value":{"url":"https://example.com/?a=1&b=<2>"}}],"metadata":{"n":1}}`,
	`{"type":"ACTIVITY_SNAPSHOT","messageId":"a-1","activityType":"SEARCH","content":{"hits":["kept out"]},"replace":false}`,
	`{"type":"RAW","event":{"any":["thing"]},"source":"provider"}`,
	`{"type":"CUSTOM","name":"note","value":null}`,
	`{"type":"STEP_FINISHED","stepName":"plan"}`,
	`{"type":"RUN_FINISHED","threadId":"","runId":"","result":{"n":1},"usage":[{"provider":"acme","model":"m","inputTokens":1,"outputTokens":2,"totalTokens":3,"reasoningTokens":0,"cachedInputTokens":0,"cacheWriteInputTokens":0}],
		"outcome":{"type":"interrupt","interrupts":[
			{"id":"i-1","reason":"tool_call","message":"go on?","toolCallId":"c-3","responseSchema":{"type":"object"},"expiresAt":"2999-01-01T00:00:00Z","metadata":{"k":"v"},"subagentRunId":"sub-3"},
			{"id":"i-2","reason":"input_required"}]}}`,
}

// afterwards is the run that goes on when the interrupts of everything are answered.
var afterwards = []string{
	`{"type":"RUN_STARTED","threadId":"","runId":""}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-3","name":"waiter"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"r-3","toolCallId":"c-3","content":"yes","subagentRunId":"sub-3"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-3","outcome":{"type":"success"}}`,
	`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/moved/k","value":[1e2,0.5]}]}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c-4","toolCallName":"left open for the application"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c-4"}`,
	`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"success","pendingToolCallIds":["c-4"]}}`,
}

// failing ends as everything doesn't.
var failing = []string{
	`{"type":"RUN_STARTED","threadId":"","runId":""}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"half a sen"}`,
	`{"type":"RUN_ERROR","message":"out of words","code":"E_WORDS","usage":[{"outputTokens":4}]}`,
}

func TestTheBodiesHaveEveryEventType(t *testing.T) {
	var frames decode.Framer
	frames.Feed(engine.Frames(append(append([]string{}, oneLine(everything)...), oneLine(failing)...)...))
	seen := map[decode.Type]bool{}
	for f, ok := frames.Next(); ok; f, ok = frames.Next() {
		var ev decode.Event
		if err := ev.Decode(f.Data, 0); err != nil {
			t.Fatalf("%s: %v", f.Data, err)
		}
		if err := ev.Check(); err != nil {
			t.Fatalf("%s: %v", f.Data, err)
		}
		seen[ev.Type] = true
	}
	for typ := decode.TextMessageStart; typ <= decode.SubagentError; typ++ {
		if !seen[typ] {
			t.Errorf("no %s", typ)
		}
	}
	if len(seen) != 31 {
		t.Errorf("%d types", len(seen))
	}
}
