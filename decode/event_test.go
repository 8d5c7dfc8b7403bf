package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// view is an event as a test can compare it.
type view struct {
	Type    string
	Known   map[string]string // name -> raw
	Unknown []string
}

func viewOf(ev *Event) view {
	v := view{Type: ev.Type.String(), Known: map[string]string{}}
	for f := range NumFields {
		if ev.Has(f) {
			v.Known[f.String()] = string(ev.Raw(f))
		}
	}
	ev.Unknown(func(name []byte) { v.Unknown = append(v.Unknown, string(name)) })
	return v
}

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		name, frame string
		want        view
	}{
		{"a delta", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"quick "}`,
			view{"TEXT_MESSAGE_CONTENT", map[string]string{"type": `"TEXT_MESSAGE_CONTENT"`, "messageId": `"m-1"`, "delta": `"quick "`}, nil}},
		{"white space everywhere", " { \"type\" : \"RAW\" ,\n\"event\" :\t[ 1 , 2 ] ,\r\"source\":\"s\" } ",
			view{"RAW", map[string]string{"type": `"RAW"`, "event": `[ 1 , 2 ]`, "source": `"s"`}, nil}},
		{"every kind", `{"type":"CUSTOM","name":"n","value":{"a":[]},"timestamp":-1.5e3,"metadata":null,"rawEvent":true,"replace":false}`,
			view{"CUSTOM", map[string]string{"type": `"CUSTOM"`, "name": `"n"`, "value": `{"a":[]}`, "timestamp": `-1.5e3`, "metadata": `null`, "rawEvent": `true`, "replace": `false`}, []string{"replace"}}},
		{"type last", `{"messageId":"m","type":"TEXT_MESSAGE_END"}`,
			view{"TEXT_MESSAGE_END", map[string]string{"type": `"TEXT_MESSAGE_END"`, "messageId": `"m"`}, nil}},
		{"the last duplicate wins", `{"type":"RAW","type":"CUSTOM","name":"a","name":7,"value":1,"value":"x"}`,
			view{"CUSTOM", map[string]string{"type": `"CUSTOM"`, "name": `7`, "value": `"x"`}, nil}},
		{"escaped names", `{"\u0074ype":"CUSTOM","n\u0061m\u0065":"n","val\u0075e":1,"\u0078":2}`,
			view{"CUSTOM", map[string]string{"type": `"CUSTOM"`, "name": `"n"`, "value": `1`}, []string{"x"}}},
		{"a long escaped name", `{"type":"SUBAGENT_STARTED","\u0070\u0061\u0072\u0065\u006e\u0074Subagent\u0052\u0075\u006eId":"p"}`,
			view{"SUBAGENT_STARTED", map[string]string{"type": `"SUBAGENT_STARTED"`, "parentSubagentRunId": `"p"`}, nil}},
		{"an escaped type", `{"type":"\u0052AW","event":null}`,
			view{"RAW", map[string]string{"type": `"\u0052AW"`, "event": `null`}, nil}},
		{"an unknown type", `{"type":"FANCY_NEW","x":1}`, view{"", map[string]string{"type": `"FANCY_NEW"`}, nil}},
		{"unknown members in wire order", `{"a":1,"type":"RUN_ERROR","messageId":"m","b":{"c":1},"message":"x","delta":[],"é":2,"\u00e9\n":3}`,
			view{"RUN_ERROR", map[string]string{"type": `"RUN_ERROR"`, "messageId": `"m"`, "message": `"x"`, "delta": `[]`}, []string{"a", "messageId", "b", "delta", "é", "é\n"}}},
		{"names that are almost ours", `{"type":"RAW","Type":1,"typ":2,"types":3,"messageid":4,"messageIdd":5,"parentSubagentXunId":6,"":7,"__proto__":8,"event":9}`,
			view{"RAW", map[string]string{"type": `"RAW"`, "event": `9`}, []string{"Type", "typ", "types", "messageid", "messageIdd", "parentSubagentXunId", "", "__proto__"}}},
		{"an attributed run event", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","subagentRunId":"s"}`,
			view{"RUN_FINISHED", map[string]string{"type": `"RUN_FINISHED"`, "threadId": `"t"`, "runId": `"r"`, "subagentRunId": `"s"`}, []string{"subagentRunId"}}},
		{"an empty name of type", `{"type":""}`, view{"", map[string]string{"type": `""`}, nil}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var ev Event
			// What an event held before must not show.
			if err := ev.Decode([]byte(`{"type":"TOOL_CALL_RESULT","x":1,"name":null,"role":"tool","content":[],"title":5}`), 0); err != nil {
				t.Fatal(err)
			}
			if err := ev.Decode([]byte(tc.frame), 0); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, viewOf(&ev)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	deep := func(n int) string {
		return `{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	for _, tc := range []struct {
		name, frame string
		depth       int
		want        Error
		text        string
	}{
		{"empty", ``, 0, Error{Reason: "the data is empty"}, "the data is empty"},
		{"white space", " \n", 0, Error{Reason: "the data is empty"}, "the data is empty"},
		{"an array", `[1]`, 0, Error{Reason: "the data is no JSON object"}, "the data is no JSON object"},
		{"a number", ` 5`, 0, Error{Reason: "the data is no JSON object", Offset: 1}, "the data is no JSON object at byte 1"},
		{"[DONE]", `[DONE]`, 0, Error{Reason: "not JSON", Offset: 1}, "not JSON at byte 1"},
		{"a torn array", `[1`, 0, Error{Reason: "the JSON text ends too early", Offset: 2}, "the JSON text ends too early at byte 2"},
		{"two numbers", `5 5`, 0, Error{Reason: "not JSON", Offset: 2}, "not JSON at byte 2"},
		{"no members", `{}`, 0, Error{Field: "type", Reason: "missing"}, "type: missing"},
		{"no members, and more", `{}x`, 0, Error{Reason: "not JSON", Offset: 2}, "not JSON at byte 2"},
		{"no type", `{"x":1}`, 0, Error{Field: "type", Reason: "missing"}, "type: missing"},
		{"a type that is a number", `{"type":5}`, 0, Error{Field: "type", Reason: "want a string, have a number", Offset: 8}, "type: want a string, have a number at byte 8"},
		{"a last type that is null", `{"type":"RAW","type":null}`, 0, Error{Field: "type", Reason: "want a string, have null", Offset: 21}, "type: want a string, have null at byte 21"},
		{"malformed behind the type", `{"type":"RAW","event":tru}`, 0, Error{Type: "RAW", Reason: "not JSON", Offset: 25}, "RAW: not JSON at byte 25"},
		{"two objects", `{"type":"RAW","event":1}{}`, 0, Error{Type: "RAW", Reason: "not JSON", Offset: 24}, "RAW: not JSON at byte 24"},
		{"torn", `{"type":"RAW","event":"abc`, 0, Error{Type: "RAW", Reason: "the JSON text ends too early", Offset: 26}, "RAW: the JSON text ends too early at byte 26"},
		{"just in the depth", deep(255), 0, Error{}, ""},
		{"over the depth", deep(256), 0, Error{Kind: KindDecode, Type: "STATE_SNAPSHOT", Reason: "nesting deeper than the limit", Offset: 36 + 255, Limit: 256},
			"STATE_SNAPSHOT: nesting deeper than the limit of 256 at byte 291"},
		{"300 at 301", deep(300), 301, Error{}, ""},
		{"301 at 301", deep(301), 301, Error{Kind: KindDecode, Type: "STATE_SNAPSHOT", Reason: "nesting deeper than the limit", Offset: 36 + 300, Limit: 301},
			"STATE_SNAPSHOT: nesting deeper than the limit of 301 at byte 336"},
		{"10,000", deep(10_000), 0, Error{Kind: KindDecode, Type: "STATE_SNAPSHOT", Reason: "nesting deeper than the limit", Offset: 36 + 255, Limit: 256}, "STATE_SNAPSHOT: nesting deeper than the limit of 256 at byte 291"},
		{"a million unclosed", deep(1_000_000)[:1_000_000], 0, Error{Kind: KindDecode, Type: "STATE_SNAPSHOT", Reason: "nesting deeper than the limit", Offset: 36 + 255, Limit: 256}, "STATE_SNAPSHOT: nesting deeper than the limit of 256 at byte 291"},
		{"depth 1", `{"type":"RAW","event":[]}`, 1, Error{Kind: KindDecode, Type: "RAW", Reason: "nesting deeper than the limit", Offset: 22, Limit: 1}, "RAW: nesting deeper than the limit of 1 at byte 22"},
		{"a deep array", strings.Repeat("[", 300), 0, Error{Kind: KindDecode, Reason: "nesting deeper than the limit", Offset: 256, Limit: 256}, "nesting deeper than the limit of 256 at byte 256"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var ev Event
			err := ev.Decode([]byte(tc.frame), tc.depth)
			if tc.text == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("%v", err)
			}
			if tc.want.Kind == KindDecode && tc.want.Limit == 0 {
				tc.want.Kind = KindJSON
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Error(diff)
			}
			if got.Error() != tc.text {
				t.Error(got.Error())
			}
		})
	}
}

