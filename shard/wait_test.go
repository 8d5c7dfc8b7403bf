package shard_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/shard"
)

// A write that waits for room is let go by each thing that can let it go.
func TestBlockedWrite(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name  string
		size  int // of the write; 60 of 100 bytes are taken
		free  func(set *shard.Set, box *shard.Mailbox, g *gate, cancel func())
		n     int
		err   error
		ended error // what End is given; bytes received when the mailbox is closed at last
		bytes int
	}{
		{
			name: "room", size: 80,
			free: func(_ *shard.Set, _ *shard.Mailbox, g *gate, _ func()) { close(g.open) },
			n:    80, bytes: 140,
		},
		{
			name: "room for one larger than the limit", size: 1000,
			free: func(_ *shard.Set, _ *shard.Mailbox, g *gate, _ func()) { close(g.open) },
			n:    1000, bytes: 1060,
		},
		{
			name: "Close", size: 80,
			free: func(_ *shard.Set, box *shard.Mailbox, _ *gate, _ func()) { box.Close() },
			err:  shard.ErrClosed, bytes: 60,
		},
		{
			name: "Close of one larger than the limit", size: 1000,
			free: func(_ *shard.Set, box *shard.Mailbox, _ *gate, _ func()) { box.Close() },
			n:    40, err: shard.ErrClosed, bytes: 100,
		},
		{
			name: "CloseWithError", size: 80,
			free: func(_ *shard.Set, box *shard.Mailbox, _ *gate, _ func()) { box.CloseWithError(boom) },
			err:  shard.ErrClosed, ended: boom, bytes: 60,
		},
		{
			name: "Fail", size: 80,
			free: func(_ *shard.Set, box *shard.Mailbox, _ *gate, _ func()) { box.Fail(boom) },
			err:  boom, bytes: 1, // the batch that the receiver has already
		},
		{
			name: "Shutdown", size: 80,
			free: func(set *shard.Set, _ *shard.Mailbox, _ *gate, _ func()) {
				go set.Shutdown(context.Background())
			},
			err: shard.ErrShutdown, ended: shard.ErrShutdown, bytes: 60,
		},
		{
			name: "the context", size: 80,
			free: func(_ *shard.Set, _ *shard.Mailbox, _ *gate, cancel func()) { cancel() },
			err:  context.Canceled, bytes: 60,
		},
		{
			name: "the context, larger than the limit", size: 1000,
			free: func(_ *shard.Set, _ *shard.Mailbox, _ *gate, cancel func()) { cancel() },
			n:    40, err: context.Canceled, bytes: 100,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 100})
			g := newGate()
			box := open(t, set, "a", g)
			box.Write([]byte("x"))
			await(t, "the worker", g.entered)
			if n, err := box.Write(make([]byte, 59)); n != 59 || err != nil {
				t.Fatalf("Write with room: %d, %v", n, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			type result struct {
				n   int
				err error
			}
			wrote := make(chan result, 1)
			go func() {
				n, err := box.WriteContext(ctx, bytes.Repeat([]byte("y"), tt.size))
				wrote <- result{n, err}
			}()
			select {
			case r := <-wrote:
				t.Fatalf("Write without room returned %d, %v", r.n, r.err)
			case <-time.After(5 * time.Millisecond):
			}
			if _, err := box.TryWrite([]byte("z")); err != shard.ErrFull {
				t.Errorf("TryWrite ahead of a writer that waits: %v", err)
			}
			tt.free(set, box, g, cancel)
			select {
			case r := <-wrote:
				if r.n != tt.n {
					t.Errorf("Write took %d bytes, want %d", r.n, tt.n)
				}
				must(t, "Write", r.err, tt.err)
			case <-time.After(patience):
				t.Fatal("Write still waits")
			}
			select {
			case <-g.open:
			default:
				close(g.open)
			}
			box.Close()
			await(t, "the end", box.Done())
			if len(g.bytes) != tt.bytes {
				t.Errorf("received %d bytes, want %d", len(g.bytes), tt.bytes)
			}
			if diff := cmp.Diff([]error{tt.ended}, g.ends, cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

// A writer that gave up leaves the line to those behind it.
func TestWaitersLine(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 10})
	g := newGate()
	box := open(t, set, "a", g)
	box.Write([]byte("0123456789"))
	await(t, "the worker", g.entered)
	const writers = 5
	var cancels [writers]context.CancelFunc
	errs := make(chan error, writers)
	for i := range writers {
		ctx, cancel := context.WithCancel(context.Background())
		cancels[i] = cancel
		go func() {
			_, err := box.WriteContext(ctx, bytes.Repeat([]byte{'a' + byte(i)}, 6))
			errs <- err
		}()
		time.Sleep(2 * time.Millisecond) // so that they stand in this order
	}
	for _, i := range []int{4, 0, 2} { // last, first, middle
		cancels[i]()
		must(t, "cancelled Write", <-errs, context.Canceled)
	}
	close(g.open)
	for range writers - 3 {
		must(t, "Write", <-errs, nil)
	}
	for _, cancel := range cancels {
		cancel()
	}
	box.Close()
	await(t, "the end", box.Done())
	if got, want := string(g.bytes), "0123456789bbbbbbdddddd"; got != want {
		t.Errorf("received %q, want %q", got, want)
	}
}

// A small write behind a large one that gave up finds its room at once, not at
// the worker's next turn.
func TestRoomBehindOneThatGaveUp(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 100})
	g := newGate()
	box := open(t, set, "a", g)
	box.Write(make([]byte, 60))
	await(t, "the worker", g.entered)
	defer close(g.open)
	ctx, cancel := context.WithCancel(context.Background())
	large, small := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(large)
		_, err := box.WriteContext(ctx, make([]byte, 80))
		must(t, "the large Write", err, context.Canceled)
	}()
	time.Sleep(2 * time.Millisecond)
	go func() {
		defer close(small)
		_, err := box.Write(make([]byte, 10))
		must(t, "the small Write", err, nil)
	}()
	time.Sleep(2 * time.Millisecond)
	cancel()
	await(t, "the large Write", large)
	await(t, "the small Write", small)
}

