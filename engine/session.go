package engine

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strconv"

	"github.com/bytedance/sonic"

	"github.com/aguistream/aguistream/state"
)

// Session is one conversation: it makes the requests, folds the answers, and holds messages, state, reasoning,
// interrupts and subagents between the runs. S is the application's type for the state; Raw keeps it as it is.
//
// Each method that starts a run returns its updates as an iterator that is good for one loop; a second one over it is refused. The run is made inside the
// loop, on the caller's goroutine; breaking out of it, or cancelling the context, closes the transport's body, makes up
// no Done and leaves the session usable. A loop that is not broken ends with exactly one Done.
//
// A Session is not safe for concurrent use: one run at a time.
type Session[S any] struct {
	m        *machine
	t        Transport
	threadID string
	cfg      sessionConfig
	typed    bool // S is not Raw
	state    S
	broken   *Error // seeds that are no use

	active bool
	yield  func(Update) bool
	up     StateUpdate[S]
	buf    []byte
}

// NewSession makes a session on a thread. What is wrong with its seeds, or a missing transport, is told by its runs, each
// of which is refused with a KindConfig error.
func NewSession[S any](t Transport, threadID string, opts ...SessionOption) *Session[S] {
	s := &Session[S]{t: t, threadID: threadID}
	for _, o := range opts {
		if o != nil {
			o(&s.cfg)
		}
	}
	if s.cfg.mint == nil {
		s.cfg.mint = randomID
	}
	s.cfg.stream.StopAtDone = true
	if t == nil {
		s.broken = configError("a Session needs a Transport", nil)
	}
	pool := &Pool{plain: true}
	m, err := newMachine(pool, s.cfg.stream, s)
	if err != nil {
		errors.As(err, &s.broken)
		empty := s.cfg.stream
		empty.Messages, empty.State = nil, nil
		m, _ = newMachine(pool, empty, s)
	}
	s.m = m
	if _, isRaw := any(s.state).(Raw); isRaw {
		s.state = any(m.doc).(S)
		return s
	}
	s.typed = true
	if s.cfg.stream.State != nil && s.broken == nil {
		if err := s.decodeState(); err != nil {
			s.broken = configError("seed state: "+err.Error(), err)
		}
	}
	return s
}

// ThreadID is the thread's id, as given to NewSession.
func (s *Session[S]) ThreadID() string { return s.threadID }

// Messages are all messages but reasoning, in order of arrival, what was sent included. The slice and the messages
// belong to the session: valid until its next run.
func (s *Session[S]) Messages() []*Message { return s.m.store.Messages() }

// Reasoning are the reasoning messages, lent like Messages.
func (s *Session[S]) Reasoning() []*Message { return s.m.store.Reasoning() }

// Conversation is messages and reasoning together in order of arrival, lent like Messages.
func (s *Session[S]) Conversation() []*Message { return s.m.store.Conversation() }

// State is the state in the caller's type: the last that decoded.
func (s *Session[S]) State() S { return s.state }

// RawState is the state as it is held.
func (s *Session[S]) RawState() Raw { return s.m.doc }

// Interrupts are those of the last run, if it was interrupted; they stand until a next run has started.
func (s *Session[S]) Interrupts() []Interrupt { return s.m.interrupts }

// Subagents are all invocations announced so far, across runs, in order of announcement.
func (s *Session[S]) Subagents() []*Subagent { return s.m.subs.List() }

// Subagent finds an invocation by the id that messages carry; nil when it was not announced.
func (s *Session[S]) Subagent(id string) *Subagent {
	_, a := s.m.subs.Find([]byte(id))
	return a
}

// View gives all stores at once.
func (s *Session[S]) View() View { return View{s.m} }

// Send adds a user message and runs the agent.
func (s *Session[S]) Send(ctx context.Context, text string, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) { // the id is minted in the loop, among those held then
		msg := &Message{Role: state.RoleUser}
		msg.SetText(text)
		s.run(ctx, msg, opts, yield)
	})
}

// SendMessage adds a message of any kind (an empty id gets a random one) and runs the agent. The message is copied.
func (s *Session[S]) SendMessage(ctx context.Context, msg *Message, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) {
		if msg == nil {
			s.refuse(configError("a nil message", nil), yield)
			return
		}
		s.run(ctx, msg, opts, yield)
	})
}

// Add adds a message without running the agent: the answers to several tool calls, say, before Run. The message is
// copied; the error is a KindConfig, and nothing has changed then.
func (s *Session[S]) Add(msg *Message) error {
	if s.active {
		return configError("a run is in progress", nil)
	}
	if msg == nil {
		return configError("a nil message", nil)
	}
	if _, err := s.add(msg); err != nil {
		return err
	}
	return nil
}

// Run runs the agent on the conversation as it is.
func (s *Session[S]) Run(ctx context.Context, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) { s.run(ctx, nil, opts, yield) })
}

