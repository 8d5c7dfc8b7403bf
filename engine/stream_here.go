package engine

import (
	"errors"
	"runtime/debug"
)

// This file is the Stream on its caller's goroutine.

// enter claims the desk; the error says that it can't be had.
func (s *Stream) enter() (*machine, error) {
	switch {
	case s.m == nil:
		return nil, ErrClosed
	case s.m.busy:
		return nil, ErrReentrant
	}
	return s.m, nil
}

// leave, deferred, gives the desk back. What didn't return panicked, or its goroutine is ending.
func (s *Stream) leave(m *machine, returned *bool) {
	m.busy = false
	if !*returned {
		s.panickedHere(recover())
	}
}

func (s *Stream) writeHere(p []byte) (int, error) {
	m, err := s.enter()
	if err != nil {
		return 0, err
	}
	if !m.closed && m.framer.Hold(p) { // a byte inside a line makes nothing happen, and costs no more than its place
		return len(p), nil
	}
	returned := false
	m.busy = true
	defer s.leave(m, &returned)
	err = m.write(p)
	returned = true
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *Stream) closeHere(cause error) error {
	m, err := s.enter()
	if err != nil {
		return ignoreClosed(err)
	}
	returned := false
	m.busy = true
	defer s.leave(m, &returned)
	m.closeBytes(cause)
	s.over(m.failure())
	returned = true
	return nil
}

// Release hands the stores of a stream that was made by NewStream to its pool, for the next stream to use: nothing of the
// stream may be used afterwards, nor anything that it lent. A stream that was not closed ends by it, without a Done. One
// that is never released costs the next one a few allocations, no more; one that an Engine opened is released by its end.
// The error is ErrReentrant or nil.
func (s *Stream) Release() error {
	if s.box != nil {
		return nil
	}
	m, err := s.enter()
	if err != nil {
		return ignoreClosed(err)
	}
	returned := false
	m.busy = true
	defer s.leave(m, &returned)
	s.over(ErrClosed)
	returned = true
	s.m = nil
	if !errors.As(s.why, new(*PanicError)) { // what panicked may be half done
		m.pool.put(m)
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, ErrClosed) && !errors.As(err, new(*PanicError)) {
		return nil
	}
	return err
}

// panickedHere ends a stream whose handler or hook panicked, and lets the caller have the panic. v is nil when there is
// none: the goroutine is ending.
func (s *Stream) panickedHere(v any) {
	p := newPanicError(s.key, v, debug.Stack())
	s.m.closed, s.m.closeErr = true, p
	if s.told {
		s.why = p
	}
	s.over(p)
	if v != nil {
		panic(v)
	}
}

// over tells of the end, once. The handler may be told of it by this alone.
func (s *Stream) over(why error) {
	if s.told {
		return
	}
	s.told, s.why = true, why
	if s.done != nil {
		defer close(s.done)
	}
	if h, ok := s.h.(EndHandler); ok {
		h.HandleEnd(s, why)
	}
}

// failure is the error that closed the stream, if one did.
func (m *machine) failure() error {
	if m.closeErr == nil || m.closeErr == ErrClosed { //nolint:errorlint // how nearly all end; As would allocate
		return nil
	}
	if errors.As(m.closeErr, new(*Error)) || errors.As(m.closeErr, new(*PanicError)) {
		return m.closeErr
	}
	return nil
}
