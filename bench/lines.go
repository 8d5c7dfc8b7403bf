package bench

import (
	"bufio"
	"io"
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
)

// Lines writes updates, warnings, events and snapshots as NDJSON, in the form that `aguibench updates` promises. It is
// for one goroutine. Whoever made it calls Flush at the end.
type Lines struct {
	// Full makes message updates carry the message, and subagent updates the entry.
	Full bool

	w   *bufio.Writer
	b   []byte
	err error
}

// NewLines makes Lines that write to w.
func NewLines(w io.Writer) *Lines { return &Lines{w: bufio.NewWriterSize(w, 64<<10)} }

// Flush writes what is still buffered and returns the first error that writing met.
func (l *Lines) Flush() error {
	if err := l.w.Flush(); l.err == nil {
		l.err = err
	}
	return l.err
}

// Err is the first error that writing met: after it, lines go nowhere.
func (l *Lines) Err() error { return l.err }

// HandleUpdate writes an update; it makes Lines an engine.Handler.
func (l *Lines) HandleUpdate(_ *engine.Stream, u engine.Update) {
	l.b = append(l.b[:0], `{"update":`...)
	switch u := u.(type) {
	case *engine.MessageUpdate:
		l.message(u)
	case *engine.MessagesUpdate:
		l.value("messages")
		l.number("count", int64(len(u.Messages)))
	case *engine.StateUpdate[engine.Raw]:
		l.value("state")
		l.b = u.State.AppendJSON(l.member("state"))
	case *engine.ReasoningUpdate:
		l.value("reasoning")
		l.text("id", u.ID)
		l.text("change", u.Change.String())
		if u.Change == engine.ReasoningContent {
			l.text("delta", u.Delta)
		}
		l.text("text", u.Text)
	case *engine.InterruptUpdate:
		l.value("interrupt")
		l.b = u.Interrupt.AppendJSON(l.member("interrupt"))
	case *engine.SubagentUpdate:
		l.subagent(u)
	case *engine.ErrorUpdate:
		l.failure(u.Err)
	case *engine.Done:
		l.done(&u.End)
	default:
		l.value("unknown")
	}
	l.end()
}

// Warning writes a warning; it serves as engine.StreamOptions.Warn.
func (l *Lines) Warning(w engine.Warning) {
	l.b = append(l.b[:0], `{"warning":`...)
	l.value(w.Text)
	if w.Event > 0 {
		l.number("event", w.Event)
	}
	if w.Type != "" {
		l.text("type", w.Type)
	}
	if w.Path != "" {
		l.text("path", w.Path)
	}
	l.end()
}

// Event writes an event as it reaches the stores; it serves as engine.StreamOptions.Trace.
func (l *Lines) Event(event []byte) {
	l.b = append(append(l.b[:0], `{"event":`...), event...)
	l.end()
}

// Snapshot writes the stores.
func (l *Lines) Snapshot(v engine.View) {
	l.b = v.AppendJSON(append(l.b[:0], `{"snapshot":`...))
	l.end()
}

func (l *Lines) message(u *engine.MessageUpdate) {
	l.value("message")
	l.number("index", int64(u.Index))
	l.text("id", u.ID)
	l.text("change", u.Change.String())
	if u.Change == engine.MessageContent || u.Change == engine.ToolCallArgs {
		l.text("delta", u.Delta)
	}
	switch u.Change {
	case engine.ToolCallStarted, engine.ToolCallArgs, engine.ToolCallEnded, engine.ToolResult:
		l.text("toolCallId", u.ToolCallID)
	case engine.MessageEncryptedValue:
		if u.Call != nil {
			l.text("toolCallId", u.ToolCallID)
		}
	}
	if u.Change == engine.ToolCallStarted && u.Call != nil {
		l.text("name", u.Call.Name)
	}
	if l.Full && u.Message != nil {
		l.b = u.Message.AppendJSON(l.member("message"))
	}
}

func (l *Lines) subagent(u *engine.SubagentUpdate) {
	l.value("subagent")
	l.number("index", int64(u.Index))
	l.text("id", u.ID)
	l.text("change", u.Change.String())
	l.text("status", u.Subagent.Status.String())
	l.text("name", u.Subagent.Name)
	if l.Full {
		l.b = u.Subagent.AppendJSON(l.member("subagent"))
	}
}

func (l *Lines) failure(e *engine.Error) {
	l.value("error")
	l.text("kind", e.Kind.String())
	l.text("message", e.Error())
	if e.HasCode {
		l.text("code", e.Code)
	}
	if e.Late {
		l.b = append(l.member("late"), "true"...)
	}
	if e.Event > 0 {
		l.number("event", e.Event)
	}
	if e.Offset >= 0 {
		l.number("offset", e.Offset)
	}
	if e.EventType != "" {
		l.text("type", e.EventType)
	}
}

func (l *Lines) done(e *engine.RunEnd) {
	l.value("done")
	l.text("end", e.Kind.String())
	if e.Result != nil {
		l.b = append(l.member("result"), e.Result...)
	}
	if len(e.PendingToolCallIDs) > 0 {
		l.b = append(l.member("pendingToolCallIds"), '[')
		for i, id := range e.PendingToolCallIDs {
			l.comma(i)
			l.value(id)
		}
		l.b = append(l.b, ']')
	}
	if len(e.Interrupts) > 0 {
		l.b = append(l.member("interrupts"), '[')
		for i := range e.Interrupts {
			l.comma(i)
			l.b = e.Interrupts[i].AppendJSON(l.b)
		}
		l.b = append(l.b, ']')
	}
	if e.Kind == engine.Failed {
		l.text("message", e.Message)
		if e.HasCode {
			l.text("code", e.Code)
		}
	}
	if len(e.Usage) > 0 {
		l.b = append(l.member("usage"), '[')
		for i := range e.Usage {
			l.comma(i)
			l.b = e.Usage[i].AppendJSON(l.b)
		}
		l.b = append(l.b, ']')
	}
}

func (l *Lines) comma(i int) {
	if i > 0 {
		l.b = append(l.b, ',')
	}
}

// member begins a member of the line's object, whose first one is written already.
func (l *Lines) member(name string) []byte {
	l.b = append(l.b, `,"`...)
	l.b = append(l.b, name...)
	return append(l.b, `":`...)
}

func (l *Lines) value(s string) { l.b = decode.AppendQuotedString(l.b, s) }

func (l *Lines) text(name, s string) {
	l.b = l.member(name)
	l.value(s)
}

func (l *Lines) number(name string, n int64) { l.b = strconv.AppendInt(l.member(name), n, 10) }

func (l *Lines) end() {
	l.b = append(l.b, '}', '\n')
	if l.err != nil {
		return
	}
	_, l.err = l.w.Write(l.b)
}
