package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/panjf2000/ants/v2"

	"github.com/aguistream/aguistream/shard"
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
	// MaxRuns bounds the runs that are live by Run at one time; 0 is 10,000.
	MaxRuns int
	// QueueRuns bounds the calls of Run that wait, first come, first served, while MaxRuns are live; 0 is 10,000, a
	// negative value has none wait. A Run beyond both returns ErrBusy.
	QueueRuns int
	// OnPanic, if set, is told of a panic in a handler or a hook, on the stream's shard; the stream has ended by it, and
	// its writes return the same error. It is told of one in the transport of a Run too, on that run's reader.
	OnPanic func(s *Stream, err *PanicError)
}

// PanicError is what a stream answers after a panic in its handler or hooks ended it. It names the stream and the
// panic's value.
type PanicError = shard.PanicError

// Defaults of Config.
const (
	DefaultMaxRuns   = 10_000
	DefaultQueueRuns = 10_000
)

// Engine runs very many streams on a few shards. A stream belongs to one shard for life, so its events keep their order
// and its stores need no lock. Its methods may be called from any goroutine.
type Engine struct {
	cfg     Config
	set     *shard.Set
	pools   []Pool // one a shard, used on its goroutine only
	readers *ants.Pool
	turns   *turns
	serving context.Context // over at Shutdown
	stop    context.CancelFunc
	release sync.Once
	left    error // what releasing found left behind

	mu      sync.Mutex
	live    map[*shard.Mailbox]*Stream
	closing bool
}

const (
	readerRest = time.Second     // a reader's goroutine that had nothing to do for so long ends
	obeyWait   = 5 * time.Second // what transports have, after Shutdown cancelled their contexts
)

// New starts an engine. Only Shutdown releases it.
func New(cfg Config) (*Engine, error) {
	if cfg.Handler == nil {
		return nil, &Error{Kind: KindConfig, Offset: -1, Reason: "an Engine needs a Handler"}
	}
	cfg.MaxRuns = or(cfg.MaxRuns, DefaultMaxRuns)
	if cfg.QueueRuns == 0 {
		cfg.QueueRuns = DefaultQueueRuns
	}
	e := &Engine{cfg: cfg, live: map[*shard.Mailbox]*Stream{}, turns: newTurns(cfg.MaxRuns, cfg.QueueRuns)}
	e.serving, e.stop = context.WithCancel(context.Background())
	// Never more tasks than turns are given, so none waits in the pool, whose line has no order.
	readers, err := ants.NewPool(cfg.MaxRuns, ants.WithExpiryDuration(readerRest))
	if err != nil {
		return nil, &Error{Kind: KindConfig, Offset: -1, Reason: "reader pool: " + err.Error(), Err: err}
	}
	e.readers = readers
	e.set = shard.New(shard.Config{Workers: cfg.Shards, MailboxBytes: cfg.MailboxBytes, Panic: e.panicked})
	e.pools = make([]Pool, e.set.Workers())
	return e, nil
}

// panicked is called on the shard. The receiver's End may not come after it, or is what panicked.
func (e *Engine) panicked(box *shard.Mailbox, v any, stack []byte) {
	e.mu.Lock()
	s := e.live[box]
	delete(e.live, box)
	e.mu.Unlock()
	if s == nil {
		return
	}
	p := &PanicError{Key: s.key, Value: v, Stack: stack}
	s.ended = p
	s.stopReading(p)
	if e.cfg.OnPanic != nil {
		e.cfg.OnPanic(s, p)
	}
}

// Open makes a stream. The key (a thread id, say) chooses its shard; it need not be unique. The stream lives until it
// is closed or the engine is shut down.
func (e *Engine) Open(key string, opt StreamOptions) (*Stream, error) {
	if err := judge(opt); err != nil {
		return nil, err
	}
	return e.open(&Stream{key: key}, opt)
}

// judge looks at seeds where the caller hears of it; the stream's own stores are made on its shard.
func judge(opt StreamOptions) error {
	if len(opt.Messages) == 0 && opt.State == nil {
		return nil
	}
	_, err := newMachine(&Pool{plain: true}, opt, nil)
	return err
}

