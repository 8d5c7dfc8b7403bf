package shard

import (
	"sync"
	"sync/atomic"
)

// Mailbox is a bounded queue of bytes and calls in front of one [Receiver]. It
// is an io.WriteCloser. Its methods may be called from any goroutine, those of
// its receiver included. Idle it holds no buffer.
//
//	written, not taken           taken by the worker: one batch
//	head                  tail
//	[bytes]-[bytes]-[call]-[bytes...]      [bytes]-[call]
//	\_______________ waiting (bytes of both) ____________/
type Mailbox struct {
	// What every write and turn touches comes first, within two cache lines:
	// with thousands of mailboxes these misses are what a write costs.

	mu        sync.Mutex
	scheduled bool          // in the worker's inbox or queue, or in its turn
	closed    bool          // End is due once the queue is empty
	ending    bool          // End was called
	ended     bool          // and returned
	drop      atomic.Uint32 // read between the items of a batch, without mu
	w         *worker
	next      *Mailbox // in the inbox and the queue: belongs to who set scheduled, then to the worker
	head      *item
	tail      *item
	waiting   int // bytes queued or in the batch
	counted   int // the part of waiting that the worker's stats know of

	firstWait   *waiter                   // writers that wait, in order of arrival
	refusal     error                     // what writes answer, once not nil
	receiver    Receiver                  // the worker's own, under no lock
	newReceiver func(worker int) Receiver // likewise; nil once called

	lastWait *waiter
	closing  error         // what calls answer, once closed
	endErr   error         // what End is given
	done     chan struct{} // made by the first who asks
	key      string

	// The list of the worker's open mailboxes, under the worker's mu.
	openPrev, openNext *Mailbox
}

// crowd is the number of bytes waiting at one worker at which a Write that adds
// a mailbox to its queue yields the CPU once. Where writers and worker share a
// CPU, a writer would otherwise fill mailbox after mailbox for its whole time
// slice, and every byte would leave the CPU's cache before it is read: 4 KiB
// writes round 2,000 mailboxes cost half with it.
const crowd = 512 << 10

// Bits of Mailbox.drop.
const (
	dropBytes = 1 << iota
	dropCalls
)

// closedChan is the Done of mailboxes that had ended when first asked.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Key is the key that the mailbox was opened with.
func (m *Mailbox) Key() string { return m.key }

// Worker is the index of the worker that serves the mailbox, for life.
func (m *Mailbox) Worker() int { return m.w.index }

// Done is closed after End returned. The mailbox has let go of its receiver
// then.
func (m *Mailbox) Done() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != nil {
		return m.done
	}
	if m.ended {
		return closedChan
	}
	m.done = make(chan struct{})
	return m.done
}

// Close is the end of the bytes: what was accepted is received, then End(nil)
// is called. It doesn't wait for that; Done tells. Writes that wait for room
// return ErrClosed. A second Close, of either kind, does nothing; the error is
// always nil.
func (m *Mailbox) Close() error { return m.CloseWithError(nil) }

// CloseWithError is Close with the error that End is given.
func (m *Mailbox) CloseWithError(err error) error {
	m.closeOnce(err, ErrClosed)
	return nil
}

// closeOnce has End given err, and writes and calls answered with answer.
func (m *Mailbox) closeOnce(err, answer error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closeLocked(err, answer)
	m.unlockAndSchedule()
}

// Fail is the receiver's word that the mailbox takes no more bytes: those that
// wait are dropped (and counted, see [WorkerStats]), and writes return err,
// ErrClosed if that is nil, those included that wait for room. It ends nothing:
// calls are still run, and End comes when the mailbox is closed. The first Fail
// counts.
func (m *Mailbox) Fail(err error) {
	if err == nil {
		err = ErrClosed
	}
	m.mu.Lock()
	m.refuseLocked(err)
	m.drop.Or(dropBytes)
	m.dropLocked(false, nil)
	m.mu.Unlock()
}

// abort ends the mailbox without what waits in it. It tells whether there was
// anything left to end.
func (m *Mailbox) abort(err error) bool {
	m.mu.Lock()
	if m.ending {
		left := !m.ended
		m.mu.Unlock()
		return left
	}
	if !m.closed {
		m.closeLocked(err, err)
	}
	m.endErr = err
	m.drop.Or(dropBytes | dropCalls)
	m.dropLocked(true, err)
	m.unlockAndSchedule()
	return true
}

func (m *Mailbox) closeLocked(err, answer error) {
	m.closed = true
	m.endErr = err
	m.closing = answer
	m.refuseLocked(answer)
}

// refuseLocked turns writes away from now on. The first reason stays.
func (m *Mailbox) refuseLocked(err error) {
	if m.refusal != nil {
		return
	}
	m.refusal = err
	for wt := m.firstWait; wt != nil; wt = wt.next {
		wt.signal()
	}
}

// dropLocked empties the queue of bytes, and of calls if told so, which then
// return err.
func (m *Mailbox) dropLocked(calls bool, err error) {
	it := m.head
	m.head, m.tail = nil, nil
	dropped := 0
	for it != nil {
		next := it.next
		switch {
		case it.call == nil:
			dropped += len(it.buf)
			putBuffer(it)
		case calls:
			it.call.refuse(err)
		default:
			it.next = nil
			m.linkLocked(it)
		}
		it = next
	}
	m.waiting -= dropped
	m.w.count.dropped.Add(uint64(dropped))
	m.countLocked()
}

// countLocked tells the worker's stats of the bytes that wait, and the caller
// how many wait in all mailboxes of the worker.
func (m *Mailbox) countLocked() int64 {
	delta := m.waiting - m.counted
	if delta == 0 {
		return 0
	}
	m.counted = m.waiting
	return m.w.waiting.Add(int64(delta))
}

func (m *Mailbox) linkLocked(it *item) {
	if m.tail == nil {
		m.head = it
	} else {
		m.tail.next = it
	}
	m.tail = it
}

// unlockAndSchedule hands the mailbox to its worker unless it is there. The
// push comes after the unlock: the worker's first step is to lock. It tells
// whether the worker is crowded.
func (m *Mailbox) unlockAndSchedule() (crowded bool) {
	if m.scheduled {
		m.mu.Unlock()
		return false
	}
	m.scheduled = true
	crowded = m.countLocked() > crowd
	m.mu.Unlock()
	m.w.push(m)
	return crowded
}

// takeLocked unlinks a batch: one item, and more while the bytes stay within
// the budget.
func (m *Mailbox) takeLocked(budget int) (batch *item, size int) {
	batch = m.head
	if batch == nil {
		return nil, 0
	}
	last := batch
	size = len(last.buf)
	for next := last.next; next != nil && size+len(next.buf) <= budget; next = last.next {
		size += len(next.buf)
		last = next
	}
	m.head = last.next
	if m.head == nil {
		m.tail = nil
	}
	last.next = nil
	return batch, size
}
