package state

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/decode"
)

// verdict is all that an Enforcer says about a payload.
type verdict struct {
	JSON     string   // what is left, in wire form; "" with an error, "-" where all of it was stripped
	Err      string   // path: reason
	Warnings []string // path: what
}

// decoders are the payloads by name, each with how it is decoded and written again.
var decoders = map[string]func(e *Enforcer, raw []byte) (string, bool, error){
	"messages": func(e *Enforcer, raw []byte) (string, bool, error) {
		list, err := e.Messages(raw, "/messages")
		return string(AppendMessages(nil, list)), true, err
	},
	"parts": func(e *Enforcer, raw []byte) (string, bool, error) {
		parts, err := e.Parts(raw, "/content")
		return string(AppendParts(nil, parts)), true, err
	},
	"run": func(e *Enforcer, raw []byte) (string, bool, error) {
		o, ok, err := e.RunOutcome(raw, "/outcome")
		return string(o.AppendJSON(nil)), ok, err
	},
	"subagent": func(e *Enforcer, raw []byte) (string, bool, error) {
		o, ok, err := e.SubagentOutcome(raw, "/outcome")
		return string(o.AppendJSON(nil)), ok, err
	},
	"usage": func(e *Enforcer, raw []byte) (string, bool, error) {
		list, err := e.Usage(raw, "/usage")
		dst := []byte{'['}
		for i := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = list[i].AppendJSON(dst)
		}
		return string(append(dst, ']')), true, err
	},
	"input": func(e *Enforcer, raw []byte) (string, bool, error) {
		in, err := e.Input(raw, "")
		if err != nil {
			return "", true, err
		}
		return string(in.AppendJSON(nil)), true, nil
	},
}

func judge(t testing.TB, what string, e *Enforcer, raw string) verdict {
	t.Helper()
	var v verdict
	e.Warn = func(path, what string) { v.Warnings = append(v.Warnings, path+": "+what) }
	text, ok, err := decoders[what](e, []byte(raw))
	switch {
	case err != nil:
		var de *decode.Error
		if !errors.As(err, &de) || de.Kind != decode.KindJSON {
			t.Errorf("the error is %#v", err)
			return v
		}
		v.Err = de.Field + ": " + de.Reason
	case !ok:
		v.JSON = "-"
	default:
		v.JSON = text
	}
	return v
}

func same(v verdict) [2]verdict { return [2]verdict{v, v} }

