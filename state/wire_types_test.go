package state

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every string of every closed object, given a number: malformed, in both rule sets, at its path.
func TestStringsAreStrings(t *testing.T) {
	const call = `{"id":"c","type":"function","function":{"name":"f","arguments":""}`
	objects := []struct {
		what, at, head, tail string
		required             string
		optional             string
	}{
		{"messages", "/messages/0", `[{"id":"m","role":"user","content":""`, `}]`, "id", "name encryptedValue encryptedValueType subagentRunId"},
		{"messages", "/messages/0", `[{"id":"m","role":"tool","content":"","toolCallId":"c"`, `}]`, "toolCallId", "error"},
		{"messages", "/messages/0", `[{"id":"m","role":"activity","content":{},"activityType":"A"`, `}]`, "activityType", "subagentRunId"},
		{"messages", "/messages/0/toolCalls/0", `[{"id":"m","role":"assistant","toolCalls":[` + call, `}]}]`, "id type", "encryptedValue encryptedValueType"},
		{"messages", "/messages/0/toolCalls/0/function", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"","arguments":""`, `}}]}]`, "name arguments", ""},
		{"parts", "/content/0", `[{"type":"text","text":""`, `}]`, "type text", "id"},
		{"parts", "/content/0/source", `[{"type":"image","source":{"type":"file","value":""`, `}}]`, "type value", "provider mimeType"},
		{"parts", "/content/0", `[{"type":"binary","mimeType":"x","url":"u"`, `}]`, "mimeType", "url data id filename"},
		{"run", "/outcome/interrupts/0", `{"type":"interrupt","interrupts":[{"id":"i","reason":"r"`, `}]}`, "id reason", "message toolCallId expiresAt subagentRunId"},
		{"usage", "/usage/0", `[{"inputTokens":1`, `}]`, "", "provider model"},
		{"input", "", `{"threadId":"t","runId":"r","messages":[]`, `}`, "threadId runId", "protocolVersion parentRunId"},
		{"input", "/tools/0", `{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"n","description":"d"`, `}]}`, "name description", ""},
		{"input", "/context/0", `{"threadId":"t","runId":"r","messages":[],"context":[{"description":"d","value":"v"`, `}]}`, "description value", ""},
		{"input", "/resume/0", `{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"resolved"`, `}]}`, "interruptId status", ""},
	}
	for _, o := range objects {
		for i, names := range []string{o.required, o.optional} {
			for name := range strings.FieldsSeq(names) {
				t.Run(fmt.Sprint(o.at, "/", name), func(t *testing.T) {
					// The last duplicate wins, so the good one before it doesn't help.
					raw := o.head + `,"` + name + `":7` + o.tail
					want := verdict{Err: o.at + "/" + name + ": is a number, not a string"}
					for _, loud := range []bool{false, true} {
						if d := cmp.Diff(want, judge(t, o.what, &Enforcer{Loud: loud, Pool: new(Pool)}, raw)); d != "" {
							t.Errorf("loud %v: %s (-want +got):\n%s", loud, raw, d)
						}
					}
					if i == 0 {
						return
					}
					null := o.head + `,"` + name + `":null` + o.tail
					got := judge(t, o.what, &Enforcer{QuietBinary: true}, null)
					if strings.Contains(o.head, `"binary"`) && name == "url" {
						want = verdict{Err: o.at + ": has none of url, data and id",
							Warnings: []string{o.at + "/url: null in an optional field, read as absent"}}
						if d := cmp.Diff(want, got); d != "" {
							t.Errorf("%s (-want +got):\n%s", null, d)
						}
						return
					}
					got.JSON = ""
					want = verdict{Warnings: []string{o.at + "/" + name + ": null in an optional field, read as absent"}}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s (-want +got):\n%s", null, d)
					}
				})
			}
		}
	}
}

func TestConstructors(t *testing.T) {
	call := NewToolCall("c", "f", "{}")
	call.EncryptedValue = Some("e")
	tests := map[string]*Message{
		`{"id":"t","role":"tool","content":"x","toolCallId":"c"}`:                          ToolMessage("t", "c", "x"),
		`{"id":"p","role":"user","content":[{"type":"text","text":"x"}]}`:                  PartsMessage("p", TextPart("x")),
		`{"id":"s","role":"system","content":"x"}`:                                         NewMessage(RoleSystem, "s", "x"),
		`{"id":"x","role":"activity","content":{},"activityType":"A"}`:                     {ID: "x", Role: RoleActivity, ActivityType: "A"},
		`{"id":"a","role":"assistant","toolCalls":[` + string(call.AppendJSON(nil)) + `]}`: {ID: "a", Role: RoleAssistant, ToolCalls: []*ToolCall{call.Clone()}},
	}
	for want, m := range tests {
		s := NewStore(new(Pool))
		if err := s.Insert(m); err != nil {
			t.Fatal(err)
		}
		got := []string{string(m.AppendJSON(nil)), string(s.Messages()[0].AppendJSON(nil))}
		if d := cmp.Diff([]string{want, want}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

func TestLongUnknownNamesAreCut(t *testing.T) {
	got := judge(t, "parts", &Enforcer{}, `[{"type":"`+strings.Repeat("x", 1000)+`"}]`)
	want := verdict{JSON: "[]", Warnings: []string{`/content/0: unknown content part "` + strings.Repeat("x", 64) + `", part dropped`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestActivityOverTheDocumentLimit(t *testing.T) {
	s := NewStore(new(Pool))
	s.MaxActivityBytes = 10
	m := mustAdd(t, s, RoleActivity, "x")
	for range 2 {
		if err := s.SetActivity(m, []byte(`{"a":"0123456789"}`)); err == nil {
			t.Error("content over the limit is taken")
		}
		if err := s.SetActivity(m, []byte(`{"a":1}`)); err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff(`{"id":"x","role":"activity","content":{"a":1},"activityType":""}`, string(m.AppendJSON(nil))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A payload of nothing but empty values would become a tree a hundred times its size.
func TestPayloadsOfTooManyValues(t *testing.T) {
	many := func(n int) []byte { return []byte("[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]") }
	var limit *LimitError
	if _, err := new(Enforcer).Usage(many(maxValues/2+1), "/usage"); !errors.As(err, &limit) || limit.Limit != maxValues {
		t.Errorf("got %v", err)
	}
	if list, err := new(Enforcer).Usage(many(1000), "/usage"); err != nil || len(list) != 1000 {
		t.Errorf("%d of 1,000, %v", len(list), err)
	}
	text := []byte(`[{"provider":"` + strings.Repeat("x", 2*maxValues) + `"}]`)
	if _, err := new(Enforcer).Usage(text, "/usage"); err != nil {
		t.Errorf("a long text: %v", err)
	}
}