// Resume answers the one pending interrupt and runs the agent. The payload is JSON, or anything that encodes as JSON;
// nil sends none.
func (s *Session[S]) Resume(ctx context.Context, interruptID string, payload any, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) {
		raw, err := encodePayload(payload)
		if err != nil {
			s.refuse(configError("resume payload: "+err.Error(), err), yield)
			return
		}
		s.run(ctx, nil, resuming(opts, ResumeEntry{InterruptID: interruptID, Status: state.ResumeResolved, Payload: raw}), yield)
	})
}

// Cancel declines the one pending interrupt and runs the agent. (A run is cancelled through its context.)
func (s *Session[S]) Cancel(ctx context.Context, interruptID string, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) {
		s.run(ctx, nil, resuming(opts, ResumeEntry{InterruptID: interruptID, Status: state.ResumeCancelled}), yield)
	})
}

// ResumeMany answers all pending interrupts, an entry each (rule 127), and runs the agent.
func (s *Session[S]) ResumeMany(ctx context.Context, entries []ResumeEntry, opts ...RunOption) iter.Seq[Update] {
	return s.once(func(yield func(Update) bool) { s.run(ctx, nil, resuming(opts, entries...), yield) })
}

// once has the run made in the first loop over its updates; a second one is refused, where it would send again.
func (s *Session[S]) once(run func(yield func(Update) bool)) iter.Seq[Update] {
	looped := false
	return func(yield func(Update) bool) {
		if looped {
			s.refuse(configError("the updates of one run were looped over twice", nil), yield)
			return
		}
		looped = true
		run(yield)
	}
}

func resuming(opts []RunOption, entries ...ResumeEntry) []RunOption {
	return append(opts[:len(opts):len(opts)], func(c *runConfig) { c.resume = append(c.resume, entries...) })
}

func encodePayload(payload any) (JSON, error) {
	switch p := payload.(type) {
	case nil:
		return nil, nil
	case JSON:
		return p, nil
	case json.RawMessage:
		return JSON(p), nil
	}
	b, err := sonic.ConfigStd.Marshal(payload)
	return b, err
}

// refuse tells that a request was not made.
func (s *Session[S]) refuse(err *Error, yield func(Update) bool) {
	if yield(&ErrorUpdate{Err: err}) {
		yield(&Done{End: RunEnd{Kind: Failed, Message: err.Error(), Err: err}})
	}
}

// run makes one request and reads its answer up to the run's end.
func (s *Session[S]) run(ctx context.Context, msg *Message, opts []RunOption, yield func(Update) bool) {
	if s.active {
		s.refuse(configError("a run is in progress", nil), yield)
		return
	}
	in, err := s.request(msg, opts)
	if err != nil {
		s.refuse(err, yield)
		return
	}
	s.active, s.yield = true, yield
	s.m.restart(in)
	defer func() { s.active, s.yield = false, nil }()
	failure := pump(ctx, s.t, in, func(p []byte) error {
		closed := s.m.write(p)
		if s.m.stopped {
			return errBroken
		}
		return closed
	})
	switch {
	case s.m.stopped || ctx.Err() != nil && !s.m.closed:
		s.m.store.Flush() // the caller stopped: what arrived stays, no Done is made up
	case !s.m.closed:
		s.m.closeBytes(failure)
	}
}

// errBroken ends the reading when the caller's loop was broken.
var errBroken = errors.New("the loop was broken")

// deliver hands an update on to the caller's loop, the state in the caller's type.
func (s *Session[S]) deliver(u Update) {
	if _, ok := u.(*StateUpdate[Raw]); ok {
		if s.typed {
			if err := s.decodeState(); err != nil {
				e := s.m.errorHere(KindState, err.Error())
				e.Err = err
				s.m.report(e)
				return
			}
		}
		s.up.State = s.state
		u = &s.up
	}
	if s.m.stopped {
		return
	}
	s.m.counts.Updates++
	s.m.stopped = !s.yield(u)
}

// decodeState decodes the document into the caller's type; the typed state keeps its last good value on an error.
func (s *Session[S]) decodeState() error {
	s.buf = s.m.doc.AppendJSON(s.buf[:0])
	var v S
	if err := sonic.ConfigStd.Unmarshal(s.buf, &v); err != nil {
		return errors.New("the state does not decode into " + typeName[S]() + ": " + firstLine(err.Error()))
	}
	s.state = v
	return nil
}

// restart readies the machine for the next body. The stores live on.
func (m *machine) restart(in *RunAgentInput) {
	m.request = in
	m.framer.Reset()
	m.short.forget()
	m.num, m.phase, m.closed, m.closeErr, m.stopped = 0, idle, false, nil, false
	m.started, m.ended = false, false
	m.rules.reset()
	m.lanes.reset()
	m.think.reset()
}

func firstLine(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// mintID asks for an id that the thread doesn't hold.
func (s *Session[S]) mintID(kind string) (string, *Error) {
	for range 100 {
		if id := s.cfg.mint(kind); s.m.store.Find([]byte(id)) == nil {
			return id, nil
		}
	}
	return "", configError("no free "+strconv.Quote(kind)+" id in 100 tries", nil)
}
