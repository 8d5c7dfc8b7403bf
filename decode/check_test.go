package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kindSamples has a value for every kind.
var kindSamples = map[Kind]string{String: `"s"`, Number: `1`, Object: `{}`, Array: `[]`, True: `true`, False: `false`, Null: `null`}

// schema restates protocol 1.2 in a form of its own: required and optional members with the kinds that they may have (s i o
// a b, c = string or array, v = any but null, j = any JSON).
var schema = map[string]string{
	"TEXT_MESSAGE_START":            "messageId:s | role:s name:s subagentRunId:s",
	"TEXT_MESSAGE_CONTENT":          "messageId:s delta:s | subagentRunId:s",
	"TEXT_MESSAGE_END":              "messageId:s | subagentRunId:s",
	"TEXT_MESSAGE_CHUNK":            "| messageId:s role:s delta:s name:s subagentRunId:s",
	"TOOL_CALL_START":               "toolCallId:s toolCallName:s | parentMessageId:s subagentRunId:s",
	"TOOL_CALL_ARGS":                "toolCallId:s delta:s | subagentRunId:s",
	"TOOL_CALL_END":                 "toolCallId:s | subagentRunId:s",
	"TOOL_CALL_CHUNK":               "| toolCallId:s toolCallName:s parentMessageId:s delta:s subagentRunId:s",
	"TOOL_CALL_RESULT":              "messageId:s toolCallId:s content:c | role:tool subagentRunId:s",
	"STATE_SNAPSHOT":                "snapshot:j | subagentRunId:s",
	"STATE_DELTA":                   "delta:a | subagentRunId:s",
	"MESSAGES_SNAPSHOT":             "messages:a |",
	"ACTIVITY_SNAPSHOT":             "messageId:s activityType:s content:o | replace:b subagentRunId:s",
	"ACTIVITY_DELTA":                "messageId:s activityType:s patch:a | subagentRunId:s",
	"RAW":                           "event:j | source:s subagentRunId:s",
	"CUSTOM":                        "name:s value:j | subagentRunId:s",
	"RUN_STARTED":                   "threadId:s runId:s | protocolVersion:s parentRunId:s input:o",
	"RUN_FINISHED":                  "threadId:s runId:s | result:v outcome:o usage:a",
	"RUN_ERROR":                     "message:s | code:s usage:a",
	"STEP_STARTED":                  "stepName:s | subagentRunId:s",
	"STEP_FINISHED":                 "stepName:s | subagentRunId:s",
	"REASONING_START":               "messageId:s | subagentRunId:s",
	"REASONING_MESSAGE_START":       "messageId:s role:reasoning | subagentRunId:s",
	"REASONING_MESSAGE_CONTENT":     "messageId:s delta:s | subagentRunId:s",
	"REASONING_MESSAGE_END":         "messageId:s | subagentRunId:s",
	"REASONING_MESSAGE_CHUNK":       "| messageId:s delta:s subagentRunId:s",
	"REASONING_END":                 "messageId:s | subagentRunId:s",
	"REASONING_ENCRYPTED_VALUE":     "subtype:s entityId:s encryptedValue:s | encryptedValueType:s subagentRunId:s",
	"SUBAGENT_STARTED":              "subagentRunId:s name:s | description:s parentSubagentRunId:s parentToolCallId:s parentMessageId:s",
	"SUBAGENT_FINISHED":             "subagentRunId:s | result:v outcome:o",
	"SUBAGENT_ERROR":                "subagentRunId:s message:s | code:s",
	"THINKING_START":                "| title:s subagentRunId:s",
	"THINKING_END":                  "| subagentRunId:s",
	"THINKING_TEXT_MESSAGE_START":   "| subagentRunId:s",
	"THINKING_TEXT_MESSAGE_CONTENT": "delta:s | subagentRunId:s",
	"THINKING_TEXT_MESSAGE_END":     "| subagentRunId:s",
}

var schemaKinds = map[string]string{"s": `"s"`, "i": `1`, "o": `{}`, "a": `[]`, "b": `true false`, "c": `"s" []`, "v": `"s" 1 {} [] true false`,
	"j": `"s" 1 {} [] true false null`, "tool": `"tool"`, "reasoning": `"reasoning"`}

