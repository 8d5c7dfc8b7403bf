package engine

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/ants/v2"

	"github.com/aguistream/aguistream/shard"
)

// Config shapes an Engine. The zero value of every field works, but for Handler.
type Config struct {
	// Handler receives the updates of every stream that doesn't bring its own (StreamOptions.Handler), each on its shard's
	// goroutine. It must not wait for another stream of the engine: writing into one from it never blocks, but returns
	// ErrFull when that one is full. One that is an EndHandler is told of each stream's end too.
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
	totals  []totals
	busy    atomic.Int64 // runs refused
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
	if cfg.Handler = firstHandler(cfg.Handler); cfg.Handler == nil {
		return nil, configError("an Engine needs a Handler", nil)
	}
	cfg.MailboxBytes = or(cfg.MailboxBytes, shard.DefaultMailboxBytes)
	cfg.MaxRuns = or(cfg.MaxRuns, DefaultMaxRuns)
	if cfg.QueueRuns == 0 {
		cfg.QueueRuns = DefaultQueueRuns
	}
	e := &Engine{cfg: cfg, live: map[*shard.Mailbox]*Stream{}, turns: newTurns(cfg.MaxRuns, cfg.QueueRuns)}
	e.serving, e.stop = context.WithCancel(context.Background())
	// Never more tasks than turns are given, so none waits in the pool, whose line has no order.
	readers, err := ants.NewPool(cfg.MaxRuns, ants.WithExpiryDuration(readerRest))
	if err != nil {
		return nil, configError("reader pool: "+err.Error(), err)
	}
	e.readers = readers
	e.set = shard.New(shard.Config{Workers: cfg.Shards, MailboxBytes: cfg.MailboxBytes, Panic: e.panicked})
	e.pools, e.totals = make([]Pool, e.set.Workers()), make([]totals, e.set.Workers())
	for i := range e.pools {
		e.pools[i].desk.totals = &e.totals[i]
	}
	return e, nil
}

// panicked is called on the shard. The receiver's End comes after it, unless that is what panicked.
func (e *Engine) panicked(box *shard.Mailbox, v any, stack []byte) {
	e.mu.Lock()
	s := e.live[box]
	delete(e.live, box)
	e.mu.Unlock()
	if s == nil {
		return
	}
	p := newPanicError(s.key, v, stack)
	s.why = p
	s.stopReading(p)
	if e.cfg.OnPanic != nil {
		e.cfg.OnPanic(s, p)
	}
	if s.ending {
		s.m = nil // what panicked may be half done
		e.tellEnd(s, p)
	}
}

// tellEnd calls the end hook, whose panic is nobody else's affair.
func (e *Engine) tellEnd(s *Stream, why error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		p := newPanicError(s.key, v, debug.Stack())
		s.why = p
		if v != nil && e.cfg.OnPanic != nil { // else the goroutine ends, and the shard tells
			e.cfg.OnPanic(s, p)
		}
	}()
	s.over(why)
	returned = true
}

// Open makes a stream. The key (a thread id, say) chooses its shard; it need not be unique. The stream lives until it
// is closed or the engine is shut down.
func (e *Engine) Open(key string, opt StreamOptions) (*Stream, error) {
	if err := ownSeeds(&opt); err != nil {
		return nil, err
	}
	return e.open(&Stream{key: key}, opt)
}

// open takes a stream on. Its seeds are its own, and have been judged.
func (e *Engine) open(s *Stream, opt StreamOptions) (*Stream, error) {
	s.eng, s.h, s.data = e, firstHandler(opt.Handler, e.cfg.Handler), opt.Data
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
	e.mu.Lock() // open may not be done with the stream yet, which Shutdown ends at once
	_ = s.box
	e.mu.Unlock()
	m, err := newMachine(&e.pools[worker], opt, s)
	if err != nil {
		panic(err) // the same seeds were judged where nobody else has them
	}
	m.request = s.request
	s.m = m
	return (*receiver)(s)
}

// receiver is a Stream as its mailbox sees it: it feeds the machine.
type receiver Stream

// Receive takes what was written.
func (r *receiver) Receive(p []byte) {
	defer r.m.begin().end()
	if err := r.m.write(p); err != nil {
		r.box.Fail(err)
		(*Stream)(r).stopReading(err)
	}
}

// End ends the stream, by its bytes' end or by what came before.
func (r *receiver) End(err error) {
	s := (*Stream)(r)
	m := s.m
	s.ending = true
	s.close(err)
	if err == nil || !errors.As(err, new(*shard.PanicError)) { // what panicked may be half done
		m.pool.put(m)
	}
	s.m = nil
	s.eng.forget(s)
}

// close works on the end of the bytes, and tells of it.
func (s *Stream) close(err error) {
	m := s.m
	defer m.begin().end()
	var why error
	if err == nil {
		m.closeBytes(nil)
	} else if why = s.closeFor(err); s.m == nil {
		s.eng.tellEnd(s, why)
		return
	}
	if failure := m.failure(); failure != nil {
		why = failure
	}
	s.eng.tellEnd(s, why)
}

// closeFor ends a stream otherwise than by its bytes' end alone, and gives the reason that its end is told with. Without
// a machine nothing more is to be told.
func (s *Stream) closeFor(err error) (why error) {
	m := s.m
	var p *shard.PanicError
	var stopped *stoppedError
	switch {
	case errors.As(err, &p): // the handler is broken: it hears of the end, and of nothing else
		s.m = nil
		return s.why
	case errors.As(err, &stopped):
		m.store.Flush()
		why = stopped.err
	case s.eng.shuttingDown(err):
		// A stream that stands between runs ends without a word; one made for a request owes an answer.
		if m.phase == running || s.request != nil && !m.ended {
			m.abort(errShutdown)
		}
		if s.request == nil {
			why = ErrClosed
		}
	default:
		m.closeBytes(err)
	}
	return why
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
		return configError("Shutdown was called by a handler of the same engine, which it would wait for", ErrFromHandler)
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

// refused says why a mailbox did not take n bytes.
func (s *Stream) refused(err error, n int) error {
	if err != nil && n > s.eng.cfg.MailboxBytes && errors.Is(err, shard.ErrFull) {
		return ErrTooLarge
	}
	return s.translate(err)
}

// translate turns the shard's errors into this package's.
func (s *Stream) translate(err error) error {
	if err == nil {
		return nil // every write comes by here: what errors.As needs is on the heap
	}
	var p *shard.PanicError
	switch {
	case errors.As(err, &p):
		return newPanicError(p.Key, p.Value, p.Stack)
	case errors.Is(err, shard.ErrFull):
		return ErrFull
	case errors.Is(err, shard.ErrClosed):
		return ErrClosed
	}
	return err
}