func TestTryWrite(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1, MailboxBytes: 100})
	g := newGate()
	box := open(t, set, "a", g)
	box.Write([]byte("x"))
	await(t, "the worker", g.entered)
	for _, tt := range []struct {
		name    string
		size, n int
		err     error
	}{
		{"fits", 50, 50, nil},
		{"over the limit", 50, 0, shard.ErrFull},
		{"just fits", 49, 49, nil},
		{"nothing", 0, 0, nil},
		{"one byte over", 1, 0, shard.ErrFull},
		{"never fits", 101, 0, shard.ErrFull},
	} {
		if n, err := box.TryWrite(make([]byte, tt.size)); n != tt.n || err != tt.err {
			t.Errorf("%s: TryWrite of %d bytes: %d, %v; want %d, %v", tt.name, tt.size, n, err, tt.n, tt.err)
		}
	}
	close(g.open)
	box.Close()
	for _, size := range []int{0, 1} {
		_, err := box.TryWrite(make([]byte, size))
		must(t, "TryWrite after Close", err, shard.ErrClosed)
		_, err = box.Write(make([]byte, size))
		must(t, "Write after Close", err, shard.ErrClosed)
	}
	await(t, "the end", box.Done())
	if len(g.bytes) != 100 {
		t.Errorf("received %d bytes, want 100", len(g.bytes))
	}
}

