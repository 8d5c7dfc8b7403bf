package engine_test

import (
	"context"
	"fmt"

	"github.com/aguistream/aguistream/engine"
)

// render shows every variant of Update: one update is one redraw.
func render(u engine.Update) {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		// A message was created, appended to, or completed. Index is into the session's messages, and Message is the
		// whole thing as it now stands, so a view can redraw one row or read the lot again.
		fmt.Printf("message %s at %d: %s\n", u.ID, u.Index, u.Change)

	case *engine.MessagesUpdate:
		// The conversation was replaced. Messages may have gone, so redraw all of it.
		fmt.Printf("%d messages replaced\n", len(u.Messages))

	case *engine.StateUpdate[engine.Raw]:
		// A snapshot and a patch arrive the same way; nothing here can tell which.
		fmt.Printf("state is now %s\n", u.State.AppendJSON(nil))

	case *engine.ReasoningUpdate:
		// Reasoning is kept apart from the reply.
		fmt.Printf("thinking: %q\n", u.Text)

	case *engine.InterruptUpdate:
		// The run paused and needs a human: one update for each interrupt.
		fmt.Printf("waiting on %s\n", u.Interrupt.ID)

	case *engine.SubagentUpdate:
		// The lifecycle only: what a subagent says arrives as ordinary messages.
		fmt.Printf("%s %s\n", u.Subagent.Name, u.Change)

	case *engine.ErrorUpdate:
		// A malformed stream, a patch that would not apply, a transport failure, a RUN_ERROR. Not the end by itself.
		fmt.Println(u.Err)

	case *engine.Done:
		// Always the last update of a run, on every path out.
		fmt.Println(ended(u.End))

	default:
		// A new kind of thing worth redrawing is no change of the protocol.
	}
}

// ended tells in a phrase how a run ended. There are four ways and no more, by the wire contract.
func ended(end engine.RunEnd) string {
	switch end.Kind {
	case engine.Success:
		return "success"
	case engine.Interrupted:
		return fmt.Sprintf("interrupted on %d", len(end.Interrupts))
	case engine.Cancelled:
		return "cancelled"
	default: // engine.Failed
		return "failed: " + end.Message
	}
}

// promptAgain is the decision that RunEnd exists for: whether the input goes live again.
func promptAgain(end engine.RunEnd) bool {
	return end.Kind != engine.Interrupted // the agent is waiting: answer the interrupts instead of typing
}

func ExampleUpdate() {
	transport := engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"step":1}}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-1","name":"researcher"}`,
		`{"type":"REASONING_MESSAGE_START","messageId":"r-1","role":"reasoning"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r-1","delta":"Look it up."}`,
		`{"type":"REASONING_MESSAGE_END","messageId":"r-1"}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-1"}`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/gone"}]}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m-1"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"May I?"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m-1"}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m-1","role":"assistant","content":"May I?"}]}`,
		`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1",`+
			`"outcome":{"type":"interrupt","interrupts":[{"id":"ask-1","reason":"confirm"}]}}`,
	)
	session := engine.NewSession[engine.Raw](transport, "thread-1")
	for u := range session.Send(context.Background(), "book it") {
		render(u)
		if done, ok := u.(*engine.Done); ok {
			fmt.Println("prompt again:", promptAgain(done.End))
		}
	}
	// Output:
	// state is now {"step":1}
	// researcher started
	// thinking: ""
	// thinking: "Look it up."
	// thinking: "Look it up."
	// researcher finished
	// state patch failed: operation 0 (remove "/gone"): there is no such value (event 8, STATE_DELTA, byte 483)
	// message m-1 at 1: started
	// message m-1 at 1: content
	// message m-1 at 1: ended
	// 1 messages replaced
	// waiting on ask-1
	// interrupted on 1
	// prompt again: false
}
