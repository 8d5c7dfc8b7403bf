package shard

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// worker is one goroutine and the mailboxes it serves. Mailboxes with work come
// in by the inbox, wait in the queue, and have a turn each: a batch, then back
// to the end of the queue if there is more.
type worker struct {
	set   *Set
	index int
	id    atomic.Uint64 // of the goroutine
	wake  chan struct{}
	sleep *Mailbox // in the inbox: the worker sleeps
	nudge *Mailbox // in the inbox: look at stopping

	mu       sync.Mutex // guards the list of open mailboxes
	first    *Mailbox
	closed   bool
	stopping atomic.Bool

	_ cacheLine

	// What writers write. inbox is a stack that anyone pushes on and the worker
	// takes whole, so it needs no lock and knows no ABA.
	inbox   atomic.Pointer[Mailbox]
	waiting atomic.Int64
	open    atomic.Int64

	_ cacheLine

	// The goroutine's own. They are fields because a receiver that ends its
	// goroutine must not take the turn's work with it.
	head, tail *Mailbox // the queue
	current    *Mailbox
	batch      *item
	taken      int // bytes of the batch
	turns      uint
	call       *call // the one that is running
	turn       turnCount

	count counters
	_     cacheLine
}

// stretch is after how many turns the worker offers its CPU to others.
const stretch = 128

// turnCount gathers a turn's counts, so that the shared ones are written once.
type turnCount struct{ batches, bytes, calls, dropped uint64 }

func newWorker(s *Set, index int) *worker {
	return &worker{
		set:   s,
		index: index,
		wake:  make(chan struct{}, 1),
		sleep: new(Mailbox),
		nudge: new(Mailbox),
	}
}

// link adds m to the open mailboxes, unless the set stops.
func (w *worker) link(m *Mailbox) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	m.openNext = w.first
	if w.first != nil {
		w.first.openPrev = m
	}
	w.first = m
	w.open.Add(1)
	return true
}

func (w *worker) unlink(m *Mailbox) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.openPrev == nil {
		w.first = m.openNext
	} else {
		m.openPrev.openNext = m.openNext
	}
	if m.openNext != nil {
		m.openNext.openPrev = m.openPrev
	}
	m.openPrev, m.openNext = nil, nil
	w.open.Add(-1)
}

// boxes are the mailboxes open now.
func (w *worker) boxes() []*Mailbox {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.boxesLocked()
}

func (w *worker) boxesLocked() []*Mailbox {
	var all []*Mailbox
	for m := w.first; m != nil; m = m.openNext {
		all = append(all, m)
	}
	return all
}

// stop bars new mailboxes and has the worker end after the last one, which the
// caller is to see closed.
func (w *worker) stop() []*Mailbox {
	w.mu.Lock()
	w.closed = true
	all := w.boxesLocked()
	w.mu.Unlock()
	w.stopping.Store(true)
	w.push(w.nudge)
	return all
}

// push hands m, which is in no other place, to the worker, and wakes it if it
// sleeps. The one who takes the sleep mark out is the one to wake.
func (w *worker) push(m *Mailbox) {
	for {
		old := w.inbox.Load()
		if old == w.sleep {
			m.next = nil
		} else {
			m.next = old
		}
		if !w.inbox.CompareAndSwap(old, m) {
			continue
		}
		if old == w.sleep {
			w.wake <- struct{}{}
		}
		return
	}
}

// loop serves until the set stops and the last mailbox has ended.
func (w *worker) loop() {
	returned := false
	defer func() {
		if !returned { // a receiver ended the goroutine: go on in a new one
			go w.loop()
		}
	}()
	w.id.Store(goroutineID())
	for {
		if w.current == nil {
			w.current = w.next()
			if w.current == nil {
				break
			}
			w.begin(w.current)
		}
		for again := true; again; again = w.batch != nil {
			w.serve(w.current)
		}
		w.finish(w.current)
		w.current = nil
		if w.turns++; w.turns%stretch == 0 {
			runtime.Gosched()
		}
	}
	returned = true
	if w.set.working.Add(-1) == 0 {
		close(w.set.drained)
	}
	<-w.set.gate
}

// next is the mailbox whose turn it is; nil when there will be none any more.
func (w *worker) next() *Mailbox {
	for {
		if w.inbox.Load() != nil {
			w.collect()
		}
		m := w.head
		if m == nil {
			if w.stopping.Load() && w.open.Load() == 0 {
				return nil
			}
			if w.inbox.CompareAndSwap(nil, w.sleep) {
				<-w.wake
				w.count.wakeups.Add(1)
			}
			continue
		}
		w.head = m.next
		if w.head == nil {
			w.tail = nil
		}
		m.next = nil
		if m != w.nudge {
			return m
		}
	}
}

