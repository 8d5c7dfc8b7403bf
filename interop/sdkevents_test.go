package interop

import (
	"testing"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"

	"github.com/aguistream/aguistream/decode"
)

func ptr[T any](v T) *T { return &v }

// sdkMessages are messages of every role that the SDK has.
func sdkMessages() []types.Message {
	return []types.Message{
		{ID: "dev", Role: types.RoleDeveloper, Content: "be exact", Name: "ops"},
		{ID: "sys", Role: types.RoleSystem, Content: "be kind"},
		{ID: "user", Role: types.RoleUser, Content: []types.InputContent{
			{Type: "text", Text: "see <this> & that"},
			{Type: "image", Source: &types.InputContentSource{Type: "url", Value: "https://example.com/a.png"}},
			{Type: "document", Source: &types.InputContentSource{Type: "data", Value: "AAAA", MimeType: "application/pdf"}, Metadata: map[string]any{"pages": 2}},
			{Type: "binary", MimeType: "image/png", Data: "AAAA"},
		}},
		{ID: "asst", Role: types.RoleAssistant, ToolCalls: []types.ToolCall{{ID: "c-0", Type: "function", Function: types.FunctionCall{Name: "look", Arguments: "{}"}}}},
		{ID: "tool", Role: types.RoleTool, Content: "seen", ToolCallID: "c-0", Error: "dark"},
		{ID: "act", Role: types.RoleActivity, ActivityType: "PLAN", Content: map[string]any{"steps": []string{"a"}}},
		{ID: "think", Role: types.RoleReasoning, Content: "hm", EncryptedValue: "dGhpbms="},
	}
}

// sdkEverything is a run with every event type that the Go SDK has, made by its own constructors, but RUN_ERROR.
func sdkEverything() []events.Event {
	return []events.Event{
		events.NewRunStartedEvent("interop", "r1"),
		events.NewMessagesSnapshotEvent(sdkMessages()),
		events.NewStepStartedEvent("plan"),
		events.NewStateSnapshotEvent(map[string]any{"list": []int{1, 2}, "text": "\u2028<b>\n", "n": 0.5}),
		events.NewStateDeltaEvent([]events.JSONPatchOperation{
			{Op: "test", Path: "/n", Value: 0.5}, {Op: "add", Path: "/list/-", Value: 3}, {Op: "replace", Path: "/text", Value: "new"},
			{Op: "copy", From: "/list", Path: "/again"}, {Op: "move", From: "/n", Path: "/m"}, {Op: "remove", Path: "/again/0"},
		}),
		events.NewThinkingStartEvent().WithTitle("old ways"),
		events.NewThinkingTextMessageStartEvent(),
		events.NewThinkingTextMessageContentEvent("still "),
		events.NewThinkingTextMessageContentEvent("written"),
		events.NewThinkingTextMessageEndEvent(),
		events.NewThinkingEndEvent(),
		events.NewReasoningStartEvent("th"),
		events.NewReasoningMessageStartEvent("th", "reasoning"),
		events.NewReasoningMessageContentEvent("th", "let me see"),
		events.NewReasoningMessageEndEvent("th"),
		events.NewReasoningEncryptedValueEvent(events.ReasoningEncryptedValueSubtypeMessage, "th", "ZW5j"),
		events.NewReasoningEndEvent("th"),
		events.NewReasoningMessageChunkEvent(ptr("th-c"), ptr("in ")),
		events.NewReasoningMessageChunkEvent(nil, ptr("chunks")),
		events.NewTextMessageStartEvent("m", events.WithRole("assistant")),
		events.NewTextMessageContentEvent("m", "Grüße 東京 \"😀\"\r\n"),
		events.NewTextMessageContentEvent("m", "<b>&</b>"),
		events.NewTextMessageEndEvent("m"),
		events.NewTextMessageChunkEvent(ptr("m-c"), ptr("assistant"), ptr("chunk ")),
		events.NewTextMessageChunkEvent(nil, nil, ptr("by chunk")),
		events.NewToolCallStartEvent("c-1", "search", events.WithParentMessageID("m")),
		events.NewToolCallArgsEvent("c-1", `{"q":"a\"b"}`),
		events.NewToolCallEndEvent("c-1"),
		events.NewReasoningEncryptedValueEvent(events.ReasoningEncryptedValueSubtypeToolCall, "c-1", "dG9vbA=="),
		events.NewToolCallResultEvent("res", "c-1", "found"),
		events.NewToolCallChunkEvent().WithToolCallChunkID("c-2").WithToolCallChunkName("draw").WithToolCallChunkDelta("{}"),
		events.NewActivitySnapshotEvent("a", "SEARCH", map[string]any{"hits": []any{}}),
		events.NewActivityDeltaEvent("a", "SEARCH", []events.JSONPatchOperation{{Op: "add", Path: "/hits/-", Value: map[string]any{"n": 1}}}),
		events.NewRawEvent(map[string]any{"any": "thing"}, events.WithSource("provider")),
		events.NewCustomEvent("note", events.WithValue(map[string]any{"k": []any{nil, true}})),
		events.NewStepFinishedEvent("plan"),
		events.NewRunFinishedEventWithOptions("interop", "r1", events.WithResult(map[string]any{"n": 1}), events.WithInterruptOutcome([]types.Interrupt{
			{ID: "i", Reason: "tool_call", Message: "go on?", ToolCallID: "c-2", ResponseSchema: map[string]any{"type": "object"}, ExpiresAt: "2999-01-01T00:00:00Z", Metadata: map[string]any{"k": "v"}},
		})),
	}
}

func sdkFailing() []events.Event {
	return []events.Event{
		events.NewRunStartedEvent("interop", "r1"),
		events.NewTextMessageStartEvent("m"),
		events.NewTextMessageContentEvent("m", "half a sen"),
		events.NewRunErrorEvent("out of words", events.WithErrorCode("E_WORDS"), events.WithRunID("r1")),
	}
}

// unknownToSDK are the types of the protocol that the SDK has no events for.
var unknownToSDK = map[decode.Type]bool{decode.SubagentStarted: true, decode.SubagentFinished: true, decode.SubagentError: true}

func TestTheSDKsBodiesHaveEveryTypeOfTheSDK(t *testing.T) {
	has := map[string]bool{}
	for _, e := range append(sdkEverything(), sdkFailing()...) {
		if err := e.Validate(); err != nil {
			t.Errorf("%s: %v", e.Type(), err)
		}
		has[string(e.Type())] = true
	}
	for typ := decode.Unknown + 1; typ < decode.NumTypes; typ++ {
		known := (&events.BaseEvent{EventType: events.EventType(typ.String())}).Validate() == nil
		if known == unknownToSDK[typ] {
			t.Errorf("%s: the SDK knows it: %v", typ, known)
		}
		if known != has[typ.String()] {
			t.Errorf("%s: the SDK knows it: %v, the bodies have it: %v", typ, known, has[typ.String()])
		}
	}
}

// asJSON is what the SDK's encoder makes of events.
func asJSON(t *testing.T, list []events.Event) []string {
	t.Helper()
	var texts []string
	for _, e := range list {
		text, err := e.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}
