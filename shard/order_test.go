package shard_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/shard"
)

// counter checks that the 4-byte numbers it is given come in order.
type counter struct {
	torn       []byte
	next       uint32
	inversions int
	ends       int
}

func (c *counter) Receive(p []byte) {
	c.torn = append(c.torn, p...)
	for len(c.torn) >= 4 {
		if n := binary.LittleEndian.Uint32(c.torn); n != c.next {
			c.inversions++
			c.next = n
		}
		c.next++
		c.torn = c.torn[4:]
	}
}

func (c *counter) End(error) { c.ends++ }

// Items of one mailbox stay in order whatever the workers do (W03).
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		workers, boxes, items int
		limit, batch          int
	}{
		{name: "one run of 20,000 through 8 workers", workers: 8, boxes: 1, items: 20_000},
		{name: "100 runs through 8 workers", workers: 8, boxes: 100, items: 2_000},
		{name: "2,000 runs through 2 workers", workers: 2, boxes: 2_000, items: 50},
		{name: "a mailbox of 64 bytes", workers: 2, boxes: 3, items: 2_000, limit: 64},
		{name: "a mailbox smaller than an item", workers: 2, boxes: 3, items: 500, limit: 3},
		{name: "batches of a byte", workers: 2, boxes: 10, items: 2_000, batch: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, shard.Config{Workers: tt.workers, MailboxBytes: tt.limit, BatchBytes: tt.batch})
			counters := make([]counter, tt.boxes)
			var writers sync.WaitGroup
			const groups = 4
			for g := range groups {
				writers.Go(func() {
					var mine []*shard.Mailbox
					for i := g; i < tt.boxes; i += groups {
						mine = append(mine, open(t, set, strconv.Itoa(i), &counters[i]))
					}
					for n := range tt.items {
						for _, box := range mine {
							if _, err := box.Write(binary.LittleEndian.AppendUint32(nil, uint32(n))); err != nil {
								t.Error(err)
							}
						}
					}
					for _, box := range mine {
						box.Close()
					}
					for _, box := range mine {
						<-box.Done()
					}
				})
			}
			writers.Wait()
			for i := range counters {
				c := &counters[i]
				if c.inversions != 0 || c.next != uint32(tt.items) || c.ends != 1 || len(c.torn) != 0 {
					t.Errorf("mailbox %d: %d inversions, %d of %d items, %d ends, %d bytes over",
						i, c.inversions, c.next, tt.items, c.ends, len(c.torn))
				}
			}
		})
	}
}

// Writes of every size around those of buffers come out whole and in order.
func TestWriteSizes(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1})
	for _, size := range []int{0, 1, 1023, 1024, 1025, 4096, 65535, 65536, 65537, 200_000, 1 << 20, 1<<20 + 1, 3<<20 + 7} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			r := &record{}
			box := open(t, set, "a", r)
			var want []byte
			for _, n := range []int{3, size, 5, size, size} {
				p := bytes.Repeat([]byte(fmt.Sprintf("%d.", len(want))), n)[:n]
				want = append(want, p...)
				got, err := box.Write(p)
				if got != n || err != nil {
					t.Fatalf("Write of %d bytes: %d, %v", n, got, err)
				}
				clear(p) // the mailbox has its copy
			}
			box.Close()
			await(t, "the end", box.Done())
			if !bytes.Equal(r.bytes, want) {
				t.Errorf("received %d bytes, want the %d written", len(r.bytes), len(want))
			}
		})
	}
}

// A write of up to a buffer's size is never cut: what lies whole in it can be
// lent on without a copy.
func TestWritesAreNotCut(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1})
	g := newGate()
	cut, ends := 0, 0
	box := open(t, set, "a", &funcs{
		receive: func(p []byte) {
			g.Receive(p)
			if p[0] != '<' || p[len(p)-1] != '>' {
				cut++
			}
		},
		end: func(error) { ends++ },
	})
	box.Write([]byte("<>"))
	await(t, "the worker", g.entered)
	for size := 2; size <= 64<<10; size += 1 + size/3 {
		p := bytes.Repeat([]byte{'.'}, size)
		p[0], p[size-1] = '<', '>'
		if _, err := box.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	close(g.open)
	box.Close()
	await(t, "the end", box.Done())
	if cut != 0 || ends != 1 {
		t.Errorf("%d batches begin or end within a write; %d ends", cut, ends)
	}
}

// Several writers of one mailbox: each Write lies in one piece, whatever its
// size and the room.
func TestWritesStayWhole(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 100})
	r := &record{}
	box := open(t, set, "a", r)
	var writers sync.WaitGroup
	const each = 50
	for w, size := range []int{1, 7, 60, 99, 100, 101, 350} {
		writers.Go(func() {
			for range each {
				if n, err := box.Write(bytes.Repeat([]byte{'a' + byte(w)}, size)); n != size || err != nil {
					t.Errorf("Write of %d: %d, %v", size, n, err)
				}
			}
		})
	}
	writers.Wait()
	box.Close()
	await(t, "the end", box.Done())
	got := map[byte]int{}
	for rest := r.bytes; len(rest) > 0; {
		size := []int{1, 7, 60, 99, 100, 101, 350}[rest[0]-'a']
		if !bytes.Equal(rest[:size], bytes.Repeat(rest[:1], size)) {
			t.Fatalf("a write of %d bytes lies in pieces", size)
		}
		got[rest[0]]++
		rest = rest[size:]
	}
	want := map[byte]int{'a': each, 'b': each, 'c': each, 'd': each, 'e': each, 'f': each, 'g': each}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes by writer (-want +got):\n%s", diff)
	}
}

// A mailbox with much work doesn't keep its worker from others.
func TestFairness(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 64 << 20})
	g := newGate()
	flood := open(t, set, "flood", g)
	flood.Write([]byte("x"))
	await(t, "the worker", g.entered)
	const behind = 32 << 20
	if _, err := flood.Write(make([]byte, behind)); err != nil {
		t.Fatal(err)
	}
	floodAtSmall := -1
	small := open(t, set, "small", &funcs{receive: func([]byte) { floodAtSmall = len(g.bytes) }})
	small.Write([]byte("hello"))
	close(g.open)
	if err := small.Do(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
	if err := flood.Do(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
	if floodAtSmall < 0 || floodAtSmall > 1+2*shard.DefaultBatchBytes {
		t.Errorf("the small mailbox was served after %d bytes of the other", floodAtSmall)
	}
	if len(g.bytes) != 1+behind {
		t.Errorf("the other got %d bytes, want %d", len(g.bytes), 1+behind)
	}
}

// Do comes after all bytes written before it, and before those written after.
func TestDoOrder(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 3})
	for i := range 50 {
		r := &record{}
		box := open(t, set, strconv.Itoa(i), r)
		for n := range 100 {
			box.Write(make([]byte, 10))
			got := -1
			if err := box.Do(context.Background(), func() { got = len(r.bytes) }); err != nil {
				t.Fatal(err)
			}
			if want := 10 * (n + 1); got != want {
				t.Fatalf("Do saw %d bytes, want %d", got, want)
			}
		}
		box.Close()
	}
}
