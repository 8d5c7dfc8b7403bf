package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// What is unknown and what is malformed (protocol, section 6.2; semantics, sections 5 and 6).
func TestBoundary(t *testing.T) {
	runScenarios(t, []scenario{
		{
			name: "D02 null in optional fields is read as absent, with a warning, under both sets",
			in: `{"type":"RUN_STARTED","threadId":"t","runId":"r","timestamp":null,"input":null}
				{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":null,"subagentRunId":null}
				{"type":"TOOL_CALL_END","toolCallId":"c","metadata":null,"rawEvent":null}
				{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":null,"outcome":null,"usage":null}`,
			want: `warn RUN_STARTED /timestamp ~
				warn RUN_STARTED /input ~
				warn TOOL_CALL_START /subagentRunId ~
				warn TOOL_CALL_START /parentMessageId ~
				message 0 c toolCallStarted c "f"
				warn TOOL_CALL_END /rawEvent ~
				warn TOOL_CALL_END /metadata ~
				message 0 c toolCallEnded c
				warn RUN_FINISHED /result ~
				warn RUN_FINISHED /outcome ~
				warn RUN_FINISHED /usage ~
				done success pending [c]`,
		},
		{
			name: "D02 null in a required field is malformed",
			in: `RS
				{"type":"TEXT_MESSAGE_START","messageId":null}`,
			want: `error json ~ TEXT_MESSAGE_START ~ messageId
				done failed ~ messageId`,
		},
		{
			name: "1.1 required any-JSON fields may be null",
			in: `RS
				STATE_SNAPSHOT null
				CUSTOM n null
				RAW null
				STATE_DELTA [{"op":"add","path":"","value":null}]
				RF`,
			want: `state null
				state null
				done success`,
		},
		{
			name: "D03a an unknown event type",
			in: `RS
				{"type":"FANCY_NEW","x":1}
				RF`,
			want: `loud: error json ~ FANCY_NEW ~ (event 2, FANCY_NEW, byte 57)
				loud: done failed: JSON error: ~ FANCY_NEW
				spec: warn FANCY_NEW  ~ FANCY_NEW
				spec: done success`,
		},
		{
			name: "D03b an unknown property",
			in: `RS
				CUSTOM x 1 extra=1 a/b=2
				TEXT_MESSAGE_START m delta=x
				TEXT_MESSAGE_END m
				RF`,
			want: `spec: warn CUSTOM /extra ~
				spec: warn CUSTOM /a~1b ~
				spec: warn TEXT_MESSAGE_START /delta ~
				message 0 m started
				message 0 m ended
				done success`,
		},
		{
			name: "D03c a described field of a wrong type",
			in: `RS
				TEXT_MESSAGE_START 12345`,
			want: `error json ~ TEXT_MESSAGE_START ~ messageId ~ (event 2, TEXT_MESSAGE_START, byte 57)
				done failed ~ messageId`,
		},
		{
			name: "47 a malformed known field is fatal though the type is of no use here",
			in: `RS
				STEP_STARTED 5`,
			want: `error json ~ stepName
				done failed ~ stepName`,
		},
		{
			name: "D03d no type",
			in: `RS
				{"x":1}`,
			want: `error json ~ type
				done failed: JSON error ~ type`,
		},
		{
			name: "D03d a type that is no string",
			in: `RS
				{"type":5}`,
			want: `error json ~ type
				done failed: JSON error ~ type`,
		},
		{
			name: "A23 an integer may be written 1.0 or 1e3, a fraction is malformed",
			in: `RS
				CUSTOM x 1 timestamp=1.0
				CUSTOM x 1 timestamp=1e3
				CUSTOM x 1 timestamp=1.5`,
			want: `error json ~ CUSTOM ~ timestamp
				done failed ~ timestamp`,
		},
		{
			name: "1.1 a timestamp out of range",
			in: `RS
				CUSTOM x 1 timestamp=9007199254740992`,
			want: `error json ~ timestamp
				done failed ~ timestamp`,
		},
		{
			name: "6.2 unknown members inside of messages, by path",
			only: "spec",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"u","role":"user","content":[{"type":"text","text":"a"},{"type":"hologram","x":1},{"type":"image","source":{"type":"quantum","value":"v"}}],"extra":1},{"id":"v","role":"oracle"},{"id":"w","role":"user","content":"w"}]
				RF`,
			want: `warn MESSAGES_SNAPSHOT /messages/0/extra ~
				warn MESSAGES_SNAPSHOT /messages/0/content/1 ~ hologram
				warn MESSAGES_SNAPSHOT /messages/0/content/2 ~ quantum
				warn MESSAGES_SNAPSHOT /messages/1 ~
				messages 2
				done success`,
			stores: `{"id":"u","role":"user","content":[{"type":"text","text":"a"}]}
				{"id":"w","role":"user","content":"w"}`,
		},
		{
			name: "6.2 an unknown member inside of messages, Loud",
			only: "loud",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"u","role":"user","content":[{"type":"hologram","x":1}]}]`,
			want: `error json ~ MESSAGES_SNAPSHOT ~
				done failed: JSON error ~ /messages/0/content/0`,
		},
		{
			name: "6.2 a malformed field inside of messages",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f"}}]}]`,
			want: `error json ~ MESSAGES_SNAPSHOT ~ arguments
				done failed: JSON error ~ arguments`,
		},
		{
			name: "6.2 of a malformed event the error alone speaks: unknown properties and nulls",
			in: `RS
				{"type":"CUSTOM","name":null,"extra":1,"rawEvent":null}`,
			want: `error json ~ CUSTOM ~ name
				done failed ~ name`,
		},
		{
			name: "6.2 of a malformed event the error alone speaks: its nested payload",
			only: "spec",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"m","role":"martian"},{"id":"a","role":"assistant","odd":1,"toolCalls":7}] extra=1`,
			want: `error json ~ MESSAGES_SNAPSHOT ~ toolCalls
				done failed ~ toolCalls`,
		},
		{
			name: "1.4 a binary part in a stream is upgraded with a warning",
			in: `RS
				MESSAGES_SNAPSHOT [{"id":"u","role":"user","content":[{"type":"binary","mimeType":"image/png","url":"http://x"},{"type":"binary","mimeType":"audio/wav","data":"QQ=="}]}]
				RF`,
			want: `warn MESSAGES_SNAPSHOT /messages/0/content/0 ~ binary
				warn MESSAGES_SNAPSHOT /messages/0/content/1 ~ binary
				messages 1
				done success`,
			stores: `{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"http://x","mimeType":"image/png"}},{"type":"audio","source":{"type":"data","value":"QQ==","mimeType":"audio/wav"}}]}`,
		},
		{
			name: "40 argument text that is no JSON, unknown activity types, reasons, codes and sources pass silently",
			in: `RS
				TOOL_CALL_START c f
				TOOL_CALL_ARGS c "{oops"
				TOOL_CALL_END c
				ACTIVITY_SNAPSHOT x never-seen {}
				RAW 1 source=nobody
				CUSTOM vendor/unknown 1
				RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"odd"}]}`,
			want: `message 0 c toolCallStarted c "f"
				message 0 c toolCallArgs c "{oops"
				message 0 c toolCallEnded c
				message 1 x activity
				interrupt {"id":"i","reason":"odd"}
				done interrupted i`,
		},
		{
			name: "an error before the first run ends nothing but the stream: Done(Failed)",
			in:   `{"type":"TEXT_MESSAGE_START"}`,
			want: `error json ~ messageId
				done failed ~ messageId`,
		},
		{
			name: "a malformed event between runs: the Error alone",
			in: `RS
				RF
				{"type":"TEXT_MESSAGE_START"}
				RS`,
			want: `done success
				error json ~ messageId`,
		},
	})
}

// Frames that hold no event at all: D03e, D05, D07, F06 and the decode errors.
func TestBoundaryFrames(t *testing.T) {
	const rs = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	rf := "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	small := engine.Limits{FrameBytes: 100, Depth: 8}
	tests := []struct {
		name, body string
		want       string
	}{
		{"an array", "data: [1]\n\n", "error json ~ (event 2, byte 57)\ndone failed: JSON error ~"},
		{"a number", "data: 5\n\n", "error json ~\ndone failed: JSON error ~"},
		{"an end marker", "data: [DONE]\n\n", "error json ~\ndone failed: JSON error ~"},
		{"no data at all", "data:\n\n", "error json ~ (event 2, byte 57)\ndone failed: JSON error ~"},
		{"a field name alone", "data\n\n", "error json ~\ndone failed: JSON error ~"},
		{"a raw line end in a string", "data: {\"type\":\"CU\ndata: STOM\"}\n\n", "error json ~\ndone failed: JSON error ~"},
		{"bytes behind the object", "data: {\"type\":\"RAW\",\"event\":1} x\n\n", "error json ~\ndone failed: JSON error ~"},
		{"blocks without data", ": ping\n\nretry: 3000\n\nevent: heartbeat\n\nid: 7\n\n" + rf, "done success"},
		{"data on several lines", "data: {\"type\":\"RUN_FINISHED\",\ndata: \"threadId\":\"t\",\ndata:\"runId\":\"r\"}\n\n", "done success"},
		{"CRLF", "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\r\n\r\n", "done success"},
		{"CR", "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\r\r", "done success"},
		{"F07 a whole tail without its blank line", "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}", "done success"},
		{"F07 and with its line end", "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n", "done success"},
		{"F07 a torn tail", "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"run", "error protocol ~ the stream ended\ndone failed ~"},
		{"the frame limit", "data: " + string(make([]byte, 200)), "error decode: SSE decode error: ~ 100 (byte 157)\ndone failed: SSE decode error: ~ 100"},
		{"the depth limit", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":[[[[[[[[1]]]]]]]]}\n\n", "error decode: SSE decode error: ~ 8 ~ (event 2, STATE_SNAPSHOT, byte 57)\ndone failed: SSE decode error: ~ 8"},
		{"nesting within the limit", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":[[[[[[[1]]]]]]]}\n\n" + rf, "state [[[[[[[1]]]]]]]\ndone success"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := []byte(rs + tt.body)
			got := feed(t, body, engine.StreamOptions{Limits: small}, whole)
			want := cutLines(tt.want)
			if diff := cmp.Diff(want, match(got.Lines, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for name, cuts := range map[string]func(int) int{"byte by byte": bytewise, "random": randomCuts(1), "other random": randomCuts(2)} {
				if diff := cmp.Diff(got.Lines, feed(t, body, engine.StreamOptions{Limits: small}, cuts).Lines); diff != "" {
					t.Errorf("cut %s (-whole +cut):\n%s", name, diff)
				}
			}
		})
	}
}
