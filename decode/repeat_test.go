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

func TestRepeatLearnsStringsOnly(t *testing.T) {
	for _, frame := range []string{`{"type":"CUSTOM","delta":1}`, `{"type":"CUSTOM"}`} {
		var ev decode.Event
		var r decode.Repeat
		known := []byte(`{"type":"CUSTOM","delta":"a"}`)
		if err := ev.Decode(known, 0); err != nil || !r.Learn(&ev, decode.FieldDelta) {
			t.Fatal(err)
		}
		if err := ev.Decode([]byte(frame), 0); err != nil {
			t.Fatal(err)
		}
		if r.Learn(&ev, decode.FieldDelta) {
			t.Errorf("learned %q", frame)
		}
		if _, _, n := r.Match([]byte("data: " + string(known) + "\n\n")); n != 0 {
			t.Error("still matches what it learned before")
		}
	}
}

func TestRepeatTimestamps(t *testing.T) {
	const first = `{"type":"CUSTOM","timestamp":1700000000000,"delta":"a"}`
	const last = `{"type":"CUSTOM","delta":"a","timestamp":1,"name":"n"}`
	tests := []struct {
		name, learn, frame string
		want               bool
	}{
		{"in front", first, `{"type":"CUSTOM","timestamp":1700000000123,"delta":"bb"}`, true},
		{"fewer digits", first, `{"type":"CUSTOM","timestamp":5,"delta":""}`, true},
		{"fifteen digits", first, `{"type":"CUSTOM","timestamp":123456789012345,"delta":"a"}`, true},
		{"sixteen digits", first, `{"type":"CUSTOM","timestamp":1234567890123456,"delta":"a"}`, false},
		{"a leading zero", first, `{"type":"CUSTOM","timestamp":01,"delta":"a"}`, false},
		{"negative", first, `{"type":"CUSTOM","timestamp":-1,"delta":"a"}`, false},
		{"a fraction", first, `{"type":"CUSTOM","timestamp":1.0,"delta":"a"}`, false},
		{"none", first, `{"type":"CUSTOM","timestamp":,"delta":"a"}`, false},
		{"null", first, `{"type":"CUSTOM","timestamp":null,"delta":"a"}`, false},
		{"behind", last, `{"type":"CUSTOM","delta":"longer than a word","timestamp":1700000000123,"name":"n"}`, true},
		{"behind, another name", last, `{"type":"CUSTOM","delta":"a","timestamp":17,"name":"m"}`, false},
		{"behind, a fraction", last, `{"type":"CUSTOM","delta":"a","timestamp":1.5,"name":"n"}`, false},
		{"learned with a fraction, the same", `{"type":"CUSTOM","timestamp":1.0,"delta":"a"}`, `{"type":"CUSTOM","timestamp":1.0,"delta":"b"}`, true},
		{"learned with a fraction, another", `{"type":"CUSTOM","timestamp":1.0,"delta":"a"}`, `{"type":"CUSTOM","timestamp":2.0,"delta":"b"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ev decode.Event
			var r decode.Repeat
			if err := ev.Decode([]byte(tt.learn), 0); err != nil || !r.Learn(&ev, decode.FieldDelta) {
				t.Fatal(err)
			}
			rest := []byte("data: " + tt.frame + "\n\n")
			text, _, n := r.Match(append(rest, "data: x"...))
			if got := n == len(rest); got != tt.want || n != 0 && !tt.want {
				t.Fatalf("n = %d of %d, want a match: %v", n, len(rest), tt.want)
			}
			if !tt.want {
				return
			}
			if err := ev.Decode([]byte(tt.frame), 0); err != nil {
				t.Fatal(err)
			}
			if want := ev.Raw(decode.FieldDelta); string(want) != `"`+string(text)+`"` {
				t.Errorf("text %q, want %s", text, want)
			}
		})
	}
}