func TestEnforcement(t *testing.T) {
	const null = ": null in an optional field, read as absent"
	const unknown = ": unknown property, stripped"
	ok := func(json string, warnings ...string) verdict { return verdict{JSON: json, Warnings: warnings} }
	bad := func(err string) [2]verdict { return same(verdict{Err: err}) }
	tests := []struct {
		name string
		what string
		raw  string
		want [2]verdict // Spec, Loud
	}{
		// Unknown properties.
		{"unknown property of a message", "messages", `[{"id":"m","role":"user","content":"x","a~/b":1}]`, [2]verdict{
			ok(`[{"id":"m","role":"user","content":"x"}]`, "/messages/0/a~0~1b"+unknown), ok(`[{"id":"m","role":"user","content":"x"}]`)}},
		{"a property of another role", "messages", `[{"id":"m","role":"tool","content":"x","toolCallId":"c","name":"n"}]`, [2]verdict{
			ok(`[{"id":"m","role":"tool","content":"x","toolCallId":"c"}]`, "/messages/0/name"+unknown), ok(`[{"id":"m","role":"tool","content":"x","toolCallId":"c"}]`)}},
		{"unknown properties in a call", "messages", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"","x":1},"subagentRunId":"s"}]}]`, [2]verdict{
			ok(`[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]`,
				"/messages/0/toolCalls/0/subagentRunId"+unknown, "/messages/0/toolCalls/0/function/x"+unknown),
			ok(`[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]`)}},
		{"a known member with an extra property", "run", `{"type":"success","interrupts":[]}`, [2]verdict{
			ok(`{"type":"success"}`, "/outcome/interrupts"+unknown), ok(`{"type":"success"}`)}},
		{"interruptIds on a subagent's success", "subagent", `{"type":"success","interruptIds":["i"]}`, [2]verdict{
			ok(`{"type":"success"}`, "/outcome/interruptIds"+unknown), ok(`{"type":"success"}`)}},
		{"unknown property of a source", "parts", `[{"type":"image","source":{"type":"url","value":"u","provider":"p"}}]`, [2]verdict{
			ok(`[{"type":"image","source":{"type":"url","value":"u"}}]`, "/content/0/source/provider"+unknown), ok(`[{"type":"image","source":{"type":"url","value":"u"}}]`)}},
		{"unknown property of usage", "usage", `[{},{"x":1,"inputTokens":2}]`, [2]verdict{
			ok(`[{},{"inputTokens":2}]`, "/usage/1/x"+unknown), ok(`[{},{"inputTokens":2}]`)}},
		{"unknown property of the input", "input", `{"threadId":"t","runId":"r","messages":[],"agentId":"a","tools":[{"name":"n","description":"d","x":1}],"context":[{"description":"d","value":"v","x":1}],"resume":[{"interruptId":"i","status":"resolved","x":1}]}`, [2]verdict{
			ok(`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"n","description":"d"}],"context":[{"description":"d","value":"v"}],"resume":[{"interruptId":"i","status":"resolved"}]}`,
				"/agentId"+unknown, "/tools/0/x"+unknown, "/context/0/x"+unknown, "/resume/0/x"+unknown),
			ok(`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"n","description":"d"}],"context":[{"description":"d","value":"v"}],"resume":[{"interruptId":"i","status":"resolved"}]}`)}},
		{"open objects keep every key", "messages", `[{"id":"m","role":"activity","activityType":"A","content":{"x":null,"__proto__":1},"metadata":{"__proto__":null}}]`,
			same(ok(`[{"id":"m","role":"activity","content":{"x":null,"__proto__":1},"activityType":"A","metadata":{"__proto__":null}}]`))},

		// Unknown members of unions and enums.
		{"unknown role", "messages", `[{"id":"m","role":"critic","content":1},{"id":"n","role":"user","content":"x"}]`, [2]verdict{
			ok(`[{"id":"n","role":"user","content":"x"}]`, `/messages/0: unknown role "critic", message dropped`), {Err: `/messages/0/role: unknown role "critic"`}}},
		{"unknown part", "messages", `[{"id":"m","role":"user","content":[{"type":"json","x":1},{"type":"text","text":"x"}]}]`, [2]verdict{
			ok(`[{"id":"m","role":"user","content":[{"type":"text","text":"x"}]}]`, `/messages/0/content/0: unknown content part "json", part dropped`),
			{Err: `/messages/0/content/0/type: unknown content part "json"`}}},
		{"a list that becomes empty", "parts", `[{"type":"json"}]`, [2]verdict{
			ok(`[]`, `/content/0: unknown content part "json", part dropped`), {Err: `/content/0/type: unknown content part "json"`}}},
		{"unknown source", "parts", `[{"type":"image","source":{"type":"cloud","value":1}},{"type":"text","text":"x"}]`, [2]verdict{
			ok(`[{"type":"text","text":"x"}]`, `/content/0: unknown source "cloud", part dropped`), {Err: `/content/0/source/type: unknown source "cloud"`}}},
		{"unknown outcome of a run", "run", `{"type":"paused","x":1}`, [2]verdict{
			ok("-", `/outcome: unknown outcome "paused", outcome dropped`), {Err: `/outcome/type: unknown outcome "paused"`}}},
		{"unknown outcome of a subagent", "subagent", `{"type":"interrupt","interrupts":[]}`, [2]verdict{
			ok("-", `/outcome: unknown outcome "interrupt", outcome dropped`), {Err: `/outcome/type: unknown outcome "interrupt"`}}},
		{"unknown status", "input", `{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"maybe"},{"interruptId":"j","status":"cancelled"}]}`, [2]verdict{
			ok(`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"j","status":"cancelled"}]}`, `/resume/0: unknown status "maybe", entry dropped`),
			{Err: `/resume/0/status: unknown status "maybe"`}}},

		// Nulls.
		{"null optionals of a message", "messages", `[{"id":"m","role":"assistant","content":null,"name":null,"toolCalls":null,"encryptedValue":null,"encryptedValueType":null,"metadata":null,"subagentRunId":null}]`,
			same(ok(`[{"id":"m","role":"assistant"}]`, "/messages/0/content"+null, "/messages/0/name"+null, "/messages/0/toolCalls"+null,
				"/messages/0/encryptedValue"+null, "/messages/0/encryptedValueType"+null, "/messages/0/metadata"+null, "/messages/0/subagentRunId"+null))},
		{"null optionals of the input", "input", `{"threadId":"t","runId":"r","messages":[],"state":null,"forwardedProps":null,"tools":null,"parentRunId":null}`,
			same(ok(`{"threadId":"t","runId":"r","messages":[]}`, "/parentRunId"+null, "/state"+null, "/tools"+null, "/forwardedProps"+null))},
		{"null optionals of parts and sources", "parts", `[{"type":"text","text":"","id":null,"metadata":null},{"type":"image","source":{"type":"url","value":"u","mimeType":null}}]`,
			same(ok(`[{"type":"text","text":""},{"type":"image","source":{"type":"url","value":"u"}}]`, "/content/0/id"+null, "/content/0/metadata"+null, "/content/1/source/mimeType"+null))},
		{"null usage", "usage", `[{"model":null,"inputTokens":null}]`, same(ok(`[{}]`, "/usage/0/model"+null, "/usage/0/inputTokens"+null))},
		{"null in a required field", "messages", `[{"id":null,"role":"user","content":"x"}]`, bad("/messages/0/id: is null, not a string")},
		{"null as a required content", "messages", `[{"id":"m","role":"user","content":null}]`, bad("/messages/0/content: is null, not a string or an array")},
		{"null as a discriminator", "run", `{"type":null}`, bad("/outcome/type: is null, not a string")},
		{"inner nulls stay", "input", `{"threadId":"t","runId":"r","messages":[],"state":{"a":null},"forwardedProps":[null]}`,
			same(ok(`{"threadId":"t","runId":"r","state":{"a":null},"messages":[],"forwardedProps":[null]}`))},

		// Malformed material.
		{"messages no array", "messages", `{}`, bad("/messages: is an object, not an array")},
		{"a message no object", "messages", `["x"]`, bad("/messages/0: is a string, not an object")},
		{"no role", "messages", `[{"id":"m"}]`, bad("/messages/0/role: is missing")},
		{"role no string", "messages", `[{"id":"m","role":1}]`, bad("/messages/0/role: is a number, not a string")},
		{"no content", "messages", `[{"id":"m","role":"system"}]`, bad("/messages/0/content: is missing")},
		{"no tool call id", "messages", `[{"id":"m","role":"tool","content":""}]`, bad("/messages/0/toolCallId: is missing")},
		{"parts where only text may be", "messages", `[{"id":"m","role":"assistant","content":[]}]`, bad("/messages/0/content: is an array, not a string")},
		{"content a number", "messages", `[{"id":"m","role":"tool","content":1,"toolCallId":"c"}]`, bad("/messages/0/content: is a number, not a string or an array")},
		{"activity content no object", "messages", `[{"id":"m","role":"activity","activityType":"A","content":[]}]`, bad("/messages/0/content: is an array, not an object")},
		{"metadata no object", "messages", `[{"id":"m","role":"user","content":"","metadata":[]}]`, bad("/messages/0/metadata: is an array, not an object")},
		{"call no function", "messages", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"tool","function":{"name":"f","arguments":""}}]}]`, bad(`/messages/0/toolCalls/0/type: is not "function"`)},
		{"arguments no string", "messages", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]}]`,
			bad("/messages/0/toolCalls/0/function/arguments: is an object, not a string")},
		{"no function", "messages", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function"}]}]`, bad("/messages/0/toolCalls/0/function: is missing")},
		{"call metadata no object", "messages", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"metadata":1}]}]`,
			bad("/messages/0/toolCalls/0/metadata: is a number, not an object")},
		{"part no object", "parts", `[[]]`, bad("/content/0: is an array, not an object")},
		{"part without a type", "parts", `[{"text":"x"}]`, bad("/content/0/type: is missing")},
		{"text part without text", "parts", `[{"type":"text"}]`, bad("/content/0/text: is missing")},
		{"source no object", "parts", `[{"type":"image","source":"u"}]`, bad("/content/0/source: is a string, not an object")},
		{"source without a type", "parts", `[{"type":"image","source":{"value":"u"}}]`, bad("/content/0/source/type: is missing")},
		{"data without a MIME type", "parts", `[{"type":"image","source":{"type":"data","value":"u"}}]`, bad("/content/0/source/mimeType: is missing")},
		{"outcome an array", "run", `[]`, bad("/outcome: is an array, not an object")},
		{"outcome a string", "subagent", `"success"`, bad("/outcome: is a string, not an object")},
		{"no interrupts", "run", `{"type":"interrupt","interrupts":[]}`, bad("/outcome/interrupts: is empty")},
		{"interrupts missing", "run", `{"type":"interrupt"}`, bad("/outcome/interrupts: is missing")},
		{"interrupt without a reason", "run", `{"type":"interrupt","interrupts":[{"id":"i"}]}`, bad("/outcome/interrupts/0/reason: is missing")},
		{"boolean schema", "run", `{"type":"interrupt","interrupts":[{"id":"i","reason":"r","responseSchema":true}]}`, bad("/outcome/interrupts/0/responseSchema: is a boolean, not an object")},
		{"pending ids no strings", "run", `{"type":"success","pendingToolCallIds":["a",1]}`, bad("/outcome/pendingToolCallIds/1: is a number, not a string")},
		{"usage entry no object", "usage", `[1]`, bad("/usage/0: is a number, not an object")},
		{"usage a string", "usage", `[{"inputTokens":"1"}]`, bad("/usage/0/inputTokens: is a string, not a number")},
		{"usage negative", "usage", `[{"inputTokens":-1}]`, bad("/usage/0/inputTokens: is not an integer from 0 to 9007199254740991")},
		{"usage too large", "usage", `[{"inputTokens":9007199254740992}]`, bad("/usage/0/inputTokens: is not an integer from 0 to 9007199254740991")},
		{"usage with a fraction", "usage", `[{"totalTokens":1.5}]`, bad("/usage/0/totalTokens: is not an integer from 0 to 9007199254740991")},
		{"input without messages", "input", `{"threadId":"t","runId":"r"}`, bad("/messages: is missing")},
		{"status no string", "input", `{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":true}]}`, bad("/resume/0/status: is a boolean, not a string")},
		{"tool metadata no object", "input", `{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"n","description":"d","metadata":"x"}]}`, bad("/tools/0/metadata: is a string, not an object")},

		// What is legal, and kept as it is.
		{"integral numbers", "usage", `[{"inputTokens":1.0,"outputTokens":1e3,"totalTokens":9007199254740991,"reasoningTokens":120e-1,"cachedInputTokens":0e99999999999999999999,"cacheWriteInputTokens":-0}]`,
			same(ok(`[{"inputTokens":1,"outputTokens":1000,"totalTokens":9007199254740991,"reasoningTokens":12,"cachedInputTokens":0,"cacheWriteInputTokens":0}]`))},
		{"empty pending ids", "run", `{"type":"success","pendingToolCallIds":[]}`, same(ok(`{"type":"success","pendingToolCallIds":[]}`))},
		{"cancelled", "run", `{"type":"cancelled"}`, same(ok(`{"type":"cancelled"}`))},
		{"suspended", "subagent", `{"type":"suspended","interruptIds":[]}`, same(ok(`{"type":"suspended","interruptIds":[]}`))},
		{"empty parts", "messages", `[{"id":"m","role":"user","content":[]}]`, same(ok(`[{"id":"m","role":"user","content":[]}]`))},
		{"part metadata is any JSON", "parts", `[{"type":"text","text":"","metadata":[1.0,"\u00e9"]},{"type":"text","text":"","metadata":"x\n"},{"type":"text","text":"","metadata":false}]`,
			same(ok(`[{"type":"text","text":"","metadata":[1.0,"é"]},{"type":"text","text":"","metadata":"x\n"},{"type":"text","text":"","metadata":false}]`))},
		{"the last duplicate wins", "messages", `[{"id":"a","role":"critic","id":"b","role":"user","content":1,"content":"x","content":"y"}]`,
			same(ok(`[{"id":"b","role":"user","content":"y"}]`))},
		{"escaped member names", "messages", `[{"\u0069d":"a","role":"\u0075ser","content":"x"}]`, same(ok(`[{"id":"a","role":"user","content":"x"}]`))},
		{"strings are repaired", "messages", "[{\"id\":\"a\xff\",\"role\":\"user\",\"content\":\"\\ud83d\",\"metadata\":{\"\\ude00\":\"\\ud83d\\ude00\"}}]",
			same(ok("[{\"id\":\"a\uFFFD\",\"role\":\"user\",\"content\":\"\uFFFD\",\"metadata\":{\"\uFFFD\":\"😀\"}}]"))},
		{"kept JSON", "input", `{"threadId":"t","runId":"r","messages":[],"state":{"n":1.00e-5,"big":123456789012345678901234567890,"d":1,"d":{"x":1,"x":2},"s":"\u003c\/\u0001"}}`,
			same(ok(`{"threadId":"t","runId":"r","state":{"n":1.00e-5,"big":123456789012345678901234567890,"d":{"x":2},"s":"</\u0001"},"messages":[]}`))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := [2]verdict{judge(t, tt.what, &Enforcer{}, tt.raw), judge(t, tt.what, &Enforcer{Loud: true, Pool: new(Pool)}, tt.raw)}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Spec and Loud (-want +got):\n%s", d)
			}
		})
	}
}

