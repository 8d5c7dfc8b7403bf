//go:build !race

package shard_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/aguistream/aguistream/shard"
)

// A Write allocates nothing once the buffers are warm, whatever waits.
func TestWriteDoesNotAllocate(t *testing.T) {
	for _, tt := range []struct {
		name              string
		size, boxes, runs int
	}{
		{"100 B, one mailbox", 100, 1, 20_000},
		{"100 B, 2,000 mailboxes", 100, 2000, 200_000},
		{"4 KiB, 100 mailboxes", 4 << 10, 100, 20_000},
		{"200 KiB, one mailbox", 200 << 10, 1, 2_000},
		{"3 MiB, over the limit", 3 << 20, 1, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, shard.Config{})
			all := make([]*shard.Mailbox, tt.boxes)
			for i := range all {
				all[i] = open(t, set, strconv.Itoa(i), discard{})
			}
			p := make([]byte, tt.size)
			write := func(n int) {
				for i := range n {
					if _, err := all[i%tt.boxes].Write(p); err != nil {
						t.Fatal(err)
					}
				}
			}
			var before, after runtime.MemStats
			least := 1.0
			for range 5 { // the first ones fill the pools
				write(tt.runs)
				runtime.ReadMemStats(&before)
				write(tt.runs)
				runtime.ReadMemStats(&after)
				least = min(least, float64(after.Mallocs-before.Mallocs)/float64(tt.runs))
			}
			if limit := max(0.001, 10/float64(tt.runs)); least > limit {
				t.Errorf("%.4f allocations a write, want at most %.4f", least, limit)
			}
		})
	}
}

// An idle mailbox that has been written to holds no buffer.
func TestIdleMailboxIsSmall(t *testing.T) {
	const boxes, most = 100_000, 512
	set := newSet(t, shard.Config{})
	all := make([]*shard.Mailbox, boxes)
	keys := make([]string, boxes)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	before := heap()
	for i := range all {
		all[i] = open(t, set, keys[i], discard{})
		if _, err := all[i].Write([]byte("data: {}\n\n")); err != nil {
			t.Fatal(err)
		}
	}
	for set.Stats().Total().Waiting > 0 {
		runtime.Gosched()
	}
	each := float64(heap()-before) / boxes
	t.Logf("%.0f bytes a mailbox", each)
	if each > most {
		t.Errorf("an idle mailbox takes %.0f bytes, want at most %d", each, most)
	}
	runtime.KeepAlive(all)
}

// heap is what is reachable, pools given back.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
