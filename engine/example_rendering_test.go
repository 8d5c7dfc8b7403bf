package engine_test

import (
	"context"
	"fmt"

	"github.com/aguistream/aguistream/engine"
)

// twoCalls is a stream whose two tool calls are in flight at once.
func twoCalls() *engine.Replay {
	return engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"call-1","toolCallName":"weather","parentMessageId":"msg-1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"call-2","toolCallName":"hotels","parentMessageId":"msg-1"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"call-1","delta":"{\"city\":"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"call-2","delta":"{\"near\":"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"call-1","delta":"\"Oslo\"}"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"call-2","delta":"\"harbour\"}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"call-2"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"call-1"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"msg-2","toolCallId":"call-2","content":"3 found"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"msg-3","toolCallId":"call-1","content":"rain"}`,
		`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1"}`,
	)
}

// An update is about one event, not about one call: consecutive updates need not belong to the same one. A view that
// draws as they arrive (a terminal, a log) names the call on each line.
func ExampleMessageUpdate_arrivalOrder() {
	session := engine.NewSession[engine.Raw](twoCalls(), "thread-1")
	for u := range session.Send(context.Background(), "plan my trip") {
		u, ok := u.(*engine.MessageUpdate)
		if !ok {
			continue
		}
		switch u.Change {
		case engine.ToolCallStarted:
			fmt.Printf("%s: call of %s\n", u.ToolCallID, u.Call.Name)
		case engine.ToolCallArgs:
			fmt.Printf("%s: + %s\n", u.ToolCallID, u.Delta)
		case engine.ToolCallEnded:
			fmt.Printf("%s: arguments %s\n", u.ToolCallID, u.Call.Arguments())
		case engine.ToolResult:
			fmt.Printf("%s: result %s\n", u.ToolCallID, u.Message.Text())
		}
	}
	// Output:
	// call-1: call of weather
	// call-2: call of hotels
	// call-1: + {"city":
	// call-2: + {"near":
	// call-1: + "Oslo"}
	// call-2: + "harbour"}
	// call-2: arguments {"near":"harbour"}
	// call-1: arguments {"city":"Oslo"}
	// call-2: result 3 found
	// call-1: result rain
}

// A view with a box for each call keeps the boxes by call id, in the order in which they were opened, and redraws the one
// that an update is about. What it gives up is the order of arrival between the boxes.
func ExampleMessageUpdate_byCall() {
	type box struct{ name, arguments, result string }
	boxes := map[string]*box{}
	var order []string

	session := engine.NewSession[engine.Raw](twoCalls(), "thread-1")
	for u := range session.Send(context.Background(), "plan my trip") {
		u, ok := u.(*engine.MessageUpdate)
		if !ok || u.ToolCallID == "" {
			continue
		}
		b := boxes[u.ToolCallID]
		if b == nil {
			b = new(box)
			boxes[u.ToolCallID] = b
			order = append(order, u.ToolCallID)
		}
		switch u.Change {
		case engine.ToolCallStarted:
			b.name = u.Call.Name
		case engine.ToolCallArgs:
			b.arguments += u.Delta // kept, so copied: an update is lent
		case engine.ToolResult:
			b.result = u.Message.Text()
		}
	}
	for _, id := range order {
		fmt.Printf("%s %s(%s) = %s\n", id, boxes[id].name, boxes[id].arguments, boxes[id].result)
	}
	// Output:
	// call-1 weather({"city":"Oslo"}) = rain
	// call-2 hotels({"near":"harbour"}) = 3 found
}
