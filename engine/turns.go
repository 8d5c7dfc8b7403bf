package engine

import (
	"container/list"
	"context"
	"sync"
)

// turns lets a bounded number of runs in and keeps a bounded number waiting, first come, first served. A place that is
// given up goes straight to the first in line, so nobody who comes later can take it.
type turns struct {
	mu     sync.Mutex
	free   int
	seats  int // of the queue
	line   list.List
	live   int
	closed bool
	empty  chan struct{} // closed when the last run left after close
}

func newTurns(runs, queue int) *turns {
	return &turns{free: runs, seats: queue, empty: make(chan struct{})}
}

// enter waits for a place: ErrBusy when none is free and the queue is full, or may not be joined; ErrClosed after close.
func (q *turns) enter(ctx context.Context, queue bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		return ErrClosed
	case q.free > 0:
		q.free--
		q.live++
		q.mu.Unlock()
		return nil
	case !queue || q.line.Len() >= q.seats:
		q.mu.Unlock()
		return ErrBusy
	}
	ready := make(chan error, 1)
	place := q.line.PushBack(ready)
	q.mu.Unlock()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case err := <-ready: // called up at the same moment
		if err == nil {
			q.leaveLocked()
		}
	default:
		q.line.Remove(place)
	}
	return ctx.Err()
}

func (q *turns) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leaveLocked()
}

func (q *turns) leaveLocked() {
	if first := q.line.Front(); first != nil {
		q.line.Remove(first).(chan error) <- nil
		return
	}
	q.live--
	q.free++
	if q.closed && q.live == 0 {
		close(q.empty)
	}
}

// close turns away those who wait and those to come.
func (q *turns) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	if q.live == 0 {
		close(q.empty)
	}
	for first := q.line.Front(); first != nil; first = q.line.Front() {
		q.line.Remove(first).(chan error) <- ErrClosed
	}
}

func (q *turns) count() (live, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.live, q.line.Len()
}