func TestCheckEveryMemberOfEveryType(t *testing.T) {
	if len(schema) != int(NumTypes)-1 {
		t.Fatalf("%d types", len(schema))
	}
	for typ := Unknown + 1; typ < NumTypes; typ++ {
		spec, ok := schema[typ.String()]
		if !ok {
			t.Fatalf("%v is not in the schema", typ)
		}
		required, optional, _ := strings.Cut(spec, "|")
		kinds := map[string]string{}
		var names, needed []string
		for i, list := range []string{required, "timestamp:i rawEvent:v metadata:o " + optional} {
			for _, item := range strings.Fields(list) {
				name, kind, _ := strings.Cut(item, ":")
				kinds[name] = schemaKinds[kind]
				names = append(names, name)
				if i == 0 {
					needed = append(needed, name)
				}
			}
		}
		frame := func(skip, set, value string) string {
			b := `{"type":"` + typ.String() + `"`
			for _, name := range names {
				if name == skip || name != set && !slices.Contains(needed, name) {
					continue
				}
				v, _, _ := strings.Cut(kinds[name], " ")
				if name == set {
					v = value
				}
				b += `,"` + name + `":` + v
			}
			return b + "}"
		}
		verdict := func(text string) (*Event, error) {
			ev := new(Event)
			if err := ev.Decode([]byte(text), 0); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			ev.Unknown(func(name []byte) { t.Errorf("%s: %s is unknown", text, name) })
			return ev, ev.Check()
		}
		if _, err := verdict(frame("", "", "")); err != nil {
			t.Errorf("%v: %v", typ, err)
		}
		for f := range NumFields {
			if _, ok := kinds[f.String()]; ok != typ.Describes(f) && f != FieldType {
				t.Errorf("%v describes %v: %v", typ, f, !ok)
			}
		}
		for _, name := range names {
			for kind, value := range kindSamples {
				if strings.HasPrefix(kinds[name], `"`) && kind == String {
					value, _, _ = strings.Cut(kinds[name], " ")
				}
				text := frame("", name, value)
				ev, err := verdict(text)
				if fine := slices.Contains(strings.Fields(kinds[name]), value); fine != (err == nil) {
					t.Errorf("%s: %v", text, err)
				}
				if err != nil {
					want := &Error{KindJSON, typ.String(), name, int64(strings.LastIndex(text, `"`+name+`":`) + len(name) + 3), err.(*Error).Reason, 0}
					if diff := cmp.Diff(want, err); diff != "" {
						t.Errorf("%s: %s", text, diff)
					}
				}
				nulls := slices.Collect(ev.NullOptionals().Fields())
				if lenient := kind == Null && !slices.Contains(needed, name); lenient != (len(nulls) == 1 && nulls[0].String() == name) {
					t.Errorf("%s: null optionals %v", text, nulls)
				}
			}
			if !slices.Contains(needed, name) {
				continue
			}
			want := &Error{Kind: KindJSON, Type: typ.String(), Field: name, Reason: "missing"}
			if _, err := verdict(frame(name, "", "")); cmp.Diff(want, err) != "" {
				t.Errorf("%v without %s: %v", typ, name, err)
			}
		}
		// What the type doesn't describe may be anything.
		for f := range NumFields {
			if _, described := kinds[f.String()]; described || f == FieldType {
				continue
			}
			for _, value := range kindSamples {
				text := strings.TrimSuffix(frame("", "", ""), "}") + `,"` + f.String() + `":` + value + `}`
				ev := new(Event)
				if err := ev.Decode([]byte(text), 0); err != nil {
					t.Fatal(err)
				}
				var unknown []string
				ev.Unknown(func(name []byte) { unknown = append(unknown, string(name)) })
				if err := ev.Check(); err != nil || len(unknown) != 1 || unknown[0] != f.String() {
					t.Errorf("%s: %v, unknown %v", text, err, unknown)
				}
			}
		}
	}
}

func TestCheckValues(t *testing.T) {
	const big = "9007199254740991"
	for _, tc := range []struct {
		member, value string
		want          string
	}{
		{"timestamp", "0", ""}, {"timestamp", "-0", ""}, {"timestamp", "1754300000123", ""}, {"timestamp", "1.0", ""}, {"timestamp", "1e3", ""}, {"timestamp", "1.5e1", ""},
		{"timestamp", "100e-2", ""}, {"timestamp", "0.0", ""}, {"timestamp", "0e999999999999999999999", ""}, {"timestamp", "0.001e3", ""}, {"timestamp", big, ""}, {"timestamp", "-" + big, ""},
		{"timestamp", big + ".000", ""}, {"timestamp", "9.007199254740991e15", ""}, {"timestamp", "900719925474099.1E1", ""}, {"timestamp", "9007199254740991000e-3", ""},
		{"timestamp", "0." + strings.Repeat("0", 100) + "1e101", ""}, {"timestamp", "1" + strings.Repeat("0", 100) + "e-100", ""},
		{"timestamp", "1.5", "want an integer within ±9007199254740991"},
		{"timestamp", "0.5", "want an integer within ±9007199254740991"},
		{"timestamp", "1e-1", "want an integer within ±9007199254740991"},
		{"timestamp", "15e-1", "want an integer within ±9007199254740991"},
		{"timestamp", "9007199254740992", "want an integer within ±9007199254740991"},
		{"timestamp", "-9007199254740992", "want an integer within ±9007199254740991"},
		{"timestamp", "10000000000000000", "want an integer within ±9007199254740991"},
		{"timestamp", "9007199254740991.5", "want an integer within ±9007199254740991"},
		{"timestamp", "1e16", "want an integer within ±9007199254740991"},
		{"timestamp", "1e99999999999999999999999", "want an integer within ±9007199254740991"},
		{"timestamp", "1e-99999999999999999999999", "want an integer within ±9007199254740991"},
		{"timestamp", "123456789012345678901234567890", "want an integer within ±9007199254740991"},
		{"timestamp", "1." + strings.Repeat("0", 1000) + "1", "want an integer within ±9007199254740991"},
		{"timestamp", `"1"`, "want an integer, have a string"},
		{"role", `"tool"`, ""}, {"role", `"t\u006fol"`, ""},
		{"role", `"user"`, `want "tool"`}, {"role", `"TOOL"`, `want "tool"`}, {"role", `""`, `want "tool"`},
		{"role", `null`, "want a string, have null"},
		{"content", `5`, "want a string or an array, have a number"},
		{"rawEvent", `null`, "want a value other than null, have null"},
		{"metadata", `[]`, "want an object, have an array"},
	} {
		text := `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x","` + tc.member + `":` + tc.value + `}`
		var ev Event
		if err := ev.Decode([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := ev.Check(); err != nil {
			got = err.(*Error).Reason
		}
		if got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.member, tc.value, got, tc.want)
		}
	}
}
