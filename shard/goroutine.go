package shard

import (
	"runtime"
	"sync"
)

// headers are buffers for the first line of a stack trace, which escape.
var headers = sync.Pool{New: func() any { return new([64]byte) }}

// goroutineID is the number that the runtime prints in a stack trace. There
// is no other public way to ask "am I that goroutine?"; it costs microseconds
// and is asked only where a call is about to wait, never by a Write that fits.
func goroutineID() uint64 {
	const prefix = len("goroutine ")
	buf := headers.Get().(*[64]byte)
	defer headers.Put(buf)
	text := buf[:runtime.Stack(buf[:], false)]
	id := uint64(0)
	for _, c := range text[min(prefix, len(text)):] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}

// here is the worker whose goroutine the caller runs on, or nil.
func (s *Set) here() *worker {
	id := goroutineID()
	for _, w := range s.workers {
		if w.id.Load() == id {
			return w
		}
	}
	return nil
}

// OnWorker tells whether the caller runs on one of the set's workers, where
// waiting for the set is waiting for oneself.
func (s *Set) OnWorker() bool { return s.here() != nil }