// collect moves the inbox to the end of the queue, in order of arrival.
func (w *worker) collect() {
	m := w.inbox.Swap(nil)
	last := m
	var first *Mailbox
	for m != nil {
		next := m.next
		m.next = first
		first = m
		m = next
	}
	if w.tail == nil {
		w.head = first
	} else {
		w.tail.next = first
	}
	w.tail = last
}

func (w *worker) requeue(m *Mailbox) {
	if w.tail == nil {
		w.head = m
	} else {
		w.tail.next = m
	}
	w.tail = m
}

func (w *worker) begin(m *Mailbox) {
	m.mu.Lock()
	w.batch, w.taken = m.takeLocked(w.set.batch)
	m.mu.Unlock()
}

// serve works the batch off. After a panic it returns with the rest of it, which
// the next call drops.
func (w *worker) serve(m *Mailbox) {
	returned := false
	defer func() {
		if !returned {
			w.caught(m, recover())
		}
	}()
	w.start(m)
	for it := w.batch; it != nil; it = w.batch {
		w.batch = it.next
		drop := m.drop.Load()
		switch {
		case it.call != nil:
			w.do(m, it.call, drop&dropCalls != 0)
			continue
		case drop&dropBytes != 0:
			w.turn.dropped += uint64(len(it.buf))
		default:
			w.turn.batches++
			w.turn.bytes += uint64(len(it.buf))
			m.receiver.Receive(it.buf)
		}
		putBuffer(it)
	}
	returned = true
}

func (w *worker) do(m *Mailbox, c *call, drop bool) {
	if drop {
		m.mu.Lock()
		err := m.endErr
		m.mu.Unlock()
		c.refuse(err)
		return
	}
	if !c.begun.CompareAndSwap(false, true) {
		return
	}
	w.turn.calls++
	w.call = c
	c.f()
	w.call = nil
	c.finish(nil)
}

// start makes the receiver, once.
func (w *worker) start(m *Mailbox) {
	newReceiver := m.newReceiver
	if newReceiver == nil {
		return
	}
	m.newReceiver = nil
	m.receiver = newReceiver(w.index)
}

// tryStart is start from within another mailbox's turn, which a panic must not
// end.
func (w *worker) tryStart(m *Mailbox) {
	if m.newReceiver == nil {
		return
	}
	running := w.call // is the other mailbox's
	w.call = nil
	returned := false
	defer func() {
		if !returned {
			w.caught(m, recover())
		}
		w.call = running
	}()
	w.start(m)
	returned = true
}

// finish gives the turn's room back and ends the mailbox if that is due.
func (w *worker) finish(m *Mailbox) {
	w.flush()
	m.mu.Lock()
	m.waiting -= w.taken
	w.taken = 0
	m.countLocked()
	m.wakeWriterLocked()
	switch {
	case m.head != nil:
		m.mu.Unlock()
		w.requeue(m)
		return
	case !m.closed:
		m.scheduled = false
		m.mu.Unlock()
		return
	}
	if !m.ending { // else End ended its goroutine, and this is the next one
		m.ending = true
		err := m.endErr
		m.mu.Unlock()
		w.end(m, err)
		m.mu.Lock()
	}
	m.ended = true
	done := m.done
	m.mu.Unlock()
	m.receiver = nil
	w.unlink(m)
	if done != nil {
		close(done)
	}
}

func (w *worker) end(m *Mailbox, err error) {
	if m.receiver == nil { // making it panicked
		return
	}
	returned := false
	defer func() {
		if !returned {
			w.caught(m, recover())
		}
	}()
	m.receiver.End(err)
	returned = true
}

// flush writes the turn's counts where Stats reads them.
func (w *worker) flush() {
	t := w.turn
	w.turn = turnCount{}
	if t.batches != 0 {
		w.count.batches.Add(t.batches)
		w.count.bytes.Add(t.bytes)
	}
	if t.calls != 0 {
		w.count.calls.Add(t.calls)
	}
	if t.dropped != 0 {
		w.count.dropped.Add(t.dropped)
	}
}

// caught ends m after a panic. v is nil when there was none: the call is ending
// the goroutine instead, and nothing can stop that.
func (w *worker) caught(m *Mailbox, v any) {
	if v == nil {
		v = ErrGoexit
	}
	w.count.panics.Add(1)
	e := &PanicError{Key: m.key, Value: v, Stack: debug.Stack()}
	m.abort(e)
	if c := w.call; c != nil {
		w.call = nil
		c.finish(e)
	}
	if w.set.onPanic != nil {
		w.set.onPanic(m, v, e.Stack)
	}
}
