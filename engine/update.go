package engine

import "github.com/aguistream/aguistream/state"

// Types of the stores, under the names a user of this package needs.
type (
	// Message is one message of a thread, as it now stands.
	Message = state.Message
	// ToolCall is one call of an assistant message.
	ToolCall = state.ToolCall
	// Subagent is one announced invocation, as it now stands.
	Subagent = state.Subagent
	// Interrupt is a question that a run ended on.
	Interrupt = state.Interrupt
	// TokenUsage is what a run says it used, an entry per provider and model.
	TokenUsage = state.TokenUsage
	// JSON is normalised JSON text; nil means absent.
	JSON = state.JSON
	// Raw is the state as it is held: a JSON document that is patched in place. state.Document says what reads cost.
	Raw = *state.Document
)

// Update is one thing that a view should react to: one update is one redraw.
//
// It is one of *MessageUpdate, *MessagesUpdate, *StateUpdate[S], *ReasoningUpdate, *InterruptUpdate, *SubagentUpdate,
// *ErrorUpdate and *Done. More may come: a switch over it needs a default.
//
// An Update, and all that it points to, borrows the stream's buffers: it is valid until the handler returns (of a
// Session: until the loop's next turn). What is to be kept must be copied; Clone of a message, call or interrupt does.
type Update interface{ update() }

// MessageChange says what happened to a message.
type MessageChange uint8

// What a MessageUpdate can be about.
const (
	// MessageStarted: the message was opened, anew or again.
	MessageStarted MessageChange = iota + 1
	// MessageContent: Delta was appended to the text.
	MessageContent
	// MessageEnded: its producer closed it.
	MessageEnded
	// ToolCallStarted: Call was opened, anew or again.
	ToolCallStarted
	// ToolCallArgs: Delta was appended to the arguments of Call.
	ToolCallArgs
	// ToolCallEnded: the arguments of Call are whole.
	ToolCallEnded
	// ToolResult: the tool message holds the result of the call ToolCallID.
	ToolResult
	// ActivityChanged: the activity was created, replaced or patched.
	ActivityChanged
	// MessageEncryptedValue: an encrypted value landed on the message, or on Call when that is set.
	MessageEncryptedValue
)

var messageChanges = [...]string{
	MessageStarted: "started", MessageContent: "content", MessageEnded: "ended",
	ToolCallStarted: "toolCallStarted", ToolCallArgs: "toolCallArgs", ToolCallEnded: "toolCallEnded",
	ToolResult: "toolResult", ActivityChanged: "activity", MessageEncryptedValue: "encryptedValue",
}

// String returns the change's name as the command line prints it.
func (c MessageChange) String() string { return nameOf(messageChanges[:], int(c)) }

// MessageUpdate tells that one message was created, appended to, completed or changed.
type MessageUpdate struct {
	Index      int           // into the thread's messages (reasoning is not among them)
	ID         string        // of the message
	Change     MessageChange // what happened
	Delta      string        // MessageContent, ToolCallArgs: what was appended
	ToolCallID string        // tool changes: the call
	Message    *Message      // the message as it now stands
	Call       *ToolCall     // the call, for ToolCall* and for an encrypted value that landed on a call
}

// MessagesUpdate tells that the conversation was replaced (MESSAGES_SNAPSHOT) or that echoed input was taken over:
// messages may have gone or moved, so redraw all of it.
type MessagesUpdate struct {
	Messages []*Message // all but reasoning, in order
}

// StateUpdate carries the state after a snapshot or an applied patch; nothing tells which it was.
// A Stream gives StateUpdate[Raw]; a Session[S] gives StateUpdate[S].
type StateUpdate[S any] struct {
	State S
}

// ReasoningChange says what happened to a thought.
type ReasoningChange uint8

// What a ReasoningUpdate can be about.
const (
	ReasoningStarted        ReasoningChange = iota + 1 // the first opener of the id, span or message
	ReasoningContent                                   // Delta was appended
	ReasoningEnded                                     // the first closer of the id
	ReasoningEncryptedValue                            // an encrypted value landed on it
)

var reasoningChanges = [...]string{
	ReasoningStarted: "started", ReasoningContent: "content", ReasoningEnded: "ended", ReasoningEncryptedValue: "encryptedValue",
}

// String returns the change's name as the command line prints it.
func (c ReasoningChange) String() string { return nameOf(reasoningChanges[:], int(c)) }

// ReasoningUpdate carries a thought, which is kept apart from the messages.
type ReasoningUpdate struct {
	ID      string
	Change  ReasoningChange
	Delta   string   // ReasoningContent: what was appended
	Text    string   // all of it so far; empty for a span that has no message of its id
	Message *Message // the entry in the reasoning list; nil for such a span
}

// InterruptUpdate tells that the run paused and needs an answer; one comes for each interrupt, in wire order, before
// the run's Done.
type InterruptUpdate struct {
	Interrupt *Interrupt
}

// SubagentChange says what happened to a subagent.
type SubagentChange uint8

// What a SubagentUpdate can be about.
const (
	SubagentStarted SubagentChange = iota + 1
	SubagentResumed
	SubagentFinished
	SubagentSuspended
	SubagentFailed
)

var subagentChanges = [...]string{
	SubagentStarted: "started", SubagentResumed: "resumed", SubagentFinished: "finished",
	SubagentSuspended: "suspended", SubagentFailed: "failed",
}

// String returns the change's name as the command line prints it.
func (c SubagentChange) String() string { return nameOf(subagentChanges[:], int(c)) }

// SubagentUpdate tells of a subagent's life only: what it says comes as messages and reasoning that carry its id.
type SubagentUpdate struct {
	Index    int // into the thread's subagents
	ID       string
	Change   SubagentChange
	Subagent *Subagent // the whole entry as it now stands
}

// ErrorUpdate carries one error. It never is the end by itself: when it is fatal, Done follows.
type ErrorUpdate struct {
	Err *Error
}

// Done is the last update of every run, exactly one, on every path out (but a caller who stops early).
type Done struct {
	End RunEnd // may be kept, with all that it points to
}

func (*MessageUpdate) update()   {}
func (*MessagesUpdate) update()  {}
func (*StateUpdate[S]) update()  {}
func (*ReasoningUpdate) update() {}
func (*InterruptUpdate) update() {}
func (*SubagentUpdate) update()  {}
func (*ErrorUpdate) update()     {}
func (*Done) update()            {}

func nameOf(names []string, i int) string {
	if i < len(names) && names[i] != "" {
		return names[i]
	}
	return "unknown"
}
