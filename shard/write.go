package shard

import (
	"context"
	"runtime"
	"sync"
)

// waiter is a writer that waits for room. Writers wait in line: the first one
// alone is woken, and those that come later queue behind it, so that no write
// starves and each lies in one piece.
type waiter struct {
	next    *waiter
	want    int           // free bytes that make it worth waking
	pouring bool          // larger than the limit, and begun
	ready   chan struct{} // one token
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

func (wt *waiter) signal() {
	select {
	case wt.ready <- struct{}{}:
	default:
	}
}

// Write copies p into the mailbox: whole, in one piece, and in order after
// every Write that returned before. It waits while the bytes would be over the
// mailbox's limit; a p that is larger than the limit goes in as there is room,
// still ahead of any later Write.
//
// Once the mailbox is closed it returns [ErrClosed] (or what Fail was given),
// with the number of bytes taken before. On a goroutine of the set's workers it
// doesn't wait: it returns [ErrSelf], with nothing taken.
func (m *Mailbox) Write(p []byte) (int, error) {
	m.mu.Lock()
	if m.fitsLocked(p) {
		m.appendLocked(p)
		if m.unlockAndSchedule() {
			runtime.Gosched()
		}
		return len(p), nil
	}
	m.mu.Unlock()
	return m.wait(context.Background(), p)
}

// WriteContext is Write, but waits no longer than ctx lasts; it returns the
// context's error and the number of bytes taken then, which is 0 unless p is
// larger than the limit. ctx is not looked at while there is room.
func (m *Mailbox) WriteContext(ctx context.Context, p []byte) (int, error) {
	m.mu.Lock()
	if m.fitsLocked(p) {
		m.appendLocked(p)
		if m.unlockAndSchedule() {
			runtime.Gosched()
		}
		return len(p), nil
	}
	m.mu.Unlock()
	return m.wait(ctx, p)
}

// TryWrite takes all of p or nothing, and never waits: [ErrFull] if p doesn't
// fit now (a p larger than the limit never does) or if writers are waiting.
func (m *Mailbox) TryWrite(p []byte) (int, error) {
	m.mu.Lock()
	if m.fitsLocked(p) {
		m.appendLocked(p)
		m.unlockAndSchedule()
		return len(p), nil
	}
	err := m.refusal
	m.mu.Unlock()
	switch {
	case err != nil:
		return 0, err
	case len(p) == 0:
		return 0, nil
	}
	return 0, ErrFull
}

// fitsLocked says whether p can be appended at once. An empty p is not: it
// must neither wake the worker nor make a receiver.
func (m *Mailbox) fitsLocked(p []byte) bool {
	return len(p) > 0 && m.refusal == nil && m.firstWait == nil && len(p) <= m.w.set.limit-m.waiting
}

// appendLocked copies p, which isn't empty, behind what is queued.
func (m *Mailbox) appendLocked(p []byte) {
	m.waiting += len(p)
	if t := m.tail; t != nil && len(p) <= cap(t.buf)-len(t.buf) {
		t.buf = append(t.buf, p...)
		return
	}
	m.growLocked(p)
}

// growLocked appends p to new buffers. Each is twice the one before it, so a
// mailbox that waits with little holds little; the rest of the one before is
// left empty rather than cut p, since what lies whole in one buffer can be
// lent on without a copy. What is left empty is less than what follows it, so
// buffers take at most about twice the bytes that wait.
func (m *Mailbox) growLocked(p []byte) {
	size := 0
	if t := m.tail; t != nil && t.call == nil {
		size = 2 * cap(t.buf)
		if len(p) > maxBuffer { // it is cut anyway
			n := cap(t.buf) - len(t.buf)
			t.buf = append(t.buf, p[:n]...)
			p = p[n:]
		}
	}
	for len(p) > 0 {
		it := getBuffer(max(len(p), size))
		n := min(len(p), cap(it.buf))
		it.buf = append(it.buf, p[:n]...)
		p = p[n:]
		m.linkLocked(it)
	}
	if m.scheduled {
		m.countLocked()
	}
}

// wait is Write when p doesn't fit at once.
func (m *Mailbox) wait(ctx context.Context, p []byte) (int, error) {
	m.mu.Lock()
	err := m.refusal
	m.mu.Unlock()
	switch {
	case err != nil:
		return 0, err
	case len(p) == 0:
		return 0, nil
	case m.w.set.here() != nil:
		return 0, ErrSelf
	}

	wt := waiters.Get().(*waiter)
	m.mu.Lock()
	m.queueLocked(wt)
	taken := 0
	for {
		if m.refusal != nil {
			return taken, m.leaveLocked(wt, m.refusal)
		}
		if m.firstWait == wt {
			taken += m.pourLocked(p[taken:], wt)
		}
		if taken == len(p) {
			return taken, m.leaveLocked(wt, nil)
		}
		if taken > 0 {
			m.unlockAndSchedule()
		} else {
			m.mu.Unlock()
		}
		select {
		case <-wt.ready:
		case <-ctx.Done():
			m.mu.Lock()
			return taken, m.leaveLocked(wt, ctx.Err())
		}
		m.mu.Lock()
	}
}

// pourLocked takes what it may of p and sets what wt waits for next. Half the
// limit at least is to be free then: a writer woken for every batch would run
// in step with the worker, at two switches a batch.
func (m *Mailbox) pourLocked(p []byte, wt *waiter) int {
	limit := m.w.set.limit
	free := limit - m.waiting
	whole := len(p) <= limit && !wt.pouring
	switch {
	case len(p) <= free:
		m.appendLocked(p)
		return len(p)
	case whole:
		wt.want = max(len(p), limit/2)
		return 0
	}
	wt.pouring = true
	n := max(free, 0)
	if n > 0 {
		m.appendLocked(p[:n])
	}
	wt.want = max(1, min(len(p)-n, limit/2))
	return n
}

func (m *Mailbox) queueLocked(wt *waiter) {
	wt.want = 1
	if m.firstWait == nil {
		m.firstWait = wt
	} else {
		m.lastWait.next = wt
	}
	m.lastWait = wt
}

// leaveLocked takes wt out of the line, unlocks, and passes err through.
func (m *Mailbox) leaveLocked(wt *waiter, err error) error {
	if m.firstWait == wt {
		m.firstWait = wt.next
	} else {
		before := m.firstWait
		for before.next != wt {
			before = before.next
		}
		before.next = wt.next
		if m.lastWait == wt {
			m.lastWait = before
		}
	}
	if m.firstWait == nil {
		m.lastWait = nil
	}
	m.wakeWriterLocked()
	// Only those in line are signalled, so no token comes after this.
	select {
	case <-wt.ready:
	default:
	}
	*wt = waiter{ready: wt.ready}
	waiters.Put(wt)
	if m.head != nil {
		m.unlockAndSchedule()
	} else {
		m.mu.Unlock()
	}
	return err
}

// wakeWriterLocked wakes the first in line if there is room for it.
func (m *Mailbox) wakeWriterLocked() {
	if wt := m.firstWait; wt != nil && m.w.set.limit-m.waiting >= wt.want {
		wt.signal()
	}
}
