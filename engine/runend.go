package engine

// EndKind is the way in which a run ended. There are four, by the wire contract of AG-UI 1.0 and later; a switch over
// them needs no default.
type EndKind uint8

// The ways a run ends.
const (
	Success     EndKind = iota + 1 // the agent said so; Errors may have come earlier in the run
	Interrupted                    // the agent waits for answers to Interrupts
	Failed                         // RUN_ERROR, a broken stream, a broken rule under Spec
	Cancelled                      // the agent stopped on purpose: neither success nor failure
)

var endKinds = [...]string{Success: "success", Interrupted: "interrupted", Failed: "failed", Cancelled: "cancelled"}

// String returns the kind's name as the command line prints it.
func (k EndKind) String() string { return nameOf(endKinds[:], int(k)) }

// RunEnd is how a run ended. Which members are set depends on Kind.
type RunEnd struct {
	Kind EndKind
	// Result is what the agent returned; nil when it sent none.
	Result JSON
	// Usage is the run's token usage as sent, RUN_ERROR's included; nil when none was sent.
	Usage []TokenUsage
	// PendingToolCallIDs (Success) are the calls that the run started and that got no result, in call order, by the
	// stream's own tally (rule 117).
	PendingToolCallIDs []string
	// Interrupts (Interrupted) are those that came as InterruptUpdates before.
	Interrupts []Interrupt
	// Message (Failed) says what went wrong: the agent's own words for RUN_ERROR, else the full text of Err.
	Message string
	// Code (Failed by RUN_ERROR) is the agent's code; HasCode tells an empty one from none.
	Code    string
	HasCode bool
	// Err (Failed) is the error that came right before.
	Err *Error
}
