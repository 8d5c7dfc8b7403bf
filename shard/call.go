package shard

import (
	"context"
	"sync/atomic"
)

// call is a function that waits in a mailbox's queue.
type call struct {
	item item
	f    func()
	// begun decides who has the call: the worker, who runs or refuses it, or
	// the caller, whose context is over.
	begun atomic.Bool
	err   error // set before done is closed
	done  chan struct{}
}

func (c *call) finish(err error) {
	c.err = err
	close(c.done)
}

func (c *call) refuse(err error) {
	if c.begun.CompareAndSwap(false, true) {
		c.finish(err)
	}
}

// Do runs f on the mailbox's worker, after all bytes that were written before
// it, and waits until it returned. While it runs the receiver isn't called, so
// f may read what belongs to the receiver; the worker serves nobody else
// meanwhile, so f should be short. The receiver is made first if there is none.
//
// If ctx is over before f began, Do returns its error and f is never run; once
// begun, f is waited for. [ErrClosed] says that the mailbox was closed before;
// a *[PanicError], which is one too, that f or what came before it panicked.
//
// On the mailbox's own worker, that is from the receiver of any mailbox of
// that worker, f runs at once, as part of the caller: bytes that wait are not
// received yet, a receiver up the stack is in the midst of its call, a panic is
// the caller's, and it works until End has returned. On another worker of the
// set, where it would have to wait, Do returns [ErrSelf].
func (m *Mailbox) Do(ctx context.Context, f func()) error {
	if w := m.w.set.here(); w != nil {
		if w != m.w {
			return ErrSelf
		}
		return w.inline(m, f)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &call{f: f, done: make(chan struct{})}
	c.item.call = c
	m.mu.Lock()
	if m.closed {
		err := m.closing
		m.mu.Unlock()
		return err
	}
	m.linkLocked(&c.item)
	m.unlockAndSchedule()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	if c.begun.CompareAndSwap(false, true) {
		return ctx.Err()
	}
	<-c.done
	return c.err
}

// inline runs f for a caller that is on the worker already.
func (w *worker) inline(m *Mailbox, f func()) error {
	m.mu.Lock()
	ended, err := m.ended, m.closing
	m.mu.Unlock()
	if ended {
		return err
	}
	w.tryStart(m)
	m.mu.Lock()
	err = m.closing
	m.mu.Unlock()
	if err != nil && m.receiver == nil { // making it panicked
		return err
	}
	f()
	return nil
}