func TestBinaryParts(t *testing.T) {
	tests := []struct{ name, raw, want, warning string }{
		{"url", `{"type":"binary","mimeType":"image/png","url":"u"}`,
			`{"type":"image","source":{"type":"url","value":"u","mimeType":"image/png"}}`, "retired binary part, read as image"},
		{"data", `{"type":"binary","mimeType":"Audio/ogg","data":"AA=="}`,
			`{"type":"audio","source":{"type":"data","value":"AA==","mimeType":"Audio/ogg"}}`, "retired binary part, read as audio"},
		{"id", `{"type":"binary","mimeType":"video/mp4","id":"f"}`,
			`{"type":"video","source":{"type":"file","value":"f","mimeType":"video/mp4"}}`, "retired binary part, read as video"},
		{"file name", `{"type":"binary","mimeType":"application/pdf","url":"u","filename":"a.pdf"}`,
			`{"type":"document","source":{"type":"url","value":"u","mimeType":"application/pdf"}}`, "retired binary part, read as document; lost: filename"},
		{"several sources", `{"type":"binary","mimeType":"x","id":"f","data":"d","url":"u"}`,
			`{"type":"document","source":{"type":"url","value":"u","mimeType":"x"}}`, "retired binary part, read as document; lost: data, id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw := "[" + tt.raw + "]"
			want := verdict{JSON: "[" + tt.want + "]", Warnings: []string{"/content/0: " + tt.warning}}
			for _, loud := range []bool{false, true} {
				if d := cmp.Diff(want, judge(t, "parts", &Enforcer{Loud: loud}, raw)); d != "" {
					t.Errorf("loud %v (-want +got):\n%s", loud, d)
				}
			}
			want.Warnings = nil
			if d := cmp.Diff(want, judge(t, "parts", &Enforcer{QuietBinary: true}, raw)); d != "" {
				t.Errorf("quiet (-want +got):\n%s", d)
			}
		})
	}
	for raw, want := range map[string]string{
		`[{"type":"binary","mimeType":"x"}]`:         "/content/0: has none of url, data and id",
		`[{"type":"binary","url":"u"}]`:              "/content/0/mimeType: is missing",
		`[{"type":"binary","mimeType":1,"url":"u"}]`: "/content/0/mimeType: is a number, not a string",
	} {
		if d := cmp.Diff(verdict{Err: want}, judge(t, "parts", &Enforcer{}, raw)); d != "" {
			t.Errorf("%s (-want +got):\n%s", raw, d)
		}
	}
}

