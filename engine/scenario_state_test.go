package engine_test

import (
	"strings"
	"testing"

	"github.com/aguistream/aguistream/engine"
)

func TestState(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "85 a snapshot replaces wholesale, null and the falsy ones too",
			in: `RS
				STATE_SNAPSHOT {"b":1,"a":{"x":[1,2.50,9007199254740993]}}
				STATE_SNAPSHOT null
				STATE_SNAPSHOT false
				STATE_SNAPSHOT 0
				STATE_SNAPSHOT ""
				STATE_SNAPSHOT []
				RF`,
			want: `state {"b":1,"a":{"x":[1,2.50,9007199254740993]}}
				state null
				state false
				state 0
				state ""
				state []
				done success`,
		},
		{
			name: "members keep their order, of duplicates the last value stands in the first one's place",
			in: `RS
				STATE_SNAPSHOT {"a":1,"b":2,"a":{"k":1,"k":2}}
				RF`,
			want: `state {"a":{"k":2},"b":2}
				done success`,
		},
		{
			name: "84 the first state is {}",
			in: `RS
				STATE_DELTA [{"op":"add","path":"/k","value":1}]
				STATE_DELTA []
				RF`,
			want: `state {"k":1}
				state {"k":1}
				done success`,
		},
		{
			name: "P01 replace of what isn't there; the next snapshot is adopted",
			in: `RS
				STATE_DELTA [{"op":"replace","path":"/plan","value":["x"]}]
				STATE_SNAPSHOT {"plan":[]}
				RF`,
			want: `error patch: state patch failed: ~ /plan ~ (event 2, STATE_DELTA, byte
				state {"plan":[]}
				done success`,
		},
		{
			name: "45 P09 all or nothing; the error names operation and path",
			in: `RS
				STATE_SNAPSHOT {"a":1}
				STATE_DELTA [{"op":"add","path":"/b","value":2},{"op":"remove","path":"/zz"}]
				STATE_DELTA [{"op":"test","path":"/a","value":1.0},{"op":"add","path":"/b","value":2}]
				RF`,
			want: `state {"a":1}
				error patch: state patch failed: ~ 1 ~ /zz
				state {"a":1,"b":2}
				done success`,
			stores: `state {"a":1,"b":2}`,
		},
		{
			name: "P08 the whole document: replaced, taken from a part; removing it fails",
			in: `RS
				STATE_SNAPSHOT {"k":{"z":1}}
				STATE_DELTA [{"op":"add","path":"/","value":2}]
				STATE_DELTA [{"op":"remove","path":""}]
				STATE_DELTA [{"op":"copy","from":"/k","path":""}]
				STATE_DELTA [{"op":"replace","path":"","value":7}]
				STATE_SNAPSHOT null
				STATE_DELTA [{"op":"add","path":"/k","value":1}]
				STATE_DELTA [{"op":"add","path":"","value":{}}]
				RF`,
			want: `state {"k":{"z":1}}
				state {"k":{"z":1},"":2}
				error patch ~
				state {"z":1}
				state 7
				state null
				error patch ~
				state {}
				done success`,
		},
		{
			name: "88 a malformed patch",
			in: `RS
				STATE_DELTA {}
				STATE_DELTA [{"op":"add","path":"/a"}]
				STATE_DELTA [{"op":"add","path":"a","value":1}]
				STATE_DELTA [{"op":"add","path":"/~2","value":1}]
				STATE_DELTA [{"op":"move","path":"/a"}]
				STATE_DELTA [5]
				RF`,
			want: `loud: error patch ~
				loud: error patch ~ value
				loud: error patch ~ path
				loud: error patch ~ path
				loud: error patch ~ from
				loud: error patch ~
				loud: done success
				spec: error json ~ delta
				spec: done failed ~ delta`,
		},
		{
			name: "88 one with a member missing",
			only: "spec",
			in: `RS
				STATE_DELTA [{"op":"add","path":"/a"}]`,
			want: `error json ~ delta ~ value
				done failed ~ delta`,
		},
		{
			name: "88 an unknown op",
			in: `RS
				STATE_DELTA [{"op":"spin","path":"/a"},{"op":"add","path":"/b","value":1}]
				RF`,
			want: `loud: error patch ~ 0 ~ "spin"
				loud: done success
				spec: warn STATE_DELTA /delta/0 ~ "spin"
				spec: state {"b":1}
				spec: done success`,
		},
		{
			name: "2.8 extra members of an operation are legal",
			in: `RS
				STATE_DELTA [{"op":"add","path":"/b","value":1,"note":"x"}]
				RF`,
			want: `state {"b":1}
				done success`,
		},
		{
			name: "89 a subagent's delta changes the same state",
			in: `RS
				STATE_DELTA [{"op":"add","path":"/b","value":1}] subagentRunId=s
				RF`,
			want: `state {"b":1}
				done success`,
		},
		{
			name: "a limit of operations is a patch error that names it",
			opt:  engine.StreamOptions{Limits: engine.Limits{PatchOps: 2}},
			in: `RS
				STATE_DELTA [{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":1},{"op":"add","path":"/c","value":1}]
				RF`,
			want: `error patch ~ 2
				done success`,
			stores: `state {}`,
		},
		{
			name: "P06 a copy bomb is refused at its limit",
			in: `RS
				STATE_SNAPSHOT {"t":[1]}
				STATE_DELTA [` + strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"/t","path":"/t/-"},`, 24), ",") + `]
				RF`,
			want: `state {"t":[1]}
				error patch ~ 8388608
				done success`,
			stores: `state {"t":[1]}`,
		},
		{
			name: "state bytes: by a delta a patch error, by a snapshot a decode error",
			opt:  engine.StreamOptions{Limits: engine.Limits{StateBytes: 40}},
			in: `RS
				STATE_DELTA [{"op":"add","path":"/a","value":"0123456789012345678901234567890123456789"}]
				STATE_SNAPSHOT {"b":"0123456789012345678901234567890123456789"}`,
			want: `error patch ~ 40
				error decode ~ 40
				done failed ~ 40`,
			stores: `state {}`,
		},
	})
}

func TestActivities(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "state bytes bound an activity, too: by its snapshot",
			opt:  engine.StreamOptions{Limits: engine.Limits{StateBytes: 40}},
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"a":1}
				ACTIVITY_DELTA x plan [{"op":"add","path":"/b","value":"0123456789012345678901234567890123456789"}]
				ACTIVITY_SNAPSHOT y plan {"b":"0123456789012345678901234567890123456789"}`,
			want: `message 0 x activity
				error patch ~ 40
				error decode ~ 40
				done failed ~ 40`,
		},
		{
			name: "state bytes bound an activity, too: in a list of messages",
			opt:  engine.StreamOptions{Limits: engine.Limits{StateBytes: 40}},
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"x","role":"activity","activityType":"plan","content":{"b":"0123456789012345678901234567890123456789"}}]`,
			want: `error decode ~ 40
				done failed ~ 40`,
		},
		{
			name: "95 98 a snapshot makes it, a delta patches it and may retype it",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"steps":["a"]} subagentRunId=s replace=false
				ACTIVITY_DELTA x todo [{"op":"add","path":"/steps/-","value":"b"}]
				RF`,
			want: `message 0 x activity
				message 0 x activity
				done success`,
			stores: `{"id":"x","role":"activity","content":{"steps":["a","b"]},"activityType":"todo","subagentRunId":"s"}`,
		},
		{
			name: "96 a replacing snapshot: content, type and owner are its own, metadata accumulates, the place stays",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"a":1} subagentRunId=s metadata={"k":1}
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				ACTIVITY_SNAPSHOT x todo {"b":2} metadata={"l":2}
				RF`,
			want: `message 0 x activity
				message 1 m started
				message 1 m ended
				message 0 x activity
				done success`,
			stores: `{"id":"x","role":"activity","content":{"b":2},"activityType":"todo","metadata":{"k":1,"l":2}}
				{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "97 A8 replace:false: content, type and owner stand, metadata merges",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"a":1} subagentRunId=s metadata={"k":1}
				ACTIVITY_SNAPSHOT x todo {"b":2} replace=false subagentRunId=o metadata={"k":2}
				RF`,
			want: `message 0 x activity
				message 0 x activity
				done success`,
			stores: `{"id":"x","role":"activity","content":{"a":1},"activityType":"plan","metadata":{"k":2},"subagentRunId":"s"}`,
		},
		{
			name: "44 a delta without a target, or for another kind of message, is a warning",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				ACTIVITY_DELTA x plan []
				ACTIVITY_DELTA m plan []
				RF`,
			want: `message 0 m started
				message 0 m ended
				warn ACTIVITY_DELTA /messageId ~ "x"
				warn ACTIVITY_DELTA /messageId ~ "m"
				done success`,
			stores: `{"id":"m","role":"assistant","content":""}`,
		},
		{
			name: "A15 a snapshot for another kind of message likewise",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				ACTIVITY_SNAPSHOT m plan {}
				RF`,
			want: `message 0 m started
				message 0 m ended
				warn ACTIVITY_SNAPSHOT /messageId ~ "m"
				done success`,
		},
		{
			name: "25 a delta's tag may not differ from the owner, a replacing snapshot sets a new one",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"n":1} subagentRunId=s
				ACTIVITY_DELTA x plan [{"op":"replace","path":"/n","value":2}] subagentRunId=o
				ACTIVITY_DELTA x plan [{"op":"replace","path":"/n","value":3}]
				ACTIVITY_SNAPSHOT x plan {"n":4} subagentRunId=o
				ACTIVITY_DELTA x plan [{"op":"replace","path":"/n","value":5}] subagentRunId=o
				RF`,
			want: `message 0 x activity
				error protocol ~ "x" ~ "o"
				message 0 x activity
				message 0 x activity
				message 0 x activity
				done success`,
			stores: `{"id":"x","role":"activity","content":{"n":5},"activityType":"plan","subagentRunId":"o"}`,
		},
		{
			name: "98 45 of a delta that fails nothing applies",
			in: `RS
				ACTIVITY_SNAPSHOT x plan {"n":1}
				ACTIVITY_DELTA x todo [{"op":"remove","path":"/gone"}] metadata={"k":1}
				ACTIVITY_DELTA x todo [{"op":"replace","path":"","value":7}] metadata={"k":1}
				RF`,
			want: `message 0 x activity
				error patch: activity "x" patch failed: ~ /gone
				error patch: activity "x" patch failed: ~
				done success`,
			stores: `{"id":"x","role":"activity","content":{"n":1},"activityType":"plan"}`,
		},
		{
			name: "limits hold for an activity that a snapshot brought",
			opt:  engine.StreamOptions{Limits: engine.Limits{PatchOps: 1}},
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"x","role":"activity","activityType":"p","content":{}}]
				ACTIVITY_DELTA x p [{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":1}]
				RF`,
			want: `messages 1
				error patch ~ 1
				done success`,
		},
		{
			name: "1.2 content must be an object",
			in: `RS
				ACTIVITY_SNAPSHOT x plan [1]`,
			want: `error json ~ ACTIVITY_SNAPSHOT ~ content
				done failed ~ content`,
		},
	})
}

func TestMetadata(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "108 109 per key, last write wins, no recursion, null is a value, every event of the item",
			in: `RS
				TEXT_MESSAGE_START m metadata={"a":{"x":1},"b":1}
				TEXT_MESSAGE_CONTENT m "t" metadata={"a":{"y":2}}
				TEXT_MESSAGE_END m metadata={"b":null,"__proto__":3,"ag-ui":{}}
				TEXT_MESSAGE_START m metadata={"c":4}
				TEXT_MESSAGE_END m
				RF`,
			want: `message 0 m started
				message 0 m content "t"
				message 0 m ended
				message 0 m started
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"t","metadata":{"a":{"y":2},"b":null,"__proto__":3,"ag-ui":{},"c":4}}`,
		},
		{
			name: "108 a call's goes to the call, a thought's to the thought, a result's to the tool message",
			in: `RS
				TOOL_CALL_START c f metadata={"a":1}
				TOOL_CALL_ARGS c "" metadata={"b":2}
				TOOL_CALL_END c metadata={"c":3}
				REASONING_MESSAGE_START z reasoning metadata={"d":4}
				REASONING_MESSAGE_CONTENT z "" metadata={"e":5}
				REASONING_MESSAGE_END z metadata={"f":6}
				TOOL_CALL_RESULT r c "x" metadata={"g":7}
				CUSTOM x 1 metadata={"nowhere":1}
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c ""
				message 0 c toolCallEnded c
				reasoning z started = ""
				reasoning z content "" = ""
				reasoning z ended = ""
				message 1 r toolResult c
				done success`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"metadata":{"a":1,"b":2,"c":3}}]}
				{"id":"z","role":"reasoning","content":"","metadata":{"d":4,"e":5,"f":6}}
				{"id":"r","role":"tool","content":"x","toolCallId":"c","metadata":{"g":7}}`,
		},
		{
			name: "65 a chunk's goes to the events made from it",
			in: `RS
				TOOL_CALL_CHUNK toolCallId=c toolCallName=f metadata={"a":1}
				TOOL_CALL_CHUNK delta="x" metadata={"b":2}
				TOOL_CALL_CHUNK metadata={"c":3}
				RF`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "x"
				message 0 c toolCallArgs c ""
				message 0 c toolCallEnded c
				done success pending [c]`,
			stores: `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"x"},"metadata":{"a":1,"b":2,"c":3}}]}`,
		},
	})
}
