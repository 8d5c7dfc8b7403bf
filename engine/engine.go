package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/panjf2000/ants/v2"

	"github.com/aguistream/aguistream/shard"
	"github.com/aguistream/aguistream/state"
)

// Config shapes an Engine. The zero value of every field works, but for Handler.
type Config struct {
	// Handler receives the updates of every stream, each on its shard's goroutine. It must not wait for another stream
	// of the engine: writing into one from it never blocks, but returns ErrFull when that one is full.
	Handler Handler
	// Shards is the number of workers; 0 is GOMAXPROCS.
	Shards int
	// MailboxBytes bounds what waits in one stream's mailbox; 0 is 1 MiB.
	MailboxBytes int
	// Readers bounds the runs that Run reads at one time; 0 is 10,000. A Run beyond that waits for its turn.
	Readers int
	// OnPanic, if set, is told of a panic in a handler or a hook; the stream has ended by it, and its writes return
	// the same error.
	OnPanic func(s *Stream, err *PanicError)
}

// PanicError is what a stream answers after a panic in its handler or hooks ended it. It names the stream and the
// panic's value.
type PanicError = shard.PanicError

// Engine runs very many streams on a few shards. A stream belongs to one shard for life, so its events keep their order
// and its stores need no lock. Its methods may be called from any goroutine.
type Engine struct {
	cfg     Config
	set     *shard.Set
	pools   []state.Pool // one a shard, used on its goroutine only
	readers *ants.Pool

	mu      sync.Mutex
	live    map[*shard.Mailbox]*Stream
	closing bool
	runs    sync.WaitGroup
}

// New starts an engine. Only Shutdown releases it.
func New(cfg Config) (*Engine, error) {
	if cfg.Handler == nil {
		return nil, &Error{Kind: KindConfig, Offset: -1, Reason: "an Engine needs a Handler"}
	}
	if cfg.Readers <= 0 {
		cfg.Readers = 10_000
	}
	e := &Engine{cfg: cfg, live: map[*shard.Mailbox]*Stream{}}
	readers, err := ants.NewPool(cfg.Readers, ants.WithDisablePurge(true))
	if err != nil {
		return nil, &Error{Kind: KindConfig, Offset: -1, Reason: "reader pool: " + err.Error(), Err: err}
	}
	e.readers = readers
	e.set = shard.New(shard.Config{Workers: cfg.Shards, MailboxBytes: cfg.MailboxBytes, Panic: e.panicked})
	e.pools = make([]state.Pool, e.set.Workers())
	return e, nil
}

func (e *Engine) panicked(box *shard.Mailbox, v any, stack []byte) {
	if e.cfg.OnPanic == nil {
		return
	}
	e.mu.Lock()
	s := e.live[box]
	e.mu.Unlock()
	if s != nil {
		e.cfg.OnPanic(s, &PanicError{Key: s.key, Value: v, Stack: stack})
	}
}

// Open makes a stream. The key (a thread id, say) chooses its shard; it need not be unique. The stream lives until it
// is closed or the engine is shut down.
func (e *Engine) Open(key string, opt StreamOptions) (*Stream, error) {
	if len(opt.Messages) > 0 || opt.State != nil {
		// Seeds are judged here, where the caller hears of it; the stream's own stores are made on its shard.
		if _, err := newMachine(nil, opt, func(Update) {}); err != nil {
			return nil, err
		}
	}
	s := &Stream{key: key, eng: e}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return nil, ErrClosed
	}
	box, err := e.set.Open(key, func(worker int) shard.Receiver { return e.receiver(s, opt, worker) })
	if err != nil {
		return nil, s.translate(err)
	}
	s.box = box
	e.live[box] = s
	return s, nil
}

// receiver makes the stream's machine, on its shard.
func (e *Engine) receiver(s *Stream, opt StreamOptions, worker int) shard.Receiver {
	h := e.cfg.Handler
	m, err := newMachine(&e.pools[worker], opt, func(u Update) { h.HandleUpdate(s, u) })
	if err != nil {
		panic(err) // Open has judged the same seeds
	}
	s.m = m
	return &receiver{s}
}

// receiver feeds a machine from a mailbox.
type receiver struct{ s *Stream }

func (r *receiver) Receive(p []byte) {
	if err := r.s.m.write(p); err != nil {
		r.s.box.Fail(err)
	}
}

func (r *receiver) End(err error) {
	s := r.s
	defer s.eng.forget(s)
	var p *PanicError
	switch {
	case errors.As(err, &p):
		// The handler is broken: it is not called again.
	case errors.Is(err, shard.ErrShutdown) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		if s.m.phase == running {
			s.m.abort(err)
		}
	default:
		s.m.closeBytes(err)
	}
	s.m.release()
}

func (e *Engine) forget(s *Stream) {
	e.mu.Lock()
	delete(e.live, s.box)
	e.mu.Unlock()
}

// Run makes a request and reads its answer into a stream of its own, keyed by the thread, until its end: it returns nil
// when the bytes ended, whatever the run's outcome (the handler has seen that), or what kept the request from being
// answered or its body from being read. Cancelling ctx closes the body.
func (e *Engine) Run(ctx context.Context, t Transport, in *RunAgentInput, opt StreamOptions) error {
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return ErrClosed
	}
	e.runs.Add(1)
	e.mu.Unlock()
	defer e.runs.Done()
	done := make(chan error, 1)
	if err := e.readers.Submit(func() { done <- e.read(ctx, t, in, opt) }); err != nil {
		return ErrClosed
	}
	return <-done
}

func (e *Engine) read(ctx context.Context, t Transport, in *RunAgentInput, opt StreamOptions) (err error) {
	s, err := e.Open(in.ThreadID, opt)
	if err != nil {
		return err
	}
	defer func() {
		if v := recover(); v != nil { // a transport's panic hurts its own run only
			err = &PanicError{Key: s.key, Value: v}
		}
		_ = s.CloseWithError(err)
		<-s.box.Done()
	}()
	return pump(ctx, t, in, func(p []byte) error {
		_, err := s.box.WriteContext(ctx, p)
		return s.translate(err)
	})
}

// Shutdown takes no more streams and bytes, lets the queued work be done, ends every stream (an open run fails with a
// transport error) and stops the shards. When it returns, nothing of the engine lives on. When ctx is over first, what
// is left is dropped and the context's error returned.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	err := e.set.Shutdown(ctx)
	e.runs.Wait()
	e.readers.Release()
	return err
}

// Stats are an engine's figures at a glance; taking them stops nothing.
type Stats struct {
	Streams int // open
	Shards  shard.Stats
}

// Stats returns the engine's figures.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	n := len(e.live)
	e.mu.Unlock()
	return Stats{Streams: n, Shards: e.set.Stats()}
}

// translate turns the shard's errors into this package's.
func (s *Stream) translate(err error) error {
	if err == nil {
		return nil // every write comes by here: what errors.As needs is on the heap
	}
	var p *PanicError
	switch {
	case errors.As(err, &p):
		return err
	case errors.Is(err, shard.ErrFull):
		return ErrFull
	case errors.Is(err, shard.ErrClosed):
		return ErrClosed
	}
	return err
}
