package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

func TestRuns(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "V04a 5 RUN_FINISHED after RUN_ERROR",
			in: `RS
				RUN_ERROR "no"
				RF`,
			want: `error run: run failed: no
				done failed: no
				loud: error protocol ~ RUN_FINISHED
				spec: error protocol ~ RUN_FINISHED`,
		},
		{
			name: "V04b 6 a late RUN_ERROR: an Error marked late, no second Done",
			in: `RS
				RF
				RUN_ERROR "no" code=E`,
			want: `done success
				error run late: run failed: no`,
		},
		{
			name: "V04c 1 RUN_ERROR first",
			in:   `RUN_ERROR "no" usage=[{"inputTokens":3}]`,
			want: `error run: run failed: no
				done failed usage {"inputTokens":3}: no`,
		},
		{
			name: "V04d 8 9 nothing stays open across runs",
			in: `RS
				TEXT_MESSAGE_START m
				RUN_ERROR "no"
				RUN_STARTED t r2
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "a"
				TEXT_MESSAGE_END m
				RUN_FINISHED t r2`,
			want: `message 0 m started
				error run: run failed: no
				done failed: no
				message 0 m started
				message 0 m content "a"
				message 0 m ended
				done success`,
			stores: `{"id":"m","role":"assistant","content":"a"}`,
		},
		{
			name: "V04e 2 RUN_STARTED while a run is active",
			in: `RS
				RS
				RF`,
			want: `error protocol ~ RUN_STARTED
				done success`,
		},
		{
			name: "V04f 7 RUN_FINISHED while a message is open: Loud applies it all the same",
			in: `RS
				TEXT_MESSAGE_START m
				RF`,
			want: `message 0 m started
				error protocol ~ "m"
				done success`,
		},
		{
			name: "V04g 1 RUN_FINISHED first",
			in:   `RF`,
			want: `loud: error protocol ~ RUN_FINISHED
				loud: error protocol ~ the stream ended before RUN_STARTED
				loud: done failed ~ the stream ended before RUN_STARTED
				spec: error protocol ~ RUN_FINISHED
				spec: done failed ~ RUN_FINISHED`,
		},
		{
			name: "1 RAW and CUSTOM are no exception, unknown types don't count",
			only: "spec",
			in: `{"type":"NEW_THING"}
				RAW 1
				RS`,
			want: `warn NEW_THING  ~ NEW_THING
				error protocol ~ RAW
				done failed ~ RAW`,
		},
		{
			name: "1 Loud skips what comes before the first run",
			only: "loud",
			in: `CUSTOM a 1
				RS
				RF`,
			want: `error protocol ~ CUSTOM
				done success`,
		},
		{
			name: "4 between runs: an Error without a Done; Loud skips, Spec closes",
			in: `RS
				RF
				STATE_SNAPSHOT 1
				RUN_STARTED t r2
				RUN_FINISHED t r2`,
			want: `done success
				loud: error protocol ~ STATE_SNAPSHOT
				loud: done success
				spec: error protocol ~ STATE_SNAPSHOT`,
			stores: `state {}`,
		},
		{
			name: "5 a second RUN_ERROR",
			in: `RS
				RUN_ERROR "no"
				RUN_ERROR "again"`,
			want: `error run: run failed: no
				done failed: no
				loud: error protocol ~ RUN_ERROR
				spec: error protocol ~ RUN_ERROR`,
		},
		{
			name: "6 nothing after a late one either",
			in: `RS
				RF
				RUN_ERROR "no"
				RUN_ERROR "again"
				RUN_STARTED t r2
				RUN_FINISHED t r2`,
			want: `done success
				error run late: run failed: no
				loud: error protocol ~ RUN_ERROR
				loud: done success
				spec: error protocol ~ RUN_ERROR`,
		},
		{
			name: "3 125 runs in sequence share stores",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_END m
				STATE_SNAPSHOT {"a":1}
				RF
				RUN_STARTED t r2
				STATE_DELTA [{"op":"add","path":"/b","value":2}]
				RUN_FINISHED t r2`,
			want: `message 0 m started
				message 0 m ended
				state {"a":1}
				done success
				state {"a":1,"b":2}
				done success`,
			stores: `{"id":"m","role":"assistant","content":""}
				state {"a":1,"b":2}`,
		},
		{
			name: "7 one Error names everything open, for every outcome",
			in: `RS
				TEXT_MESSAGE_START m
				TOOL_CALL_START c f
				REASONING_START p
				REASONING_MESSAGE_START z reasoning
				STEP_STARTED w
				SUBAGENT_STARTED s sub
				RUN_FINISHED t r outcome={"type":"cancelled"}`,
			want: `message 0 m started
				message 1 c toolCallStarted c "f"
				reasoning p started = ""
				reasoning z started = ""
				subagent 0 s started running "sub"
				error protocol ~ "m" ~ "c" ~ "z" ~ "p" ~ "w" ~ "s"
				done cancelled`,
			stores: `subagent {"id":"s","name":"sub","status":"running"}`,
		},
		{
			name: "V01 123 the bytes end with the run open",
			in: `RS
				TEXT_MESSAGE_START m
				TEXT_MESSAGE_CONTENT m "The total is 1"`,
			want: `message 0 m started
				message 0 m content "The total is 1"
				error protocol ~ the stream ended before RUN_FINISHED or RUN_ERROR
				done failed ~ the stream ended before RUN_FINISHED or RUN_ERROR`,
			stores: `{"id":"m","role":"assistant","content":"The total is 1"}`,
		},
		{
			name: "V01 an empty body",
			in:   ``,
			want: `error protocol ~ the stream ended before RUN_STARTED
				done failed ~ the stream ended before RUN_STARTED`,
		},
		{
			name: "V01 a truncated second run",
			in: `RS
				RF
				RUN_STARTED t r2`,
			want: `done success
				error protocol ~ the stream ended before RUN_FINISHED or RUN_ERROR
				done failed ~ the stream ended before RUN_FINISHED or RUN_ERROR`,
		},
		{
			name: "10 A1 identities that differ are warnings",
			in: `RS
				RUN_FINISHED t2 r9
				RUN_STARTED t3 r2
				RUN_FINISHED t3 r2`,
			want: `warn RUN_FINISHED /threadId ~ "t2"
				warn RUN_FINISHED /runId ~ "r9"
				done success
				warn RUN_STARTED /threadId ~ "t3"
				done success`,
		},
		{
			name: "43 48 158 protocolVersion: newer or unreadable is a warning",
			in: `RUN_STARTED t r protocolVersion="1.1"
				RF
				RUN_STARTED t r protocolVersion="1.0"
				RF
				RUN_STARTED t r protocolVersion="1.10"
				RF
				RUN_STARTED t r protocolVersion="2.0"
				RF
				RUN_STARTED t r protocolVersion="next"
				RF`,
			want: `done success
				done success
				warn RUN_STARTED /protocolVersion ~ 1.10
				done success
				warn RUN_STARTED /protocolVersion ~ 2.0
				done success
				warn RUN_STARTED /protocolVersion ~ next
				done success`,
		},
		{
			name: "20 104 steps, keyed by owner and name",
			in: `RS
				STEP_FINISHED w
				STEP_STARTED w
				STEP_STARTED w
				STEP_STARTED w subagentRunId=s
				STEP_STARTED v
				STEP_FINISHED v subagentRunId=s
				STEP_FINISHED w
				STEP_FINISHED w
				STEP_FINISHED v
				STEP_STARTED v
				STEP_FINISHED v
				STEP_FINISHED w subagentRunId=s
				RF`,
			want: `error protocol ~ "w"
				error protocol ~ "w"
				error protocol ~ "v"
				error protocol ~ "w"
				done success`,
			stores: `no-messages
				state {}`,
		},
		{
			name: "106 RAW and CUSTOM change nothing",
			in: `RS
				RAW {"type":"RUN_FINISHED"} source=x
				RAW null
				CUSTOM x null
				RF`,
			want:   `done success`,
			stores: `state {}`,
		},
		{
			name: "105 echoed input changes nothing",
			in: `RUN_STARTED t r input={"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}],"state":{"a":1}}
				RF`,
			want: `done success`,
			stores: `no-messages
				state {}`,
		},
		{
			name: "adopted input: what isn't held is added, the state if none was published",
			opt:  engine.StreamOptions{AdoptInput: true, Messages: []*engine.Message{user("u", "held")}},
			in: `RUN_STARTED t r input={"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"},{"id":"z","role":"reasoning","content":"z"},{"id":"a","role":"assistant","content":"a"}],"state":{"a":1}}
				RF
				RUN_STARTED t r2 input={"threadId":"t","runId":"r2","messages":[{"id":"a","role":"assistant","content":"other"}],"state":{"a":2}}
				RUN_FINISHED t r2`,
			want: `messages 2
				state {"a":1}
				done success
				done success`,
			stores: `{"id":"u","role":"user","content":"held"}
				{"id":"z","role":"reasoning","content":"z"}
				{"id":"a","role":"assistant","content":"a"}
				state {"a":1}`,
		},
		{
			name: "adopted input: a seeded state stands",
			opt:  engine.StreamOptions{AdoptInput: true, State: engine.JSON(`{"s":0}`)},
			in: `RUN_STARTED t r input={"threadId":"t","runId":"r","messages":[],"state":{"a":1}}
				RF`,
			want:   `done success`,
			stores: `state {"s":0}`,
		},
		{
			name: "echoed input is enforced when adopted, and always under Spec",
			in:   `RUN_STARTED t r input={"threadId":"t","runId":"r","messages":[{"id":"u"}]}` + "\nRF",
			want: `loud: done success
				spec: error json ~ input
				spec: done failed ~ input`,
		},
		{
			name: "echoed input that is adopted is enforced under Loud too",
			opt:  engine.StreamOptions{AdoptInput: true},
			in:   `RUN_STARTED t r input={"threadId":"t","runId":"r","messages":[{"id":"u"}]}` + "\nRF",
			want: `error json ~ input
				done failed ~ input`,
		},
	})
}

func TestRunEnds(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "116 success with a result and usage",
			in: `RS
				RUN_FINISHED t r result={"a":[1.50]} usage=[{"provider":"p","inputTokens":1},{"model":"m","outputTokens":0}] outcome={"type":"success"}`,
			want: `done success result {"a":[1.50]} usage {"provider":"p","inputTokens":1} usage {"model":"m","outputTokens":0}`,
		},
		{
			name: "119 interrupt: one update each, wire order, before Done",
			in: `RS
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"b","reason":"x"},{"id":"a","reason":"y","message":"?"}]}`,
			want: `interrupt {"id":"b","reason":"x"}
				interrupt {"id":"a","reason":"y","message":"?"}
				done interrupted b a`,
			stores: `interrupt {"id":"b","reason":"x"}
				interrupt {"id":"a","reason":"y","message":"?"}`,
		},
		{
			name: "119 interrupts stand until the next run starts",
			in: `RS
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"b","reason":"x"}]}
				RUN_STARTED t r2
				RUN_FINISHED t r2`,
			want: `interrupt {"id":"b","reason":"x"}
				done interrupted b
				done success`,
		},
		{
			name: "A19 two interrupts of one id: Loud keeps the first",
			in: `RS
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"b","reason":"x"},{"id":"b","reason":"y"}]}`,
			want: `error protocol ~ "b"
				interrupt {"id":"b","reason":"x"}
				done interrupted b`,
		},
		{
			name: "120 cancelled is neither success nor failure",
			in: `RS
				RUN_FINISHED t r outcome={"type":"cancelled"} usage=[{"inputTokens":1}]`,
			want: `done cancelled usage {"inputTokens":1}`,
		},
		{
			name: "121 RUN_ERROR: the agent's own words, bare, and the code",
			in: `RS
				RUN_ERROR "over quota" code=""`,
			want: `error run: run failed: over quota
				done failed code "": over quota`,
		},
		{
			name: "6.2 an unknown outcome",
			in: `RS
				RUN_FINISHED t r outcome={"type":"paused"}`,
			want: `loud: error json ~ outcome
				loud: done failed ~ outcome
				spec: warn RUN_FINISHED /outcome ~
				spec: done success`,
		},
		{
			name: "A3 an extra member of a known outcome",
			in: `RS
				RUN_FINISHED t r outcome={"type":"success","interrupts":[]}`,
			want: `spec: warn RUN_FINISHED /outcome ~ interrupts
				done success`,
		},
		{
			name: "2.4 no interrupts at all are malformed",
			in: `RS
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[]}`,
			want: `error json ~ interrupts
				done failed ~ interrupts`,
		},
		{
			name: "6.2 an outcome of a wrong type",
			in: `RS
				RUN_FINISHED t r outcome=[1]`,
			want: `error json ~ outcome
				done failed ~ outcome`,
		},
		{
			name: "2.6 usage counts are integers from 0",
			in: `RS
				RUN_FINISHED t r usage=[{"inputTokens":-1}]`,
			want: `error json ~ usage
				done failed ~ usage`,
		},
	})
}
