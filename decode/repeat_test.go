package decode_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/decode"
)

func TestRepeat(t *testing.T) {
	const learned = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","subagentRunId":"s"}`
	type match struct {
		Text  string
		Plain bool
		N     int
	}
	tests := []struct {
		name, learn, rest string
		want              match
	}{
		{"the same frame", learned, "data: " + learned + "\n\n", match{"a", true, len(learned) + 8}},
		{"no space after the colon", learned, "data:" + learned + "\n\n", match{"a", true, len(learned) + 7}},
		{"another delta", `{"delta":"a"}`, "data: {\"delta\":\"a longer delta than a word\"}\n\nmore", match{"a longer delta than a word", true, 46}},
		{"an empty delta", `{"delta":"a"}`, "data: {\"delta\":\"\"}\n\n", match{"", true, 20}},
		{"escapes are not plain", `{"delta":"a"}`, "data: {\"delta\":\"\\n\\\"\"}\n\n", match{`\n\"`, false, 24}},
		{"non-ASCII is not plain", `{"delta":"a"}`, "data: {\"delta\":\"é\"}\n\n", match{"é", false, 22}},
		{"a bad escape", `{"delta":"a"}`, "data: {\"delta\":\"\\x\"}\n\n", match{}},
		{"a control character", `{"delta":"a"}`, "data: {\"delta\":\"a\tb\"}\n\n", match{}},
		{"a line end in the delta", `{"delta":"a"}`, "data: {\"delta\":\"a\nb\"}\n\n", match{}},
		{"one more member", `{"delta":"a"}`, "data: {\"delta\":\"a\",\"x\":1}\n\n", match{}},
		{"another head", `{"delta":"a"}`, "data: {\"Delta\":\"a\"}\n\n", match{}},
		{"no blank line yet", `{"delta":"a"}`, "data: {\"delta\":\"aaaaaaaa\"}\n", match{}},
		{"a second data line", `{"delta":"a"}`, "data: {\"delta\":\"a\"}\ndata: 1\n\n", match{}},
		{"CRLF", `{"delta":"a"}`, "data: {\"delta\":\"a\"}\r\n\r\n", match{}},
		{"cut in the head", `{"delta":"a"}`, "data: {\"del", match{}},
		{"cut in the delta", `{"delta":"a"}`, "data: {\"delta\":\"aaaaaaaaaaaaaaaaaaaaa", match{}},
		{"two spaces", `{"delta":"a"}`, "data:  {\"delta\":\"a\"}\n\n", match{}},
		{"a comment", `{"delta":"a"}`, ": ta: {\"delta\":\"a\"}\n\n", match{}},
		{"delta in the middle", `{"a":1,"delta":"b","c":2}`, "data: {\"a\":1,\"delta\":\"bb\",\"c\":2}\n\n", match{"bb", true, 34}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frame := tt.learn
			if frame[2] != 't' { // every event has a type
				frame = `{"type":"CUSTOM",` + frame[1:]
				if len(tt.rest) > 7 && tt.rest[6] == '{' {
					tt.rest = tt.rest[:6] + `{"type":"CUSTOM",` + tt.rest[7:]
					if tt.want.N > 0 {
						tt.want.N += 16
					}
				}
			}
			var ev decode.Event
			if err := ev.Decode([]byte(frame), 0); err != nil {
				t.Fatal(err)
			}
			var r decode.Repeat
			if _, _, n := r.Match([]byte(tt.rest)); n != 0 {
				t.Error("matches before it has learned anything")
			}
			if !r.Learn(&ev, decode.FieldDelta) {
				t.Fatal("not learned")
			}
			var got match
			text, plain, n := r.Match([]byte(tt.rest))
			got = match{string(text), plain && n > 0, n}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A frame that was joined of several lines would be another frame on one line.
func TestRepeatLearnsNoLineEnds(t *testing.T) {
	for _, frame := range []string{
		"{\n\"type\":\"CUSTOM\",\"delta\":\"a\"}", "{\"type\":\"CUSTOM\",\"delta\":\"a\"\n}", "{\"type\":\"CUSTOM\",\r\"delta\":\"a\"}",
		`{"type":"CUSTOM","delta":1}`, `{"type":"CUSTOM"}`,
	} {
		var ev decode.Event
		if err := ev.Decode([]byte(frame), 0); err != nil {
			t.Fatal(err)
		}
		var r decode.Repeat
		if r.Learn(&ev, decode.FieldDelta) {
			t.Errorf("learned %q", frame)
		}
	}
}
