package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// Rules is the rule set by which a stream is judged.
type Rules uint8

const (
	// Loud reports a broken ordering rule as an Error, skips the event and lets the run go on; an unknown event type
	// or a malformed field ends the run. Unknown properties are ignored.
	Loud Rules = iota
	// Spec is the AG-UI 1.1 consumer: a broken rule ends the run, unknown material is dropped with a warning.
	Spec
)

// String returns "loud" or "spec".
func (r Rules) String() string {
	if r == Spec {
		return "spec"
	}
	return "loud"
}

// Limits bound what one stream may hold. Zero means the default; crossing one is an Error that names it and its value
// and never hurts another stream.
type Limits struct {
	FrameBytes   int // everything pending of one frame; default 8 MiB
	Depth        int // nesting, the event object counted; default 256, MaxDepth at the most
	PatchOps     int // operations of one patch; default 10,000
	PatchCopy    int // bytes that one patch may add by copying; default 8 MiB
	StateBytes   int // JSON text of the state, and of one activity; default 64 MiB
	Messages     int // of a thread, reasoning counted, and as many subagents; default 100,000
	MessageBytes int // what one message holds: text, parts, its calls, metadata, encrypted values; default 64 MiB
	IDBytes      int // ids that one run brings beside its messages: owners, thoughts, steps, calls, results; default 64 MiB
}

// Defaults of Limits.
const (
	DefaultFrameBytes   = decode.DefaultFrameLimit
	DefaultDepth        = decode.DefaultDepth
	MaxDepth            = 290 // the readers of nested payloads go to 300
	DefaultPatchOps     = state.DefaultPatchOps
	DefaultPatchCopy    = state.DefaultCopyBytes
	DefaultStateBytes   = state.DefaultStateBytes
	DefaultMessages     = state.DefaultMaxMessages
	DefaultMessageBytes = state.DefaultMaxMessageBytes
	DefaultIDBytes      = 64 << 20
)

func or(v, def int) int {
	if v <= 0 {
		return def
	}
	return v
}

func (l Limits) withDefaults() Limits {
	return Limits{
		FrameBytes: or(l.FrameBytes, DefaultFrameBytes), Depth: min(or(l.Depth, DefaultDepth), MaxDepth),
		PatchOps: or(l.PatchOps, DefaultPatchOps), PatchCopy: or(l.PatchCopy, DefaultPatchCopy),
		StateBytes: or(l.StateBytes, DefaultStateBytes), Messages: or(l.Messages, DefaultMessages),
		MessageBytes: or(l.MessageBytes, DefaultMessageBytes), IDBytes: or(l.IDBytes, DefaultIDBytes),
	}
}

// StreamOptions shape one stream. The zero value is the Loud rule set, verified, empty, with the default limits.
type StreamOptions struct {
	Rules Rules
	// NoVerify switches the ordering and ownership rules off: events apply as they come (semantics, section 6).
	NoVerify bool
	// AdoptInput takes over the messages and the state that RUN_STARTED.input echoes; for those who read streams whose
	// requests others made.
	AdoptInput bool
	Limits     Limits
	// Messages and State seed the stores. They are copied before the call that takes them returns. A message without role
	// or id is a KindConfig error.
	Messages []*Message
	State    JSON
	// Warn is told of what was put up with; it runs where the handler runs. Of the shape of an
	// event that is malformed it is told nothing: there the error alone speaks.
	Warn func(Warning)
	// Trace is given each event as it reaches the stores, before its updates: after boundary, chunk expansion and
	// stripping, as compact JSON that is valid until it returns.
	Trace func(event []byte)
	// Pool, for a Stream made by NewStream, is what it shares with the other streams of its goroutine; nil is one of its
	// own. Streams that an Engine opens share their shard's. The event at hand lies on the desk that they share: a handler
	// that writes into another stream of its Pool gets ErrReentrant.
	Pool *Pool
	// StopAtDone ignores all that follows the first Done, as a Session does.
	StopAtDone bool
	// Handler receives this stream's updates; nil is that of the Engine's Config, or the one given to NewStream, which
	// comes first there.
	Handler Handler
	// Data is the caller's own, for the handler to find by Stream.Data.
	Data any
}

// habits are the options that a machine asks for over and over; the others are done with once it is made.
type habits struct {
	NoVerify, AdoptInput, StopAtDone bool
	Warn                             func(Warning)
	Trace                            func(event []byte)
}

func (o *StreamOptions) habits() habits {
	return habits{o.NoVerify, o.AdoptInput, o.StopAtDone, o.Warn, o.Trace}
}

// Names that users of this package need from the packages below it.
type (
	// Document is a JSON value with RFC 6901 lookups.
	Document = state.Document
	// Value is a lent view of a part of a Document.
	Value = state.Value
)
