package engine

import (
	"context"
	"errors"

	"github.com/aguistream/aguistream/shard"
)

// Handler receives a stream's updates, in order. It runs on the stream's goroutine: on the caller's for a Stream made
// by NewStream, on the shard's for one that an Engine opened. What it is lent is valid until it returns.
type Handler interface {
	// HandleUpdate takes one update of a stream; updates of one stream never come two at a time.
	HandleUpdate(s *Stream, u Update)
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(s *Stream, u Update)

// EndHandler is a Handler that wants to hear of a stream's end as well, to let go of what it keeps for the stream.
type EndHandler interface {
	Handler
	// HandleEnd is called once for every stream that was made, where HandleUpdate is, as the last thing: after its close
	// (whether its bytes ended well or an error had closed it before), after the end of its Run, be it cancelled, after
	// Shutdown, and after a panic. err is what Stream.Err gives from then on. The stores can be read yet (HandlerView), but
	// for those of a stream that panicked, which are empty. A panic of its own ends nothing else; Config.OnPanic is told.
	HandleEnd(s *Stream, err error)
}

// HandleUpdate calls f.
func (f HandlerFunc) HandleUpdate(s *Stream, u Update) { f(s, u) }

// Stream takes the bytes of one event stream, cut anywhere, and gives updates to its handler. It may carry several runs
// one after another; its stores live on between them.
//
// A Stream made by NewStream works on the caller's goroutine and is not safe for concurrent use. One opened by an
// Engine works on its shard; its methods may be called from any goroutine, those of a handler included.
type Stream struct {
	key  string
	data any
	m    *machine // nil once it is over and its stores are given back
	h    Handler
	box  *shard.Mailbox // nil: on the caller's goroutine
	eng  *Engine

	// Of a stream that Run reads; nil for one that was opened.
	request *RunAgentInput
	halt    context.CancelCauseFunc

	ending bool          // the end of the bytes is being worked on
	told   bool          // of the end
	why    error         // what Err gives; of a stream on a shard valid after the box is done
	done   chan struct{} // of a stream on the caller's goroutine, for those who asked
}

// NewStream makes a stream that works on the caller's goroutine. The error is a KindConfig for no handler, and for seeds
// that are no use.
func NewStream(h Handler, opt StreamOptions) (*Stream, error) {
	if h = firstHandler(h, opt.Handler); h == nil {
		return nil, configError("a Stream needs a Handler", nil)
	}
	pool := opt.Pool
	if pool == nil {
		pool = &Pool{plain: true}
	}
	s := &Stream{h: h, data: opt.Data}
	m, err := newMachine(pool, opt, s)
	if err != nil {
		return nil, err
	}
	s.m = m
	return s, nil
}

// firstHandler is the first that is one; a nil HandlerFunc is none.
func firstHandler(list ...Handler) Handler {
	for _, h := range list {
		if f, ok := h.(HandlerFunc); h != nil && (!ok || f != nil) {
			return h
		}
	}
	return nil
}

// deliver hands an update to the handler.
func (s *Stream) deliver(u Update) {
	s.m.counts.Updates++
	s.h.HandleUpdate(s, u)
}

// Key is the key that the stream was opened with; empty for one made by NewStream.
func (s *Stream) Key() string { return s.key }

// Data is what StreamOptions.Data gave.
func (s *Stream) Data() any { return s.data }

// Write takes the next bytes; they may be cut anywhere and are not kept. On the caller's goroutine it returns when their
// updates are delivered. On a shard it returns when they are queued, and waits while the mailbox has no room for all of
// them; bytes larger than the mailbox go in as there is room. A handler of the engine can't wait: from one, what doesn't
// fit is refused whole with ErrFull, or ErrTooLarge where it never will.
//
// A stream that an error closed ignores what follows, and Write returns that error; after Close, or Shutdown, it returns
// ErrClosed, after a panic the *PanicError. With an error from a shard n is the number of bytes taken before.
func (s *Stream) Write(p []byte) (int, error) {
	if s.box == nil {
		return s.writeHere(p)
	}
	n, err := s.box.Write(p)
	return n, s.refused(err, len(p))
}

// WriteContext is Write that waits no longer than ctx lasts; it returns ctx's error then, and what was taken, which is
// nothing unless p is larger than the mailbox. ctx is not looked at while there is room.
func (s *Stream) WriteContext(ctx context.Context, p []byte) (int, error) {
	if s.box == nil {
		return s.writeHere(p)
	}
	n, err := s.box.WriteContext(ctx, p)
	return n, s.refused(err, len(p))
}

// TryWrite is Write that does not wait: where the mailbox has no room for all of p, or other writers wait for it, nothing
// is taken and the error is ErrFull, or ErrTooLarge when p is larger than Config.MailboxBytes and would never fit. On the
// caller's goroutine it is Write.
func (s *Stream) TryWrite(p []byte) (int, error) {
	if s.box == nil {
		return s.writeHere(p)
	}
	n, err := s.box.TryWrite(p)
	return n, s.refused(err, len(p))
}

// Close is the end of the bytes. A run that is still open fails as truncated (semantics, section 4). It doesn't wait for
// a shard: Done does.
func (s *Stream) Close() error { return s.CloseWithError(nil) }

// CloseWithError is the end of the bytes by a broken transport: an open run fails with a KindTransport error that wraps
// err, or with err itself if it is an *Error (of a kind that there is). A nil err is Close. Of several closes the first
// counts; the error is ErrReentrant or nil.
func (s *Stream) CloseWithError(err error) error {
	if s.box == nil {
		return s.closeHere(err)
	}
	closed := s.translate(s.box.CloseWithError(err))
	s.stopReading(nil)
	return closed
}

// Done is closed when the stream is over: closed, and its last update delivered, its end hook returned. An error that
// closed it to further bytes is not its end: its stores stand until it is closed.
func (s *Stream) Done() <-chan struct{} {
	if s.box != nil {
		return s.box.Done()
	}
	if s.done == nil {
		s.done = make(chan struct{})
		if s.told {
			close(s.done)
		}
	}
	return s.done
}

// Err is why the stream ended: nil for a clean end (and while it is not over), the *Error that closed it, the *PanicError
// of its handler, ctx's error for a Run that its caller stopped, ErrClosed where Shutdown closed it between two runs, or
// Release came before Close.
func (s *Stream) Err() error {
	if s.box != nil {
		select {
		case <-s.box.Done():
		default:
			return nil
		}
	}
	return s.why
}

// View calls f with the stores, consistently: between two events, after all bytes written before. On a shard it waits
// until f has run, or ctx is over; from a handler of the same shard f runs at once, from one of another shard, which would
// have to wait, View returns ErrFromHandler. After the stream's end (one made by NewStream: after Release) it returns
// ErrClosed, after a panic the *PanicError.
func (s *Stream) View(ctx context.Context, f func(View)) error {
	if s.box == nil {
		if s.m == nil {
			return ErrClosed
		}
		f(View{s.m})
		return nil
	}
	gone := false
	err := s.box.Do(ctx, func() {
		if gone = s.m == nil; !gone {
			f(View{s.m})
		}
	})
	switch {
	case errors.Is(err, shard.ErrSelf):
		return ErrFromHandler
	case gone: // asked by the end hook, after a panic
		return ErrClosed
	}
	return s.translate(err)
}

// HandlerView is View for the stream's own handler and hooks, without the detour: call it nowhere else, and keep the view
// no longer than View's. Where the stream has no stores any more (HandleEnd after a panic) it is empty. Builds with the
// race detector, or with the tag aguipoison, panic when it is called from elsewhere.
func (s *Stream) HandlerView() View {
	if poisoned && !s.told && (s.m == nil || !s.m.busy) {
		panic("aguistream: HandlerView was called outside of the stream's handler")
	}
	if s.m == nil {
		return emptyView()
	}
	return View{s.m}
}
