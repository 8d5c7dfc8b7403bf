package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// errDrained ends the wait for a body's end.
var errDrained = errors.New("the rest of the body was not waited for")

// drainWait is how long a body is waited for after the run's end, so that its connection can serve the next request.
const drainWait = 20 * time.Millisecond

// IdleError is the cause of the transport error of a stream that was silent for too long. It is a timeout, as net.Error
// has it.
type IdleError struct{ Limit time.Duration }

// Error names the limit.
func (e *IdleError) Error() string {
	return "no byte came for " + e.Limit.String() + " (idle time-out)"
}

// Timeout is true.
func (*IdleError) Timeout() bool { return true }

// Temporary is false: the stream is over.
func (*IdleError) Temporary() bool { return false }

// httpBody is the body of an answer, decoded. Reads come one at a time; Close may come in the midst of one and unblocks
// it.
type httpBody struct {
	wire   wire
	src    io.Reader // the wire, or the decoder over it
	caller context.Context
	ctx    context.Context // the request's: over when any of us wants it to be
	cancel context.CancelCauseFunc
	close  sync.Once
}

func newHTTPBody(caller, ctx context.Context, cancel context.CancelCauseFunc, idle time.Duration) *httpBody {
	b := &httpBody{caller: caller, ctx: ctx, cancel: cancel}
	b.src = &b.wire
	b.wire.watch(idle, cancel)
	return b
}

// Read gives what has come.
func (b *httpBody) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if err != nil {
		b.wire.leave()
		if !errors.Is(err, io.EOF) {
			err = b.translate(err)
		}
	}
	return n, err
}

// Close gives the connection up, or back if the body was read to its end.
func (b *httpBody) Close() error {
	b.close.Do(func() {
		b.wire.leave()
		b.cancel(context.Canceled)
		if b.wire.body != nil {
			_ = b.wire.body.Close() // the run is told by its reads
		}
	})
	return nil
}

// translate finds the reason behind the error of a request that we cancelled.
func (b *httpBody) translate(err error) error {
	if own := b.caller.Err(); own != nil {
		return own
	}
	var idle *IdleError
	if errors.As(context.Cause(b.ctx), &idle) {
		return idle
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutBody
	}
	return err
}

// errCutBody is a body that HTTP or its compression says is not whole.
var errCutBody = &plainError{"the body was cut short", io.ErrUnexpectedEOF}

// drain reads on to the body's end, if that is near, so that the connection can be used again.
func (b *httpBody) drain() {
	late := time.AfterFunc(drainWait, func() { b.cancel(errDrained) })
	defer late.Stop()
	var scrap [512]byte
	for range 8 {
		if _, err := b.wire.Read(scrap[:]); err != nil {
			return
		}
	}
}

// text is the beginning of a body that is no event stream. It closes the body.
func (b *httpBody) text() []byte {
	defer b.Close()
	late := time.AfterFunc(errorBodyWait, func() { b.cancel(errDrained) })
	defer late.Stop()
	buf := make([]byte, errorBodyBytes)
	n, err := io.ReadFull(b, buf)
	if err == nil {
		b.drain()
	}
	return buf[:n]
}

// wire is the body as it comes over the connection, under a watch for silence. The watch costs a read two counts and no
// clock: a timer looks every eighth of the limit whether the same read still waits.
type wire struct {
	body io.ReadCloser
	turn atomic.Uint64 // odd: a read waits

	mu    sync.Mutex
	timer *time.Timer // nil: no limit, or left
	limit time.Duration
	end   context.CancelCauseFunc
	seen  uint64    // the turn at the last look
	since time.Time // of the first look at it
}

// watch begins with the wait for the answer's header.
func (w *wire) watch(limit time.Duration, end context.CancelCauseFunc) {
	w.turn.Store(1)
	if limit <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit, w.end, w.seen, w.since = limit, end, 1, time.Now()
	w.timer = time.AfterFunc(w.step(), w.look)
}

func (w *wire) step() time.Duration { return max(w.limit/8, time.Millisecond) }

func (w *wire) arrived() { w.turn.Store(2) }

func (w *wire) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	turn := w.turn.Load()
	if turn != w.seen || turn&1 == 0 {
		w.seen, w.since = turn, time.Now()
	} else if time.Since(w.since) >= w.limit {
		w.timer = nil
		w.end(&IdleError{w.limit})
		return
	}
	w.timer.Reset(w.step())
}

// leave ends the watch.
func (w *wire) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

func (w *wire) Read(p []byte) (int, error) {
	w.turn.Add(1)
	n, err := w.body.Read(p)
	w.turn.Add(1)
	return n, err
}