// Every payload in full, in the member order of the wire form: decoding and encoding gives the same bytes.
var roundTrips = map[string][]string{
	"messages": {
		`[]`,
		`[{"id":"1","role":"developer","content":"<b>&\u0001\n\"é😀` + "\u2028" + `","name":"n","encryptedValue":"e","encryptedValueType":"t","metadata":{"k":[1.0,{"a":null}]},"subagentRunId":"s"}]`,
		`[{"id":"2","role":"system","content":""},{"id":"3","role":"assistant"},{"id":"","role":"assistant","content":"","name":""}]`,
		`[{"id":"4","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"},"encryptedValue":"e","encryptedValueType":"t","metadata":{}},{"id":"d","type":"function","function":{"name":"","arguments":""}}]}]`,
		`[{"id":"5","role":"user","content":[{"type":"text","text":"x","id":"p","metadata":0},{"type":"image","source":{"type":"url","value":"u","mimeType":"image/png"},"metadata":{"a":1}},{"type":"document","source":{"type":"file","value":"f","provider":"openai","mimeType":"x"}},{"type":"audio","source":{"type":"data","value":"AA==","mimeType":"audio/ogg"},"id":"p"}]}]`,
		`[{"id":"6","role":"tool","content":[],"toolCallId":"c","error":"e"},{"id":"7","role":"tool","content":"x","toolCallId":""}]`,
		`[{"id":"8","role":"activity","content":{"a":[{},1e400,""]},"activityType":"PLAN","metadata":{"a":1},"subagentRunId":""}]`,
		`[{"id":"9","role":"reasoning","content":"x","encryptedValue":""}]`,
	},
	"run": {
		`{"type":"success","pendingToolCallIds":["a","b"]}`,
		`{"type":"interrupt","interrupts":[{"id":"i","reason":"r","message":"m","toolCallId":"c","responseSchema":{"type":"object"},"expiresAt":"never","metadata":{"a":1},"subagentRunId":"s"},{"id":"j","reason":""}]}`,
	},
	"subagent": {`{"type":"suspended","interruptIds":["i"]}`, `{"type":"suspended"}`},
	"usage":    {`[]`, `[{"provider":"p","model":"m","inputTokens":1,"outputTokens":2,"totalTokens":3,"reasoningTokens":4,"cachedInputTokens":5,"cacheWriteInputTokens":0},{}]`},
	"input": {
		`{"threadId":"t","runId":"r","protocolVersion":"1.1","parentRunId":"p","state":0,"messages":[{"id":"u","role":"user","content":"x"}],"tools":[{"name":"n","description":"d","parameters":{"type":"object"},"metadata":{}}],"context":[{"description":"d","value":"v"}],"forwardedProps":"x","resume":[{"interruptId":"i","status":"resolved","payload":false,"metadata":{"a":1}},{"interruptId":"j","status":"cancelled"}]}`,
		`{"threadId":"","runId":"","state":"a<b","messages":[],"tools":[],"context":[],"forwardedProps":{},"resume":[]}`,
	},
}

