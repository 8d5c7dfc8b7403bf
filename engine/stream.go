package engine

import (
	"context"

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

// HandleUpdate calls f.
func (f HandlerFunc) HandleUpdate(s *Stream, u Update) { f(s, u) }

// Stream takes the bytes of one event stream, cut anywhere, and gives updates to its handler. It may carry several runs
// one after another; its stores live on between them.
//
// A Stream made by NewStream works on the caller's goroutine and is not safe for concurrent use. One opened by an
// Engine works on its shard; its methods may be called from any goroutine.
type Stream struct {
	key string
	m   *machine
	h   Handler
	box *shard.Mailbox // nil: on the caller's goroutine
	eng *Engine

	// Of a stream that Run reads; nil for one that was opened.
	request *RunAgentInput
	halt    context.CancelCauseFunc

	ended error // *Error or *PanicError: what ended it before its bytes did. Set on the shard, valid after the box is done
}

// NewStream makes a stream that works on the caller's goroutine. The error is a KindConfig for seeds that are no use.
func NewStream(h Handler, opt StreamOptions) (*Stream, error) {
	pool := opt.Pool
	if pool == nil {
		pool = &Pool{plain: true}
	}
	s := &Stream{h: h}
	m, err := newMachine(pool, opt, s)
	if err != nil {
		return nil, err
	}
	s.m = m
	return s, nil
}

// deliver hands an update to the handler.
func (s *Stream) deliver(u Update) { s.h.HandleUpdate(s, u) }

// Release hands the stores of a stream that was made by NewStream to its pool, for the next stream to use: nothing of the
// stream may be used afterwards, nor anything that it lent. A stream that is never released costs the next one a few
// allocations, no more. One that an Engine opened is released by its end.
func (s *Stream) Release() {
	if s.box != nil || s.m == nil {
		return
	}
	s.m.pool.put(s.m)
	s.m = nil
}

// Key is the key that the stream was opened with; empty for one made by NewStream.
func (s *Stream) Key() string { return s.key }

// Write takes the next bytes; they may be cut anywhere and are not kept. On the caller's goroutine it returns when
// their updates are delivered; on a shard it returns when they are queued, and waits while the mailbox is full.
//
// A stream that an error closed ignores what follows, and Write returns that error; after Close it returns ErrClosed.
func (s *Stream) Write(p []byte) (int, error) {
	if s.box == nil {
		if err := s.m.write(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	n, err := s.box.Write(p)
	return n, s.translate(err)
}

// TryWrite is Write that does not wait: when the mailbox has no room for all of p it takes nothing and returns ErrFull.
func (s *Stream) TryWrite(p []byte) (int, error) {
	if s.box == nil {
		return s.Write(p)
	}
	n, err := s.box.TryWrite(p)
	return n, s.translate(err)
}

// Close is the end of the bytes. A run that is still open fails as truncated (semantics, section 4).
func (s *Stream) Close() error { return s.CloseWithError(nil) }

// CloseWithError is the end of the bytes by a broken transport: an open run fails with a KindTransport error that wraps
// err, or with err itself if it is an *Error. A nil err is Close.
func (s *Stream) CloseWithError(err error) error {
	if s.box != nil {
		closed := s.translate(s.box.CloseWithError(err))
		s.stopReading(nil)
		return closed
	}
	s.m.closeBytes(err)
	return nil
}

// View calls f with the stores, consistently: between two events, after all bytes written before. On a shard it waits
// until f has run, or ctx is over; from the stream's own handler f runs at once. After the stream's end it returns
// ErrClosed.
func (s *Stream) View(ctx context.Context, f func(View)) error {
	if s.box == nil {
		f(View{s.m})
		return nil
	}
	return s.translate(s.box.Do(ctx, func() { f(View{s.m}) }))
}

// Local is the view for the stream's handler, without a detour: call it nowhere else.
func (s *Stream) Local() View { return View{s.m} }
