package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// View reads a stream's stores. It, and all that it gives, is valid where it was lent only: inside the function given
// to Stream.View, or inside the handler.
type View struct{ m *machine }

// emptyView is of a stream to which nothing has come.
func emptyView() View {
	m, _ := newMachine(&Pool{plain: true}, StreamOptions{}, nil) // only seeds can be wrong
	return View{m}
}

// Messages are all messages but reasoning, in order of arrival.
func (v View) Messages() []*Message { return v.m.store.Messages() }

// Reasoning are the reasoning messages, in order of arrival.
func (v View) Reasoning() []*Message { return v.m.store.Reasoning() }

// Conversation is messages and reasoning together, in order of arrival.
func (v View) Conversation() []*Message { return v.m.store.Conversation() }

// Message finds a message (reasoning too) by its id; nil when none is held.
func (v View) Message(id string) *Message { return v.m.store.Find([]byte(id)) }

// State is the state; it is {} until something sets it.
func (v View) State() Raw { return v.m.doc }

// Subagents are all invocations announced so far, across runs.
func (v View) Subagents() []*Subagent { return v.m.subs.List() }

// Subagent finds an invocation by its id; nil when it was not announced.
func (v View) Subagent(id string) *Subagent {
	_, a := v.m.subs.Find([]byte(id))
	return a
}

// Interrupts are those of the last run, if it was interrupted; the next RUN_STARTED clears them.
func (v View) Interrupts() []Interrupt { return v.m.interrupts }

// ThreadID is that of the last RUN_STARTED.
func (v View) ThreadID() string { return v.m.threadID }

// RunID is that of the last RUN_STARTED.
func (v View) RunID() string { return v.m.runID }

// Running tells whether a run is open. A stream that an error closed has none.
func (v View) Running() bool { return v.m.phase == running && !v.m.closed }

// LastEnd is how the last run ended; ok is false while none has. A late RUN_ERROR turns it to Failed (rule 6).
func (v View) LastEnd() (end RunEnd, ok bool) { return v.m.lastEnd, v.m.ended }

// Counts are the stream's own figures.
func (v View) Counts() Counts { return v.m.counts }

// AppendJSON appends the stores as one JSON object: threadId, runId, messages, reasoning, conversation, state,
// interrupts, subagents, each in wire form.
func (v View) AppendJSON(dst []byte) []byte {
	m := v.m
	dst = decode.AppendQuotedString(append(dst, `{"threadId":`...), m.threadID)
	dst = decode.AppendQuotedString(append(dst, `,"runId":`...), m.runID)
	dst = state.AppendMessages(append(dst, `,"messages":`...), m.store.Messages())
	dst = state.AppendMessages(append(dst, `,"reasoning":`...), m.store.Reasoning())
	dst = state.AppendMessages(append(dst, `,"conversation":`...), m.store.Conversation())
	dst = m.doc.AppendJSON(append(dst, `,"state":`...))
	dst = append(dst, `,"interrupts":[`...)
	for i := range m.interrupts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.interrupts[i].AppendJSON(dst)
	}
	dst = append(dst, `],"subagents":[`...)
	for i, a := range m.subs.List() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.AppendJSON(dst)
	}
	return append(dst, "]}"...)
}