func TestRoundTrips(t *testing.T) {
	for what, list := range roundTrips {
		for i, raw := range list {
			t.Run(fmt.Sprint(what, i), func(t *testing.T) {
				for _, e := range []*Enforcer{{}, {Loud: true, Pool: new(Pool)}} {
					if d := cmp.Diff(verdict{JSON: raw}, judge(t, what, e, raw)); d != "" {
						t.Errorf("(-want +got):\n%s", d)
					}
				}
			})
		}
	}
}

func TestDecodedMaterialHoldsNothingOfTheText(t *testing.T) {
	for what, list := range roundTrips {
		for i, raw := range list {
			if what != "messages" {
				continue
			}
			text := []byte(raw)
			got, err := (&Enforcer{}).Messages(text, "")
			if err != nil {
				t.Fatal(err)
			}
			for i := range text {
				text[i] = '!'
			}
			// The parser is used again, so what was left in it would change.
			if _, err := (&Enforcer{}).Messages([]byte(`[{"id":"!!!!!!!!!!!!","role":"user","content":"!!!!!!!!!!!!!!!!!!!!!!!!!!!"}]`), ""); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(raw, string(AppendMessages(nil, got))); d != "" {
				t.Errorf("%s %d (-want +got):\n%s", what, i, d)
			}
			clones := []*Message{}
			for _, m := range got {
				clones = append(clones, m.Clone())
			}
			if d := cmp.Diff(raw, string(AppendMessages(nil, clones))); d != "" {
				t.Errorf("clones of %s %d (-want +got):\n%s", what, i, d)
			}
		}
	}
}

