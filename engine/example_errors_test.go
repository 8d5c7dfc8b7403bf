package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aguistream/aguistream/engine"
)

// Success means that the agent said so; it doesn't mean that nothing went wrong. A patch that would not apply is an
// Error, the run goes on, and the agent calls it a success.
func ExampleErrorUpdate() {
	transport := engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"count":1}}`,
		// A path that does not exist. Patches are all or nothing: the state is left as it was.
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/missing/deeply","value":2}]}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":2}]}`,
		`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1"}`,
	)
	session := engine.NewSession[engine.Raw](transport, "thread-1")
	for u := range session.Send(context.Background(), "go") {
		switch u := u.(type) {
		case *engine.ErrorUpdate:
			fmt.Println("patch error:", errors.Is(u.Err, engine.ErrPatch))
			fmt.Println(strings.HasPrefix(u.Err.Error(), "state patch failed"))
		case *engine.Done:
			fmt.Println(u.End.Kind)
		}
	}
	fmt.Printf("%s\n", session.RawState().AppendJSON(nil))
	// Output:
	// patch error: true
	// true
	// success
	// {"count":2}
}

// An event that this build doesn't know stops the run with an error that names it, rather than quietly leaving it out of
// the conversation. What arrived before it is still there: the failure is loud, not lossy. (The Spec rule set drops such
// an event with a warning.)
func ExampleDone() {
	body := engine.Frames(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"msg-1","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-1","delta":"Half a conversation."}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"msg-1"}`,
	)
	// From a newer agent, framed by hand.
	body = append(body, "data: {\"type\":\"TELEPATHY_START\",\"messageId\":\"msg-2\"}\n\n"...)

	session := engine.NewSession[engine.Raw](engine.ReplayBytes(body), "thread-1")
	for u := range session.Send(context.Background(), "go") {
		if done, ok := u.(*engine.Done); ok {
			fmt.Println(done.End.Kind)
			fmt.Println(done.End.Message)
		}
	}
	for _, m := range session.Messages() {
		fmt.Printf("%s: %s\n", m.Role, m.Text())
	}
	// Output:
	// failed
	// JSON error: unknown event type "TELEPATHY_START" (event 5, TELEPATHY_START, byte 289)
	// user: go
	// assistant: Half a conversation.
}
