package shard

import "testing"

func TestBufferClass(t *testing.T) {
	for _, tt := range []struct{ size, class, holds int }{
		{0, 0, 1 << 10},
		{1, 0, 1 << 10},
		{1 << 10, 0, 1 << 10},
		{1<<10 + 1, 1, 2 << 10},
		{4 << 10, 2, 4 << 10},
		{4<<10 + 1, 3, 8 << 10},
		{1<<16 - 1, 6, 1 << 16},
		{1 << 16, 6, 1 << 16},
		{1<<16 + 1, 6, 1 << 16}, // the largest; the rest goes to the next one
		{1 << 30, 6, 1 << 16},
	} {
		if class := bufferClass(tt.size); class != tt.class {
			t.Errorf("bufferClass(%d) = %d, want %d", tt.size, class, tt.class)
		}
		it := getBuffer(tt.size)
		if cap(it.buf) != tt.holds || len(it.buf) != 0 {
			t.Errorf("getBuffer(%d) holds %d, has %d; want %d, 0", tt.size, cap(it.buf), len(it.buf), tt.holds)
		}
		putBuffer(it)
	}
}

// What waits in a mailbox takes at most about twice its bytes, plus the buffer
// that is being filled.
func TestBuffersFitWhatWaits(t *testing.T) {
	for _, size := range []int{1, 100, 1000, 1025, 4097, 33_000, 40_000, 65_536, 65_537, 300_000} {
		m := &Mailbox{w: newWorker(&Set{limit: 1 << 30}, 0)}
		written := 0
		for written < 4<<20 {
			m.appendLocked(make([]byte, size))
			written += size
		}
		held, bytes := 0, 0
		for it := m.head; it != nil; it = it.next {
			held += cap(it.buf)
			bytes += len(it.buf)
		}
		if bytes != written || m.waiting != written {
			t.Errorf("writes of %d: %d bytes queued, %d counted, %d written", size, bytes, m.waiting, written)
		}
		if held > 2*written+maxBuffer {
			t.Errorf("writes of %d: %d bytes of buffers for %d", size, held, written)
		}
	}
}

// A mailbox that waits with little holds little.
func TestSmallWaitSmallBuffer(t *testing.T) {
	m := &Mailbox{w: newWorker(&Set{limit: 1 << 30}, 0)}
	m.appendLocked(make([]byte, 100))
	if cap(m.head.buf) != minBuffer {
		t.Errorf("100 bytes wait in a buffer of %d", cap(m.head.buf))
	}
}

func TestGoroutineID(t *testing.T) {
	own, other := goroutineID(), make(chan uint64)
	go func() { other <- goroutineID() }()
	if o := <-other; own == 0 || o == 0 || own == o {
		t.Errorf("ids %d and %d", own, o)
	}
	if again := goroutineID(); again != own {
		t.Errorf("id %d, then %d", own, again)
	}
}
