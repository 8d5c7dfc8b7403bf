package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/aguistream/aguistream/shard"
	"github.com/aguistream/aguistream/state"
)

// errShutdown is why a run that was live at Shutdown failed.
var errShutdown = &plainError{"the engine was shut down", ErrClosed}

// errHalted ends the reading for a stream that takes no more: it closed itself, or its handler did.
var errHalted = errors.New("the stream takes no more")

// insideRun marks the context that a transport is given: its value is the engine whose run it serves.
type insideRun struct{}

// Run makes a request and reads its answer into a stream of its own, keyed by the thread, until its end. It blocks until
// the last byte's updates are delivered, and returns
//
//   - nil when the bytes ended after a run's end, whatever the outcome: RUN_ERROR too is an answer;
//   - the *Error that ended the stream, which the handler has had as well (a truncated run counts among these), or the
//     *PanicError of the handler;
//   - ctx's error when ctx was over first. The body is closed at once; what arrived is delivered, and no Done is made up;
//   - ErrClosed when the engine was shut down. A live run then has a transport error and Done(Failed);
//   - ErrBusy, or a KindConfig error, when the run was refused: nothing was sent, and the handler hears nothing.
//
// Before anything is sent the input is judged (protocol, section 6.3): malformed material refuses it, unrecognised
// material is left out with a warning to opt.Warn (on the caller's goroutine), and so are activity messages and a null
// state; protocolVersion is filled in if absent. Where opt has no Messages the stream is seeded with the input's, where
// it has no State with the input's: what the agent sends builds on these.
//
// At most Config.MaxRuns are live; more wait in line, at most Config.QueueRuns. A run that a transport starts while it
// serves one of the same engine, with the context it was given, doesn't wait in line but is refused, and Run from a
// handler is refused in any case: either could wait for itself.
//
// A live run holds, beside the transport's own and the stream's stores, two goroutines and 4 KiB, or 32 KiB from a piece
// of 16 KiB or more until the next small one. When the stream's mailbox is full nothing is read, so that a sender over
// TCP is slowed down. A transport that panics ends its own run with a KindTransport error; Config.OnPanic is told.
func (e *Engine) Run(ctx context.Context, t Transport, in *RunAgentInput, opt StreamOptions) error {
	if e.set.OnWorker() {
		return configError("Run was called by a handler of the same engine, whose shard it would hold up", ErrFromHandler)
	}
	if t == nil {
		return configError("Run needs a Transport", nil)
	}
	asked, refused := sendable(in, opt.Warn)
	if refused != nil {
		return refused
	}
	if opt.Messages == nil {
		opt.Messages = in.Messages
	}
	if opt.State == nil {
		opt.State = asked.State
	}
	if err := ownSeeds(&opt); err != nil {
		return err
	}
	if err := e.turns.enter(ctx, ctx.Value(insideRun{}) != e); err != nil {
		if errors.Is(err, ErrBusy) {
			e.busy.Add(1)
		}
		return err
	}
	defer e.turns.leave()
	run, halt := context.WithCancelCause(context.WithValue(ctx, insideRun{}, e))
	defer halt(nil)
	s, err := e.open(&Stream{key: in.ThreadID, request: asked, halt: halt}, opt)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	if err := e.readers.Submit(func() { e.read(ctx, run, t, s, done) }); err != nil {
		_ = s.CloseWithError(errShutdown)
		<-s.box.Done()
		return ErrClosed
	}
	return <-done
}

// read is a run's time on its reader: ctx is its caller's, run what the transport is given. It sends one error.
func (e *Engine) read(ctx, run context.Context, t Transport, s *Stream, done chan<- error) {
	unlink := context.AfterFunc(e.serving, func() { s.halt(errShutdown) })
	var failure error
	returned := false
	defer func() {
		if !returned {
			failure = e.readerPanicked(s, recover())
		}
		unlink()
		// Only an error that the context can have caused is put down to it: a body that ended has ended.
		switch {
		case failure == nil:
		case ctx.Err() != nil:
			failure = &stoppedError{ctx.Err()}
		case e.serving.Err() != nil:
			failure = errShutdown
		case errors.Is(context.Cause(run), errHalted):
			failure = nil
		}
		_ = s.CloseWithError(failure)
		<-s.box.Done()
		done <- s.outcome(failure)
	}()
	failure = pump(run, t, s.request, func(p []byte) error {
		_, err := s.box.WriteContext(run, p)
		return s.translate(err)
	})
	returned = true
}

// stopReading wakes a Run whose body may be silent for long. After a clean end the body's own end is near, and worth a
// moment's wait: its connection can be used again then.
func (s *Stream) stopReading(why error) {
	switch {
	case s.halt == nil:
	case errors.Is(why, ErrClosed) && !errors.As(why, new(*PanicError)): // the plain one: a clean end
		time.AfterFunc(drainWait, func() { s.halt(errHalted) })
	default:
		s.halt(errHalted)
	}
}

// readerPanicked is the run's error after its transport panicked, or ended the goroutine.
func (e *Engine) readerPanicked(s *Stream, v any) (err error) {
	if v == nil {
		v = shard.ErrGoexit
	}
	err = &Error{Kind: KindTransport, Offset: -1, Reason: fmt.Sprintf("the transport panicked: %v", v)}
	if e.cfg.OnPanic != nil {
		defer func() { _ = recover() }() // the run has to end
		e.cfg.OnPanic(s, newPanicError(s.key, v, debug.Stack()))
	}
	return err
}

// stoppedError closes a stream whose Run was stopped by its caller: no Done is made up.
type stoppedError struct{ err error }

func (e *stoppedError) Error() string { return "the run was stopped: " + e.err.Error() }
func (e *stoppedError) Unwrap() error { return e.err }

// outcome is what Run returns for a stream that has ended.
func (s *Stream) outcome(failure error) error {
	if errors.Is(failure, errShutdown) {
		return ErrClosed
	}
	return s.why
}

// sendable is the input as it may be sent (protocol, section 6.3), or why it may not.
func sendable(in *RunAgentInput, warn func(Warning)) (*RunAgentInput, *Error) {
	if in == nil {
		return nil, configError("Run needs an input", nil)
	}
	c := *in
	c.Messages = nil
	for i, m := range in.Messages {
		switch {
		case m == nil:
			return nil, configError("malformed input: message "+strconv.Itoa(i)+" is nil", nil)
		case m.Role != state.RoleActivity: // rule 100
			c.Messages = append(c.Messages, m)
		}
	}
	if string(c.State) == "null" {
		c.State = nil
	}
	var tell func(path, what string)
	if warn != nil {
		tell = func(path, what string) { warn(Warning{Text: what, Path: path}) }
	}
	checked, err := enforce(&c, tell)
	if err != nil {
		return nil, err
	}
	if !checked.ProtocolVersion.Present {
		checked.ProtocolVersion = state.Some(ProtocolVersion)
	}
	return checked, nil
}
