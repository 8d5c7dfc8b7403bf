package shard

import (
	"math/bits"
	"sync"
)

// Buffers come in powers of two. The smallest holds a few events, the largest
// is also the most that one Receive is given.
const (
	minBuffer     = 1 << minBufferBits
	maxBuffer     = 1 << maxBufferBits
	minBufferBits = 10
	maxBufferBits = 16
	bufferClasses = maxBufferBits - minBufferBits + 1
)

// item is one link of a mailbox's queue: bytes, or a call that waits behind
// them (buf is nil then, so nothing is ever appended to it).
type item struct {
	next *item
	buf  []byte
	call *call
}

// buffers are free items by class. They are sync.Pools on purpose: a class
// that nobody took from during two collections is given back to the runtime,
// so a burst of large buffers is not held for life, and a get or a put on one
// CPU touches no lock of another.
var buffers [bufferClasses]sync.Pool

// bufferClass is the smallest class that holds size bytes, or the largest.
func bufferClass(size int) int {
	if size <= minBuffer {
		return 0
	}
	return min(bits.Len(uint(size-1))-minBufferBits, bufferClasses-1)
}

func getBuffer(size int) *item {
	class := bufferClass(size)
	if it, ok := buffers[class].Get().(*item); ok {
		return it
	}
	return &item{buf: make([]byte, 0, minBuffer<<class)}
}

func putBuffer(it *item) {
	poison(it.buf)
	it.next = nil
	it.buf = it.buf[:0]
	buffers[bufferClass(cap(it.buf))].Put(it)
}
