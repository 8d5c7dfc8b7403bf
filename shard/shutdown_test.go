package shard_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguistream/aguistream/shard"
)

// When Shutdown returns the set's goroutines are gone (W04).
func TestShutdownLeavesNothing(t *testing.T) {
	for range 100 { // goroutines of tests before this one may be on their way out
		time.Sleep(100 * time.Microsecond)
	}
	base := runtime.NumGoroutine()
	for round := range 100 {
		set := shard.New(shard.Config{Workers: 1 + round%8})
		var records [4]record
		for i := range records {
			open(t, set, strconv.Itoa(i), &records[i]).Write([]byte("task"))
		}
		shutdown(t, set)
		if n := runtime.NumGoroutine(); n > base {
			t.Fatalf("round %d: %d goroutines, %d before", round, n, base)
		}
		for i := range records {
			if string(records[i].bytes) != "task" || len(records[i].ends) != 1 || records[i].ends[0] != shard.ErrShutdown {
				t.Fatalf("round %d: mailbox %d got %q, ends %v", round, i, records[i].bytes, records[i].ends)
			}
		}
	}
}

// Shutdown while writers write: every byte that a write took is received, the
// others come back with an error.
func TestShutdownUnderLoad(t *testing.T) {
	for range 20 {
		set := shard.New(shard.Config{Workers: 2, MailboxBytes: 4 << 10})
		var taken, received, ends atomic.Int64
		const boxes = 20
		var writers sync.WaitGroup
		for i := range boxes {
			box := open(t, set, strconv.Itoa(i), &funcs{
				receive: func(p []byte) { received.Add(int64(len(p))) },
				end:     func(error) { ends.Add(1) },
			})
			writers.Go(func() {
				p := make([]byte, 700)
				for {
					n, err := box.Write(p)
					taken.Add(int64(n))
					if err != nil {
						must(t, "Write", err, shard.ErrShutdown)
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		shutdown(t, set)
		if got := ends.Load(); got != boxes {
			t.Errorf("%d ends, want %d", got, boxes)
		}
		writers.Wait()
		if taken.Load() != received.Load() {
			t.Errorf("%d bytes taken, %d received", taken.Load(), received.Load())
		}
		total := set.Stats().Total()
		if total.Waiting != 0 || total.Open != 0 || total.Dropped != 0 || total.Bytes != uint64(received.Load()) {
			t.Errorf("after it: %+v", total)
		}
	}
}

// A Shutdown whose context is over ends what is left, and says what it dropped.
func TestShutdownCutShort(t *testing.T) {
	set := shard.New(shard.Config{Workers: 1})
	g := newGate()
	stuck := open(t, set, "stuck", g)
	stuck.Write([]byte("x"))
	await(t, "the worker", g.entered)
	stuck.Write([]byte("not received"))
	var behind record
	waits := open(t, set, "behind", &behind)
	waits.Write([]byte("nor this"))
	called := make(chan error, 1)
	go func() {
		called <- waits.Do(context.Background(), func() { t.Error("a call was run after the cut") })
	}()
	time.Sleep(2 * time.Millisecond) // Do is in the queue

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	result := make(chan error, 2)
	go func() { result <- set.Shutdown(ctx) }()
	must(t, "the call", <-called, context.DeadlineExceeded)
	select {
	case err := <-result:
		t.Fatalf("Shutdown returned (%v) with a receiver at work", err)
	case <-time.After(2 * time.Millisecond):
	}
	close(g.open)
	must(t, "Shutdown", <-result, context.DeadlineExceeded)
	must(t, "a second Shutdown", set.Shutdown(context.Background()), nil)
	if string(g.bytes) != "x" || len(g.ends) != 1 || g.ends[0] != context.DeadlineExceeded {
		t.Errorf("the first mailbox got %q, ends %v", g.bytes, g.ends)
	}
	if len(behind.bytes) != 0 || len(behind.ends) != 1 || behind.ends[0] != context.DeadlineExceeded {
		t.Errorf("the one behind got %q, ends %v", behind.bytes, behind.ends)
	}
	total := set.Stats().Total()
	if want := uint64(len("not received") + len("nor this")); total.Dropped != want || total.Waiting != 0 || total.Open != 0 {
		t.Errorf("dropped %d bytes, want %d; stats %+v", total.Dropped, want, total)
	}
}

func TestAfterShutdown(t *testing.T) {
	set := shard.New(shard.Config{Workers: 2})
	box := open(t, set, "a", &record{})
	early := box.Done()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := set.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	await(t, "Done asked before", early)
	await(t, "Done asked after", box.Done())
	_, err := set.Open("b", on(&record{}))
	must(t, "Open", err, shard.ErrShutdown)
	must(t, "Open", err, shard.ErrClosed)
	_, err = box.Write([]byte("x"))
	must(t, "Write", err, shard.ErrShutdown)
	_, err = box.TryWrite([]byte("x"))
	must(t, "TryWrite", err, shard.ErrShutdown)
	must(t, "Do", box.Do(context.Background(), func() { t.Error("run") }), shard.ErrShutdown)
	must(t, "Close", box.Close(), nil)
	box.Fail(errors.New("late"))
	must(t, "Shutdown again", set.Shutdown(context.Background()), nil)
}

// Everything at once, for the race detector: no write that was taken is lost,
// and every mailbox ends once.
func TestRaces(t *testing.T) {
	boom := errors.New("boom")
	for round := range 30 {
		set := shard.New(shard.Config{Workers: 1 + round%3, MailboxBytes: 2000, BatchBytes: 500})
		var taken, received, ends, calls, ran atomic.Int64
		const boxes = 10
		var all sync.WaitGroup
		for i := range boxes {
			box, err := set.Open(strconv.Itoa(i), on(&funcs{
				receive: func(p []byte) { received.Add(int64(len(p))) },
				end:     func(error) { ends.Add(1) },
			}))
			if err != nil {
				t.Fatal(err)
			}
			for w := range 3 {
				all.Go(func() {
					p := make([]byte, 1+300*w)
					for {
						write := box.Write
						if w == 1 {
							write = box.TryWrite
						}
						n, err := write(p)
						taken.Add(int64(n))
						if err != nil && err != shard.ErrFull {
							return
						}
					}
				})
			}
			all.Go(func() {
				for {
					ctx, cancel := context.WithTimeout(context.Background(), 50*time.Microsecond)
					err := box.Do(ctx, func() { ran.Add(1) })
					cancel()
					if err == nil {
						calls.Add(1)
					} else if !errors.Is(err, context.DeadlineExceeded) {
						return
					}
				}
			})
			all.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Microsecond)
				switch i % 4 {
				case 0:
					box.Close()
				case 1:
					box.CloseWithError(boom)
				case 2:
					box.Fail(boom)
				}
				<-box.Done()
			})
		}
		time.Sleep(500 * time.Microsecond)
		var stops sync.WaitGroup
		for range 2 {
			stops.Go(func() { shutdown(t, set) })
		}
		stops.Wait()
		all.Wait()
		total := set.Stats().Total()
		if ends.Load() != boxes || calls.Load() != ran.Load() {
			t.Errorf("%d ends of %d; %d calls returned, %d ran", ends.Load(), boxes, calls.Load(), ran.Load())
		}
		if taken.Load() != received.Load()+int64(total.Dropped) {
			t.Errorf("%d bytes taken, %d received, %d dropped", taken.Load(), received.Load(), total.Dropped)
		}
		if total.Waiting != 0 || total.Open != 0 {
			t.Errorf("after it: %+v", total)
		}
	}
}
