package shard_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/shard"
)

// The first Close of either kind counts, and End comes once.
func TestCloseOnce(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name  string
		close func(box *shard.Mailbox)
		want  error
	}{
		{"Close", func(b *shard.Mailbox) { b.Close() }, nil},
		{"Close twice", func(b *shard.Mailbox) { b.Close(); b.Close() }, nil},
		{"CloseWithError", func(b *shard.Mailbox) { b.CloseWithError(boom) }, boom},
		{"CloseWithError of nothing", func(b *shard.Mailbox) { b.CloseWithError(nil) }, nil},
		{"Close, then with an error", func(b *shard.Mailbox) { b.Close(); b.CloseWithError(boom) }, nil},
		{"with an error, then Close", func(b *shard.Mailbox) { b.CloseWithError(boom); b.Close() }, boom},
		{"Fail, then Close", func(b *shard.Mailbox) { b.Fail(boom); b.Close() }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, shard.Config{Workers: 1})
			r := &record{}
			box := open(t, set, "a", r)
			tt.close(box)
			await(t, "the end", box.Done())
			box.Close()
			shutdown(t, set)
			if len(r.ends) != 1 || r.ends[0] != tt.want {
				t.Errorf("ends %v, want one of %v", r.ends, tt.want)
			}
		})
	}
}

// Fail refuses bytes and nothing else.
func TestFail(t *testing.T) {
	boom := errors.New("boom")
	set := newSet(t, shard.Config{Workers: 1})
	var box *shard.Mailbox
	g := newGate()
	var got, ends int
	box = open(t, set, "a", &funcs{
		receive: func(p []byte) {
			g.Receive(p)
			got += len(p)
			box.Fail(boom)
		},
		end: func(error) { ends++ },
	})
	box.Write([]byte("taken"))
	await(t, "the worker", g.entered)
	box.Write(make([]byte, 1000))
	box.Write(make([]byte, 1000))
	close(g.open)
	ran := false
	must(t, "Do", box.Do(context.Background(), func() { ran = true }), nil)
	if !ran || got != len("taken") {
		t.Errorf("call run: %v; received %d bytes, want %d", ran, got, len("taken"))
	}
	for _, write := range []func([]byte) (int, error){box.Write, box.TryWrite} {
		n, err := write([]byte("x"))
		if n != 0 || err != boom {
			t.Errorf("a write after Fail: %d, %v", n, err)
		}
	}
	if total := set.Stats().Total(); total.Dropped != 2000 || total.Open != 1 {
		t.Errorf("stats after Fail: %+v", total)
	}
	box.Close()
	await(t, "the end", box.Done())
	if _, err := box.Write([]byte("x")); err != boom {
		t.Errorf("a write after the end: %v", err)
	}
	if ends != 1 {
		t.Errorf("%d ends", ends)
	}
}

