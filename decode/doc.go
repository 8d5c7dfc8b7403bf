// Package decode takes AG-UI event streams apart: bytes into frames, frames into events. It keeps no messages, judges no
// order, and starts no goroutine; that is for the packages above it.
//
// # Terms
//
// A stream is the body of a response of type text/event-stream, as WHATWG HTML describes it under "Server-sent events". It
// comes in chunks, cut anywhere. A frame is one dispatched event of the stream: the joined values of a block's data lines.
// An event is the JSON object in a frame. Its type is the text of its member "type", one of the 31 of AG-UI 1.1 or of the 5
// retired THINKING_* types before it; its other top-level members are fields. A delta is a string field that continues a
// text begun by earlier events.
//
// # Use
//
// A Framer is fed with chunks and asked for frames until it has no more. An Event checks a frame and finds where its
// members lie, without making values of them: that is left to whoever needs one.
//
//	var framer decode.Framer
//	var event decode.Event
//	for chunk := range chunks {
//		framer.Feed(chunk)
//		for {
//			frame, ok := framer.Next()
//			if !ok {
//				break
//			}
//			if err := event.Decode(frame.Data, 0); err != nil {
//				return err
//			}
//			...
//		}
//		if err := framer.Err(); err != nil {
//			return err
//		}
//	}
//	frame, ok := framer.Finish() // a last frame that lacks its blank line
//
// Decode accepts any JSON object with a type. What its type says about its members is held by Event.Check, a step of its
// own, since a caller may want to forgive something first: Event.NullOptionals tells of nulls that should have been left
// out, and Event.Drop forgets a member.
//
// # Text
//
// A string field is read with Event.Str, or straight from Event.Raw when Event.IsPlain says that its bytes stand for
// themselves. Otherwise AppendString unescapes it, and AppendDelta does so for a text that comes in pieces and may be cut
// between the two escapes of one character. All text that comes out of this package is valid UTF-8: bytes that are none,
// and surrogate escapes without their other half, are replaced by U+FFFD, as browsers do. Sanitize does the same to whole
// JSON texts, for parsers that would pass such things on.
//
// # Ownership
//
// Nothing is copied that needn't be. A frame's data borrows the chunk, or the Framer's buffer if it was torn, and is valid
// until the Framer's next call of Feed, Next or Finish. The chunk is borrowed until Next has returned false. Everything
// that an Event gives borrows the frame, but for what Event.Str puts into the caller's scratch. Builds with the race
// detector, or with the tag aguipoison, overwrite a Framer's buffer once its loan is over, so that a late reader sees
// garbage rather than luck.
//
// Framer and Event are reused from frame to frame and then allocate nothing. Neither is safe for concurrent use.
//
// # Limits
//
// Framer.Limit bounds what may pend for one frame (8 MiB by default), the depth given to Event.Decode its nesting (256
// levels by default). Crossing one is an *Error that names the limit and its value. All work is linear in the bytes that
// come in, however they are cut and whatever is in them; apart from the pending frame no memory grows.
package decode