// open takes a stream on. Its seeds have been judged.
func (e *Engine) open(s *Stream, opt StreamOptions) (*Stream, error) {
	s.eng, s.h = e, e.cfg.Handler
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return nil, ErrClosed
	}
	box, err := e.set.Open(s.key, func(worker int) shard.Receiver { return e.receiver(s, opt, worker) })
	if err != nil {
		return nil, s.translate(err)
	}
	s.box = box
	e.live[box] = s
	return s, nil
}

// receiver makes the stream's machine, on its shard.
func (e *Engine) receiver(s *Stream, opt StreamOptions, worker int) shard.Receiver {
	m, err := newMachine(&e.pools[worker], opt, s)
	if err != nil {
		panic(err) // Open has judged the same seeds
	}
	m.request = s.request
	s.m = m
	return &receiver{s}
}

// receiver feeds a machine from a mailbox.
type receiver struct{ s *Stream }

// Receive takes what was written.
func (r *receiver) Receive(p []byte) {
	if err := r.s.m.write(p); err != nil {
		r.s.box.Fail(err)
		r.s.stopReading(err)
	}
}

// End ends the stream, by its bytes' end or by what came before.
func (r *receiver) End(err error) {
	s := r.s
	var p *PanicError
	var stopped *stoppedError
	switch {
	case errors.As(err, &p):
		// The handler is broken: it is not called again.
	case errors.As(err, &stopped):
		s.m.store.Flush()
	case s.eng.shuttingDown(err):
		// A stream that stands between runs ends without a word; one made for a request owes an answer.
		if s.m.phase == running || s.request != nil && !s.m.ended {
			s.m.abort(errShutdown)
		}
	default:
		s.m.closeBytes(err)
	}
	var failure *Error
	if s.ended == nil && errors.As(s.m.closeErr, &failure) {
		s.ended = failure
	}
	if p == nil { // what panicked may be half done
		s.m.pool.put(s.m)
	}
	s.m = nil
	s.eng.forget(s)
}

// shuttingDown says whether it is Shutdown that ended a stream, within its time or not.
func (e *Engine) shuttingDown(err error) bool {
	if errors.Is(err, shard.ErrShutdown) || errors.Is(err, errShutdown) {
		return true
	}
	return e.serving.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

func (e *Engine) forget(s *Stream) {
	e.mu.Lock()
	delete(e.live, s.box)
	e.mu.Unlock()
}

// Shutdown takes no more streams, runs and bytes, lets the queued work be done, ends every stream (an open run fails with
// a transport error) and stops the shards. It doesn't wait for agents: the bodies of live Runs are closed at once, and
// what they had sent is delivered; whoever wants runs to end by themselves waits for the Runs first. When it returns,
// nothing of the engine lives on.
//
// When ctx is over first, what is queued is dropped and the context's error returned. The one thing that Shutdown can't
// end is a transport that doesn't obey its context: it is given a few seconds, and left behind then.
//
// From a handler it does nothing and returns an error: it would wait for itself.
func (e *Engine) Shutdown(ctx context.Context) error {
	if e.set.OnWorker() {
		return configError("Shutdown was called by a handler of the same engine, which it would wait for", nil)
	}
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.turns.close()
	e.stop()
	err := e.set.Shutdown(ctx)
	e.release.Do(func() { e.left = e.releaseReaders() })
	if err == nil {
		err = e.left
	}
	return err
}

// releaseReaders waits for the last Run. Those whose transports obey are on their way out, however little time the
// caller has left.
func (e *Engine) releaseReaders() error {
	ctx, cancel := context.WithTimeout(context.Background(), obeyWait)
	defer cancel()
	select {
	case <-e.turns.empty:
	case <-ctx.Done():
	}
	return e.readers.ReleaseContext(ctx)
}

// Stats are an engine's figures at a glance; taking them stops nothing.
type Stats struct {
	Streams int // open
	Runs    int // live by Run
	Queued  int // calls of Run that wait for their turn
	Shards  shard.Stats
}

// Stats returns the engine's figures.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	n := len(e.live)
	e.mu.Unlock()
	runs, queued := e.turns.count()
	return Stats{Streams: n, Runs: runs, Queued: queued, Shards: e.set.Stats()}
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
