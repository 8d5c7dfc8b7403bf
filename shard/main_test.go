package shard_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguistream/aguistream/shard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what should come at once.
const patience = 10 * time.Second

// funcs is a Receiver of two functions, either of which may be nil.
type funcs struct {
	receive func(p []byte)
	end     func(err error)
}

func (f *funcs) Receive(p []byte) {
	if f.receive != nil {
		f.receive(p)
	}
}

func (f *funcs) End(err error) {
	if f.end != nil {
		f.end(err)
	}
}

// on is a newReceiver that gives r.
func on(r shard.Receiver) func(int) shard.Receiver {
	return func(int) shard.Receiver { return r }
}

// record keeps what it is given. Its fields may be read once the mailbox is
// done.
type record struct {
	bytes []byte
	ends  []error
}

func (r *record) Receive(p []byte) { r.bytes = append(r.bytes, p...) }
func (r *record) End(err error)    { r.ends = append(r.ends, err) }

// open gives a mailbox of set, which it must.
func open(t testing.TB, set *shard.Set, key string, r shard.Receiver) *shard.Mailbox {
	t.Helper()
	box, err := set.Open(key, on(r))
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// newSet gives a set that the test's end shuts down.
func newSet(t testing.TB, cfg shard.Config) *shard.Set {
	t.Helper()
	set := shard.New(cfg)
	t.Cleanup(func() { shutdown(t, set) })
	return set
}

func shutdown(t testing.TB, set *shard.Set) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := set.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// await fails the test if c is not closed (or sent to) in good time.
func await(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

// keyOn is a key that set serves on the worker wanted.
func keyOn(set *shard.Set, worker int) string {
	for key := "k"; ; key += "k" {
		if set.WorkerOf(key) == worker {
			return key
		}
	}
}

// gate is a receiver that stays in its first Receive until opened.
type gate struct {
	record
	entered chan struct{}
	open    chan struct{}
	once    sync.Once
}

func newGate() *gate {
	return &gate{entered: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) Receive(p []byte) {
	g.once.Do(func() {
		close(g.entered)
		<-g.open
	})
	g.record.Receive(p)
}

// must fails the test unless err is want (errors.Is; nil is no error).
func must(t testing.TB, what string, err, want error) {
	t.Helper()
	if want == nil && err == nil {
		return
	}
	if want == nil || !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}