// A worker never waits for a worker (W01): from a receiver, what would wait
// says so instead.
func TestFromReceiver(t *testing.T) {
	const workers = 2
	for _, tt := range []struct {
		name string
		do   func(ctx context.Context, set *shard.Set, own, same, other *shard.Mailbox) error
		want error
	}{
		{"Write to itself, room", func(_ context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			_, err := own.Write(make([]byte, 50))
			return err
		}, nil},
		{"Write to itself, full", func(_ context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			n, err := own.Write(make([]byte, 100))
			if n != 0 {
				return errors.New("took bytes")
			}
			return err
		}, shard.ErrSelf},
		{"Write to itself, larger than the limit", func(_ context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			_, err := own.Write(make([]byte, 1000))
			return err
		}, shard.ErrSelf},
		{"Write to another of its worker, full", func(_ context.Context, _ *shard.Set, _, same, _ *shard.Mailbox) error {
			same.Write(make([]byte, 100))
			_, err := same.Write([]byte("x"))
			return err
		}, shard.ErrSelf},
		{"Write to another worker's, full", func(_ context.Context, _ *shard.Set, _, _, other *shard.Mailbox) error {
			_, err := other.Write(make([]byte, 1000))
			return err
		}, shard.ErrFull},
		{"WriteContext", func(ctx context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			_, err := own.WriteContext(ctx, make([]byte, 100))
			return err
		}, shard.ErrSelf},
		{"TryWrite", func(_ context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			_, err := own.TryWrite(make([]byte, 100))
			return err
		}, shard.ErrFull},
		{"Do on itself", func(ctx context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			ran := false
			err := own.Do(ctx, func() { ran = true })
			if !ran {
				return errors.New("f was not run")
			}
			return err
		}, nil},
		{"Do on another of its worker", func(ctx context.Context, _ *shard.Set, _, same, _ *shard.Mailbox) error {
			ran := false
			err := same.Do(ctx, func() { ran = true })
			if !ran {
				return errors.New("f was not run")
			}
			return err
		}, nil},
		{"Do on another worker's", func(ctx context.Context, _ *shard.Set, _, _, other *shard.Mailbox) error {
			return other.Do(ctx, func() {})
		}, shard.ErrSelf},
		{"Do on itself, closed and not ended", func(ctx context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			own.Close()
			return own.Do(ctx, func() {})
		}, nil},
		{"Shutdown", func(ctx context.Context, set *shard.Set, _, _, _ *shard.Mailbox) error {
			return set.Shutdown(ctx)
		}, shard.ErrSelf},
		{"Close and Write", func(_ context.Context, _ *shard.Set, own, _, _ *shard.Mailbox) error {
			own.Close()
			_, err := own.Write(make([]byte, 1))
			return err
		}, shard.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, shard.Config{Workers: workers, MailboxBytes: 100})
			same := open(t, set, keyOn(set, 0), &record{})
			other := open(t, set, keyOn(set, 1), &record{})
			var own *shard.Mailbox
			result := make(chan error, 1)
			first := true
			own = open(t, set, keyOn(set, 0), &funcs{receive: func([]byte) {
				if first {
					first = false
					result <- tt.do(t.Context(), set, own, same, other)
				}
			}})
			own.Write([]byte("x"))
			select {
			case err := <-result:
				must(t, tt.name, err, tt.want)
			case <-time.After(patience):
				t.Fatal("the worker waits for itself")
			}
		})
	}
}

// Receivers of all workers write into each other's full mailboxes at one time:
// nobody waits, and what didn't fit is known.
func TestCycle(t *testing.T) {
	const workers = 4
	set := newSet(t, shard.Config{Workers: workers, MailboxBytes: 64})
	var boxes [workers]*shard.Mailbox
	var all sync.WaitGroup // until every worker is in a receiver
	all.Add(workers)
	var full atomic.Int64
	for i := range workers {
		first := true
		boxes[i] = open(t, set, keyOn(set, i), &funcs{receive: func([]byte) {
			if !first {
				return
			}
			first = false
			all.Done()
			all.Wait()
			for _, box := range boxes {
				switch n, err := box.Write(make([]byte, 64)); {
				case n == 0 && errors.Is(err, shard.ErrSelf):
					full.Add(1)
				case err != nil:
					t.Errorf("Write: %d, %v", n, err)
				}
			}
		}})
	}
	for _, box := range boxes {
		box.Write([]byte("x"))
	}
	for _, box := range boxes {
		must(t, "Do", box.Do(t.Context(), func() {}), nil)
	}
	if full.Load() == 0 {
		t.Error("no mailbox was full")
	}
}