func TestSubagentJSON(t *testing.T) {
	full := Subagent{ID: "s", Name: "n", Description: Some("d"), ParentSubagentRunID: Some("p"), ParentToolCallID: Some("c"),
		ParentMessageID: Some("m"), Result: JSON(`{"a":1}`), InterruptIDs: []string{"i"}, Message: "x", Code: Some("y")}
	const head = `{"id":"s","name":"n","description":"d","parentSubagentRunId":"p","parentToolCallId":"c","parentMessageId":"m","status":`
	for status, want := range map[Status]string{
		Running:   head + `"running"}`,
		Finished:  head + `"finished","result":{"a":1}}`,
		Suspended: head + `"suspended","result":{"a":1},"interruptIds":["i"]}`,
		Failed:    head + `"failed","message":"x","code":"y"}`,
	} {
		a := full.Clone()
		a.Status = status
		if d := cmp.Diff(want, string(a.AppendJSON(nil))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if d := cmp.Diff(`{"id":"","name":"","status":"running"}`, string((&Subagent{}).AppendJSON(nil))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestInterruptCloneIsItsOwn(t *testing.T) {
	in := Interrupt{ID: "i", Reason: "r", ResponseSchema: JSON(`{"a":1}`), Metadata: JSON(`{"b":1}`)}
	clone := in.Clone()
	in.ResponseSchema[5], in.Metadata[5] = '2', '2'
	if d := cmp.Diff(`{"id":"i","reason":"r","responseSchema":{"a":1},"metadata":{"b":1}}`, string(clone.AppendJSON(nil))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRoles(t *testing.T) {
	for r := RoleDeveloper; r <= RoleReasoning; r++ {
		back, ok := ParseRole([]byte(r.String()))
		if !ok || back != r {
			t.Errorf("%v is read as %v", r, back)
		}
		if want := r <= RoleUser; r.TextRole() != want {
			t.Errorf("%v: TextRole is %v", r, r.TextRole())
		}
	}
	if _, ok := ParseRole([]byte("Assistant")); ok {
		t.Error("roles are read in any case")
	}
	if Role(0).String() != "" || Role(99).String() != "" || Role(0).TextRole() {
		t.Error("no role is a role")
	}
}