// A panic ends its mailbox alone, wherever it comes from.
func TestPanic(t *testing.T) {
	cause := errors.New("cause")
	type outcome struct {
		Ends, Told int
		Do         bool // the call came back with the panic
	}
	goexit := func() { runtime.Goexit() }
	throw := func() { panic(cause) }
	for _, tt := range []struct {
		name                       string
		making, receive, end, call func()
		value                      error
		want                       outcome
	}{
		{name: "making", making: throw, value: cause, want: outcome{Told: 1, Do: true}},
		{name: "Receive", receive: throw, value: cause, want: outcome{Ends: 1, Told: 1, Do: true}},
		{name: "End", end: throw, want: outcome{Ends: 1, Told: 1}},
		{name: "Receive and End", receive: throw, end: throw, value: cause, want: outcome{Ends: 1, Told: 2, Do: true}},
		{name: "Do", call: throw, value: cause, want: outcome{Ends: 1, Told: 1, Do: true}},
		{name: "Goexit in making", making: goexit, value: shard.ErrGoexit, want: outcome{Told: 1, Do: true}},
		{name: "Goexit in Receive", receive: goexit, value: shard.ErrGoexit, want: outcome{Ends: 1, Told: 1, Do: true}},
		{name: "Goexit in End", end: goexit, want: outcome{Ends: 1, Told: 1}},
		{name: "Goexit in Do", call: goexit, value: shard.ErrGoexit, want: outcome{Ends: 1, Told: 1, Do: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := func(f func()) {
				if f != nil {
					f()
				}
			}
			var got outcome
			var box *shard.Mailbox
			set := newSet(t, shard.Config{Workers: 1, Panic: func(b *shard.Mailbox, v any, stack []byte) {
				got.Told++
				if b != box || len(stack) == 0 {
					t.Errorf("told of mailbox %q, %d bytes of stack", b.Key(), len(stack))
				}
			}})
			neighbour := &record{}
			next := open(t, set, "next", neighbour)
			hold := newGate() // so that all that follows is queued when it begins
			open(t, set, "hold", hold).Write([]byte("x"))
			await(t, "the worker", hold.entered)

			var endErr error
			box, _ = set.Open("box", func(int) shard.Receiver {
				run(tt.making)
				return &funcs{
					receive: func([]byte) { run(tt.receive) },
					end:     func(err error) { got.Ends++; endErr = err; run(tt.end) },
				}
			})
			box.Write(make([]byte, 100))
			next.Write([]byte("here"))
			called := make(chan error, 1)
			go func() { called <- box.Do(context.Background(), func() { run(tt.call) }) }()
			time.Sleep(2 * time.Millisecond)
			close(hold.open)
			err := <-called
			got.Do = err != nil
			if tt.value != nil {
				var p *shard.PanicError
				if !errors.As(err, &p) || p.Key != "box" || !errors.Is(err, tt.value) || !errors.Is(err, shard.ErrClosed) {
					t.Errorf("Do: %v", err)
				}
				_, err = box.Write([]byte("more"))
				must(t, "Write", err, tt.value)
				if tt.want.Ends > 0 {
					await(t, "the end", box.Done())
					must(t, "End", endErr, tt.value)
				}
			}
			box.Close()
			await(t, "the end", box.Done())

			next.Write([]byte(" still"))
			next.Close()
			await(t, "the neighbour's end", next.Done())
			if string(neighbour.bytes) != "here still" {
				t.Errorf("the neighbour got %q", neighbour.bytes)
			}
			shutdown(t, set)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// A receiver is made on the mailbox's worker, before its first call, and not
// for a mailbox that has none.
func TestReceiverIsMadeOnTheWorker(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 3})
	for _, tt := range []struct {
		name string
		use  func(box *shard.Mailbox)
		want []string
	}{
		{"nothing", func(*shard.Mailbox) {}, nil},
		{"an empty write", func(b *shard.Mailbox) { b.Write(nil) }, nil},
		{"a write", func(b *shard.Mailbox) {
			b.Write([]byte("x"))
			b.Close()
		}, []string{"make", "receive", "end"}},
		{"a close", func(b *shard.Mailbox) { b.Close() }, []string{"make", "end"}},
		{"a call", func(b *shard.Mailbox) {
			b.Do(context.Background(), func() {})
			b.Close()
		}, []string{"make", "end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range 10 {
				var got []string
				var box *shard.Mailbox
				box, _ = set.Open(strconv.Itoa(i), func(worker int) shard.Receiver {
					if worker != box.Worker() || worker != set.WorkerOf(box.Key()) {
						t.Errorf("made on worker %d, the mailbox's is %d", worker, box.Worker())
					}
					got = append(got, "make")
					return &funcs{
						receive: func([]byte) { got = append(got, "receive") },
						end:     func(error) { got = append(got, "end") },
					}
				})
				tt.use(box)
				if tt.want != nil {
					await(t, "the end", box.Done())
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestDoContext(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1})
	g := newGate()
	box := open(t, set, "a", g)
	box.Write([]byte("x"))
	await(t, "the worker", g.entered)

	over, cancel := context.WithCancel(context.Background())
	cancel()
	must(t, "Do with a context that is over", box.Do(over, func() { t.Error("run") }), context.Canceled)
	brief, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	must(t, "Do that waits", box.Do(brief, func() { t.Error("run") }), context.DeadlineExceeded)
	close(g.open)

	// One that has begun is waited for: what f writes is the caller's to read.
	long, cancel := context.WithCancel(context.Background())
	finished := false
	must(t, "Do that runs", box.Do(long, func() {
		cancel()
		time.Sleep(2 * time.Millisecond)
		finished = true
	}), nil)
	if !finished {
		t.Error("Do returned while f ran")
	}
}

// Keys spread, and one key has one worker in every set of that many.
func TestKeys(t *testing.T) {
	const workers, keys = 7, 7000
	a := newSet(t, shard.Config{Workers: workers})
	b := newSet(t, shard.Config{Workers: workers})
	var load [workers]int
	for i := range keys {
		key := "thread-" + strconv.Itoa(i)
		w := a.WorkerOf(key)
		load[w]++
		if b.WorkerOf(key) != w {
			t.Fatalf("key %q: worker %d here, %d there", key, w, b.WorkerOf(key))
		}
	}
	for w, n := range load {
		if n < keys/workers*8/10 || n > keys/workers*12/10 {
			t.Errorf("worker %d has %d of %d keys", w, n, keys)
		}
	}
	if a.Workers() != workers {
		t.Errorf("%d workers", a.Workers())
	}
}

func TestStats(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 2})
	g := newGate()
	box := open(t, set, keyOn(set, 1), g)
	box.Write([]byte("x"))
	await(t, "the worker", g.entered)
	box.Write(make([]byte, 5000))
	got := set.Stats()
	got.Workers[1].Wakeups = 0
	want := shard.Stats{Workers: []shard.WorkerStats{{}, {Open: 1, Waiting: 5001}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at work (-want +got):\n%s", diff)
	}
	close(g.open)
	box.Do(context.Background(), func() {})
	box.Close()
	await(t, "the end", box.Done())
	got = set.Stats()
	if got.Workers[1].Wakeups == 0 {
		t.Error("the worker was never woken")
	}
	got.Workers[1].Wakeups = 0
	want = shard.Stats{Workers: []shard.WorkerStats{{}, {Batches: 2, Bytes: 5001, Calls: 1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at rest (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Workers[1], got.Total()); diff != "" {
		t.Errorf("in total (-want +got):\n%s", diff)
	}
}
