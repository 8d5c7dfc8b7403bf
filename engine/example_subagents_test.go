package engine_test

import (
	"context"
	"fmt"

	"github.com/aguistream/aguistream/engine"
)

// An agent that delegates announces each child, and all that the child produces carries its id. SubagentUpdate is the
// lifecycle; the registry outlives the run; a message names its producer.
func ExampleSubagentUpdate() {
	transport := engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-1","name":"researcher"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"msg-1","role":"assistant","subagentRunId":"sub-1"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-1","delta":"Three sources.","subagentRunId":"sub-1"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"msg-1","subagentRunId":"sub-1"}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-1","result":{"sources":3},"outcome":{"type":"success"}}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"msg-2","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-2","delta":"Thanks."}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"msg-2"}`,
		`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1"}`,
	)
	session := engine.NewSession[engine.Raw](transport, "thread-1")

	// Two lifecycle updates: the announcement, then the close with its payload.
	for u := range session.Send(context.Background(), "research this") {
		if u, ok := u.(*engine.SubagentUpdate); ok {
			fmt.Printf("%s: %s %q\n", u.Change, u.Subagent.Status, u.Subagent.Result)
		}
	}

	fmt.Println(session.Subagent("sub-1").Name, len(session.Subagents()))
	for _, m := range session.Messages() {
		producer := "the main agent"
		if m.Role == engine.RoleUser {
			producer = "the user"
		}
		if m.SubagentRunID.Present {
			producer = session.Subagent(m.SubagentRunID.Value).Name
		}
		fmt.Printf("%q by %s\n", m.Text(), producer)
	}
	// Output:
	// started: running ""
	// finished: finished "{\"sources\":3}"
	// researcher 1
	// "research this" by the user
	// "Three sources." by researcher
	// "Thanks." by the main agent
}