// Every malformed text must be refused as a member's value too, and every valid one kept to the byte.
func TestDecodeMemberValues(t *testing.T) {
	var ev Event
	for _, list := range [][]string{validTexts, invalidTexts} {
		for _, text := range list {
			for _, name := range []string{"value", "x", "parentSubagentRunId"} {
				frame := `{"type":"CUSTOM","name":"n","` + name + `":` + text + `}`
				err := ev.Decode([]byte(frame), 0)
				if (err == nil) != json.Valid([]byte(frame)) {
					t.Errorf("%q: %v", frame, err)
				}
				if err == nil && name == "value" && string(ev.Raw(FieldValue)) != strings.Trim(text, " \t\r\n") {
					t.Errorf("%q: value is %q", frame, ev.Raw(FieldValue))
				}
			}
		}
	}
}

func TestKindsAndPlainness(t *testing.T) {
	for _, tc := range []struct {
		value string
		kind  Kind
		plain bool
	}{
		{`"abc"`, String, true}, {`""`, String, true}, {`"a longer text, all plain"`, String, true},
		{`"é"`, String, false}, {`"a\nb"`, String, false}, {`"12345678é"`, String, false}, {`"1234567\""`, String, false}, {"\"\x7f\"", String, true},
		{`"abcdefé"`, String, false}, {`"é23456789012345"`, String, false},
		{`1`, Number, false}, {`-1`, Number, false}, {`{}`, Object, false}, {`[]`, Array, false}, {`true`, True, false}, {`false`, False, false}, {`null`, Null, false},
	} {
		var ev Event
		for _, frame := range []string{
			`{"type":"CUSTOM","value":` + tc.value + `}`,
			`{"type":"CUSTOM","value":` + tc.value + `,"name":"é"}`,
			`{"type":"CUSTOM","value":"plain","value":` + tc.value + `}`,
			`{"type":"CUSTOM","value":"é","value":` + tc.value + `}`,
			`{"type":"CUSTOM","value":5,"value":` + tc.value + `}`,
		} {
			if err := ev.Decode([]byte(frame), 0); err != nil {
				t.Fatal(err)
			}
			if ev.Kind(FieldValue) != tc.kind || ev.IsPlain(FieldValue) != tc.plain {
				t.Errorf("%s: %v, plain %v", frame, ev.Kind(FieldValue), ev.IsPlain(FieldValue))
			}
			for k := range numKinds {
				if ev.kinds[k].Has(FieldValue) != (k == tc.kind) {
					t.Errorf("%s: in the set of kind %v", frame, k)
				}
			}
		}
		if ev.Kind(FieldDelta) != Absent || ev.Raw(FieldDelta) != nil || ev.IsPlain(FieldDelta) {
			t.Error("an absent member shows")
		}
	}
}

