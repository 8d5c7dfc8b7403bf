package engine

import (
	"errors"
	"fmt"
	"strings"
)

// ErrorKind sorts what can go wrong by where it went wrong.
type ErrorKind uint8

// The kinds of Error.
const (
	KindProtocol  ErrorKind = iota + 1 // an ordering or ownership rule was broken; the event was not applied
	KindPatch                          // a JSON Patch did not apply; its target is unchanged
	KindState                          // the state did not decode into the caller's type; the raw state is right
	KindRun                            // the agent sent RUN_ERROR
	KindJSON                           // the frame is no event: not JSON, unknown type, a field missing or wrong
	KindDecode                         // not a well-formed event stream, or a limit crossed
	KindHTTP                           // the answer's status or content type was wrong
	KindTransport                      // connect, read or idle time-out
	KindConfig                         // the request could not be made; nothing was sent
)

// Sentinels for errors.Is, one per kind, and those that callers branch on.
var (
	ErrProtocol  = errors.New("protocol violation")
	ErrPatch     = errors.New("state patch failed")
	ErrState     = errors.New("state error")
	ErrRun       = errors.New("run failed")
	ErrJSON      = errors.New("JSON error")
	ErrDecode    = errors.New("SSE decode error")
	ErrHTTP      = errors.New("HTTP error")
	ErrTransport = errors.New("transport error")
	ErrConfig    = errors.New("config error")

	// ErrTruncated: the bytes ended before the run did. Its Error is of KindProtocol.
	ErrTruncated = errors.New("the stream ended before RUN_FINISHED or RUN_ERROR")
	// ErrClosed: the stream or the engine takes no more bytes.
	ErrClosed = errors.New("aguistream: closed")
	// ErrFull: TryWrite, or a Write from a handler, found the stream's mailbox full; nothing was taken, and it may be tried
	// again.
	ErrFull = errors.New("aguistream: mailbox full")
	// ErrTooLarge: the bytes are more than a mailbox holds, so that TryWrite, or a Write from a handler, could never take
	// them in one piece. Nothing was taken; a Write from elsewhere can.
	ErrTooLarge = errors.New("aguistream: more bytes than a mailbox holds")
	// ErrFromHandler: a handler called what would wait for its own engine. Nothing was done.
	ErrFromHandler = errors.New("aguistream: called from a handler of the same engine, which it would wait for")
	// ErrReentrant: a handler wrote to, closed or released its own stream, or one of the same Pool, while the event at hand
	// is worked on. Nothing was done.
	ErrReentrant = errors.New("aguistream: called from the stream's own handler")
	// ErrBusy: as many runs as the engine takes are live, and as many as may wait are waiting.
	ErrBusy = errors.New("aguistream: busy")
)

var kinds = [...]struct {
	name     string
	sentinel error
}{
	KindProtocol: {"protocol", ErrProtocol}, KindPatch: {"patch", ErrPatch}, KindState: {"state", ErrState},
	KindRun: {"run", ErrRun}, KindJSON: {"json", ErrJSON}, KindDecode: {"decode", ErrDecode},
	KindHTTP: {"http", ErrHTTP}, KindTransport: {"transport", ErrTransport}, KindConfig: {"config", ErrConfig},
}

// String returns the kind's name as the command line prints it.
func (k ErrorKind) String() string {
	if int(k) < len(kinds) && kinds[k].name != "" {
		return kinds[k].name
	}
	return "unknown"
}

// Error is every error that a stream or a session reports. It may be kept.
type Error struct {
	Kind ErrorKind
	// Event is the number of the wire event, from 1; 0 when the error belongs to none.
	Event int64
	// EventType is the event's wire name, when it has one.
	EventType string
	// Offset is the byte offset, in the stream, of the first data field of the event's frame. Where there is no event it is
	// how far the stream had come; 0, or -1, is no place then, and the text names none. So an Error that a Transport makes
	// may leave it out.
	Offset int64
	// Reason says what is wrong, without kind and place. For KindRun it is the agent's own message.
	Reason string
	// Target (KindPatch) names what was patched: "state" or `activity "ID"`.
	Target string
	// Code (KindRun) is the agent's code; HasCode tells an empty one from none.
	Code    string
	HasCode bool
	// Late marks a RUN_ERROR that came after RUN_FINISHED (rule 6): the run counts as failed, no second Done comes.
	Late bool
	// Status (KindHTTP) is the answer's status code and Body the first 2 KiB of its body.
	Status int
	Body   []byte
	// Err is the cause, when there is one.
	Err error
}

// Error returns the whole text: it begins with the kind and says where.
func (e *Error) Error() string {
	if e == nil { // a transport's nil in the clothes of an error
		return "no error"
	}
	var b strings.Builder
	switch e.Kind {
	case KindPatch:
		if e.Target != "" && e.Target != "state" {
			b.WriteString(e.Target + " patch failed: ")
		} else {
			b.WriteString("state patch failed: ")
		}
	case KindHTTP:
		if e.Status != 0 {
			fmt.Fprintf(&b, "HTTP %d: ", e.Status)
			break
		}
		b.WriteString("HTTP error: ")
	default:
		if int(e.Kind) < len(kinds) && kinds[e.Kind].sentinel != nil {
			b.WriteString(kinds[e.Kind].sentinel.Error() + ": ")
		}
	}
	b.WriteString(e.Reason)
	if e.Kind == KindRun {
		return b.String()
	}
	switch {
	case e.Event > 0 && e.EventType != "" && e.Offset >= 0:
		fmt.Fprintf(&b, " (event %d, %s, byte %d)", e.Event, e.EventType, e.Offset)
	case e.Event > 0 && e.Offset >= 0:
		fmt.Fprintf(&b, " (event %d, byte %d)", e.Event, e.Offset)
	case e.Offset > 0:
		fmt.Fprintf(&b, " (byte %d)", e.Offset)
	}
	return b.String()
}

// Is matches the sentinel of the error's kind.
func (e *Error) Is(target error) bool {
	return e != nil && int(e.Kind) < len(kinds) && target != nil && kinds[e.Kind].sentinel == target
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// plainError is a cause said in plain words.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// configError is why a request was not made.
func configError(reason string, cause error) *Error {
	return &Error{Kind: KindConfig, Offset: -1, Reason: reason, Err: cause}
}

// Warning tells of something that was put up with: it goes to a hook, never among the updates.
type Warning struct {
	Text  string
	Event int64  // number of the wire event; 0 when it belongs to none
	Type  string // the event's wire name
	Path  string // JSON-pointer style, from the event; empty when it is the event itself
}
