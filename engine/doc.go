// Package engine turns AG-UI event streams into updates: bytes in, redraws out, with messages, state, reasoning and
// subagents held and kept right on the way.
//
// # Terms
//
// An agent tells what it does in a stream of events, sent as server-sent events: each frame holds one event in JSON. A run
// is what lies between RUN_STARTED and its terminal event; a stream may carry several runs, one after another, on one
// thread. An Update is one thing that a view should react to. One event gives none, one, or a few.
//
// # Three faces
//
// A Session is one conversation on the caller's goroutine: it makes requests through a Transport, and ranges over what
// comes back.
//
//	sess := engine.NewSession[Board](transport, "thread-1")
//	for u := range sess.Send(ctx, "research this") {
//		switch u := u.(type) {
//		case *engine.MessageUpdate: // u.Message grew
//		case *engine.StateUpdate[Board]: // u.State is new
//		case *engine.ErrorUpdate: // not the end by itself
//		case *engine.Done: // u.End.Kind: Success, Interrupted, Failed, Cancelled
//		}
//	}
//
// A Stream takes bytes that the caller got from wherever, cut anywhere, and calls a Handler. NewStream makes one that works
// on the caller's goroutine.
//
// An Engine runs thousands of Streams on a few shards. Open gives a Stream to write to; Run does the reading too.
//
// # What is lent
//
// Updates and what they point to borrow the stream's buffers: they are valid until the handler returns, or until the
// loop's next turn. A message's text is a view of its buffer: in a Session it stays right whatever is appended later; in
// an Engine a buffer that is outgrown serves another message. Clone keeps a message, a call or an interrupt; Errors, and
// the End of a Done, may be kept as they are. Builds with the race detector, or with the tag aguipoison, overwrite lent
// memory after its time, so that a mistake shows.
//
// # Two rule sets
//
// Loud, the default, reports a broken rule as an Error and goes on; Spec judges as the AG-UI 1.1 specification has it, where
// a broken rule ends the run and unknown material is dropped with a warning. Either way the stores hold what was valid.
//
// # Limits
//
// Everything a peer can make grow is bounded: see Limits. Crossing a bound is an Error that names it and its value.
package engine