func TestStr(t *testing.T) {
	frame := []byte(`{"type":"CUSTOM","name":"a\u0041","value":"b\nb","delta":"plain","role":5,"code":"é` + "\xff" + `"}`)
	var ev Event
	if err := ev.Decode(frame, 0); err != nil {
		t.Fatal(err)
	}
	scratch := make([]byte, 0, 3)
	name := ev.Str(FieldName, &scratch)
	value := ev.Str(FieldValue, &scratch)
	code := ev.Str(FieldCode, &scratch)
	delta := ev.Str(FieldDelta, &scratch)
	got := []string{string(name), string(value), string(code), string(delta)}
	if diff := cmp.Diff([]string{"aA", "b\nb", "é\uFFFD", "plain"}, got); diff != "" {
		t.Error(diff)
	}
	if &delta[0] != &ev.Raw(FieldDelta)[1] {
		t.Error("a plain string was copied")
	}
	if ev.Str(FieldRole, &scratch) != nil || ev.Str(FieldMessage, &scratch) != nil {
		t.Error("what is no string has a text")
	}
	if cap(delta) != len(delta) || cap(name) != len(name) || cap(ev.Raw(FieldName)) != len(`"a\u0041"`) {
		t.Error("room behind the text is lent with it")
	}
}

func TestDrop(t *testing.T) {
	var ev Event
	if err := ev.Decode([]byte(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":null,"name":"x"}`), 0); err != nil {
		t.Fatal(err)
	}
	if ev.Check() == nil {
		t.Error("a null passes")
	}
	for f := range ev.NullOptionals().Fields() {
		ev.Drop(f)
	}
	ev.Drop(FieldDelta)
	if err := ev.Check(); err != nil {
		t.Error(err)
	}
	ev.Drop(FieldName)
	if diff := cmp.Diff(view{"TOOL_CALL_START", map[string]string{"type": `"TOOL_CALL_START"`, "toolCallId": `"c"`, "toolCallName": `"n"`}, nil}, viewOf(&ev)); diff != "" {
		t.Error(diff)
	}
	if ev.Str(FieldName, new([]byte)) != nil || ev.IsPlain(FieldName) || ev.Kind(FieldName) != Absent {
		t.Error("a dropped member shows")
	}
}

func TestUnknownNamesAreLetGo(t *testing.T) {
	var ev Event
	frame := `{"type":"RAW"` + strings.Repeat(`,"x":1`, 10_000) + `,"event":1}`
	if err := ev.Decode([]byte(frame), 0); err != nil {
		t.Fatal(err)
	}
	n := 0
	ev.Unknown(func([]byte) { n++ })
	if n != 10_000 {
		t.Errorf("%d names", n)
	}
	if err := ev.Decode([]byte(`{"type":"RAW"}`), 0); err != nil || cap(ev.unknown) > keptUnknown {
		t.Errorf("%v, room for %d names is kept", err, cap(ev.unknown))
	}
}

func TestErrorText(t *testing.T) {
	for _, tc := range []struct {
		err  Error
		want string
	}{
		{Error{Kind: KindJSON, Type: "RUN_STARTED", Field: "runId", Offset: 44, Reason: "want a string, have null"}, "RUN_STARTED.runId: want a string, have null at byte 44"},
		{Error{Kind: KindJSON, Type: "MESSAGES_SNAPSHOT", Field: "/messages/0/id", Reason: "missing"}, "MESSAGES_SNAPSHOT /messages/0/id: missing"},
		{Error{Kind: KindJSON, Reason: "not JSON"}, "not JSON"},
		{Error{Kind: KindDecode, Reason: "state bytes over the limit", Limit: 7}, "state bytes over the limit of 7"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	if Unknown.String() != "" || NumTypes.String() != "" || NumFields.String() != "" || numKinds.String() != "" {
		t.Error("what is none has a name")
	}
	if got := fmt.Sprint(String, Null, Absent); got != "a string null absent" {
		t.Error(got)
	}
	if NumFields >= 64 || NumTypes != 37 {
		t.Error(NumFields, NumTypes)
	}
	for _, name := range []string{"", "raw", "RAW ", "FANCY_NEW", "TEXT_MESSAGE_CONTENTS", "THINKING_TEXT_MESSAGE_CONTENX", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"} {
		if got := TypeOf([]byte(name)); got != Unknown {
			t.Errorf("%q is %v", name, got)
		}
	}
}

// Torn and damaged frames: an error exactly where encoding/json finds the text invalid, or no type in it.
func TestDecodeOfDamagedFrames(t *testing.T) {
	var ev Event
	hold := func(frame []byte) {
		t.Helper()
		valid := json.Valid(frame)
		err := ev.Decode(frame, 0)
		if err != nil && err.(*Error).Kind != KindJSON {
			t.Fatalf("%q: %v", frame, err)
		}
		if err == nil && !valid {
			t.Fatalf("%q passes", frame)
		}
		if err == nil || !valid {
			return
		}
		var members map[string]any
		if json.Unmarshal(frame, &members) == nil {
			if _, ok := members["type"].(string); ok {
				t.Fatalf("%q: %v", frame, err)
			}
		}
		if f := err.(*Error); f.Field != "type" && f.Reason != "the data is no JSON object" {
			t.Fatalf("%q: %v", frame, err)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for _, bf := range benchFrames {
		frame := []byte(bf.frame)
		if len(frame) > 500 {
			continue
		}
		for n := range len(frame) + 1 {
			hold(frame[:n:n])
			hold(append(append([]byte(nil), frame[:n]...), " "...))
			hold(append(append(append([]byte(nil), frame[:n]...), ' '), frame[n:]...))
		}
		for range 30_000 {
			hold(mutate(r, frame))
		}
	}
}
