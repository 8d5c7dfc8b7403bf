package shard

import "runtime"

// goroutineID is the number that the runtime prints in a stack trace. There
// is no other public way to ask "am I that goroutine?"; it costs microseconds
// and is asked only where a call is about to wait, never by a Write that fits.
func goroutineID() uint64 {
	const prefix = len("goroutine ")
	var buf [64]byte
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
