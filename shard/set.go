package shard

import (
	"context"
	"hash/maphash"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of [Config].
const (
	DefaultMailboxBytes = 1 << 20
	DefaultBatchBytes   = 64 << 10
)

// Receiver is what a mailbox feeds. All calls come from the goroutine of the
// mailbox's one worker, in order, never two at a time.
type Receiver interface {
	// Receive takes bytes in the order they were written, cut and joined as
	// they lay; a Write of up to 64 KiB is never cut. p is lent: valid until
	// Receive returns. Its length is never 0.
	Receive(p []byte)

	// End comes once, after all bytes that the mailbox accepted before it was
	// closed: nil after Close, the error of CloseWithError, [ErrShutdown], the
	// error of the context that cut a Shutdown short, or a *[PanicError]. The
	// last two come without the bytes and calls still waiting.
	End(err error)
}

// Config of a [Set]. The zero value of every field works.
type Config struct {
	// Workers is the number of workers, each a goroutine; 0 is GOMAXPROCS.
	Workers int

	// MailboxBytes is the most that may wait in one mailbox, the batch that
	// its receiver is working on counted; 0 is DefaultMailboxBytes.
	MailboxBytes int

	// BatchBytes bounds what one mailbox is served before the next one of its
	// worker has its turn; 0 is DefaultBatchBytes. A batch holds one buffer (64
	// KiB at the most) in any case.
	BatchBytes int

	// Panic, if set, is told on the worker of every panic in Receive, End, Do
	// or the making of a receiver, before the mailbox ends. A panic of its own
	// is not recovered.
	Panic func(box *Mailbox, v any, stack []byte)
}

// Set is a fixed number of workers and the mailboxes they serve. Its methods
// may be called from any goroutine. Only [Set.Shutdown] releases it.
type Set struct {
	workers []*worker
	limit   int
	batch   int
	onPanic func(box *Mailbox, v any, stack []byte)

	stop    sync.Once
	release sync.Once
	working atomic.Int64  // workers that still serve
	drained chan struct{} // closed by the last of them
	gate    chan struct{} // holds the workers back until Shutdown counts them out
}

// New starts the workers.
func New(cfg Config) *Set {
	n := cfg.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	s := &Set{
		workers: make([]*worker, n),
		limit:   cfg.MailboxBytes,
		batch:   cfg.BatchBytes,
		onPanic: cfg.Panic,
		drained: make(chan struct{}),
		gate:    make(chan struct{}),
	}
	if s.limit <= 0 {
		s.limit = DefaultMailboxBytes
	}
	if s.batch <= 0 {
		s.batch = DefaultBatchBytes
	}
	s.working.Store(int64(n))
	for i := range s.workers {
		s.workers[i] = newWorker(s, i)
	}
	for _, w := range s.workers {
		go w.loop()
	}
	return s
}

// Workers is their number.
func (s *Set) Workers() int { return len(s.workers) }

// seed is one for the process, so that sets with as many workers agree.
var seed = maphash.MakeSeed()

// WorkerOf is the worker, from 0, that serves the mailboxes of key. It is the
// same one for the life of the process in every set with as many workers.
func (s *Set) WorkerOf(key string) int {
	hi, _ := bits.Mul64(maphash.String(seed, key), uint64(len(s.workers)))
	return int(hi)
}

// Open makes a mailbox on the worker of key. A key is no name: each Open gives
// a mailbox of its own, and mailboxes of one key share a worker.
//
// newReceiver is called on that worker, with the worker's index, before the
// first call to the receiver, so it may take from what belongs to the worker.
// A mailbox that nobody writes to, calls or closes has no receiver.
//
// The error is [ErrShutdown] or nil. The mailbox lives until it is closed.
func (s *Set) Open(key string, newReceiver func(worker int) Receiver) (*Mailbox, error) {
	w := s.workers[s.WorkerOf(key)]
	m := &Mailbox{w: w, key: key, newReceiver: newReceiver}
	if !w.link(m) {
		return nil, ErrShutdown
	}
	return m, nil
}

// Shutdown closes every mailbox that is open with [ErrShutdown], lets the
// workers do what is queued, and ends them. New mailboxes, writes and calls are
// refused from its beginning, writes that wait included; whatever was accepted
// is received.
//
// When ctx is over first, mailboxes that are left end with its error: what
// waits in them is dropped (and counted, see [WorkerStats]), calls that wait
// return that error, and so does Shutdown. A call that is running is waited
// for in any case: Go can't end it.
//
// When Shutdown returns, no goroutine of the set is left. It may be called
// again and from several goroutines; all wait. From a worker it returns
// [ErrSelf] and does nothing.
func (s *Set) Shutdown(ctx context.Context) error {
	if s.here() != nil {
		return ErrSelf
	}
	s.stop.Do(func() {
		for _, w := range s.workers {
			for _, m := range w.stop() {
				m.closeOnce(ErrShutdown, ErrShutdown)
			}
		}
	})
	var err error
	select {
	case <-s.drained:
	default:
		select {
		case <-s.drained:
		case <-ctx.Done():
			if s.abort(ctx.Err()) {
				err = ctx.Err()
			}
			<-s.drained
		}
	}
	s.release.Do(s.countOut)
	return err
}

// abort ends what is left and tells whether anything was.
func (s *Set) abort(err error) bool {
	left := false
	for _, w := range s.workers {
		for _, m := range w.boxes() {
			left = m.abort(err) || left
		}
	}
	return left
}

// countOut lets the workers' goroutines go and waits for the runtime to have
// them gone. A goroutine can't tell of its own end: its last word, whatever it
// is, comes before. So the runtime's count is watched instead, for a moment
// only, since other goroutines of the process move it as well.
func (s *Set) countOut() {
	before := runtime.NumGoroutine()
	close(s.gate)
	for wait := time.Microsecond; wait < 4*time.Millisecond; wait *= 2 {
		for range 4 {
			if runtime.NumGoroutine() <= before-len(s.workers) {
				return
			}
			runtime.Gosched()
		}
		time.Sleep(wait)
	}
}
