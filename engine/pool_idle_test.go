package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// What a burst of streams left goes when nobody asks for it; what a steady load needs stays.
func TestPoolForgetsStreams(t *testing.T) {
	const burst, steady = 4096, 8
	p := new(engine.Pool)
	open := func(n int) []*engine.Stream {
		list := make([]*engine.Stream, n)
		for i := range list {
			s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{Pool: p})
			if err != nil {
				t.Fatal(err)
			}
			list[i] = s
		}
		return list
	}
	release := func(list []*engine.Stream) {
		for _, s := range list {
			if err := s.Release(); err != nil {
				t.Fatal(err)
			}
		}
	}
	release(open(burst))
	if n := engine.Idle(p); n != burst {
		t.Fatalf("the pool keeps %d of %d streams", n, burst)
	}
	for range 16 * engine.IdleEpoch / steady {
		release(open(steady))
	}
	if n := engine.Idle(p); n < steady || n > 4*steady {
		t.Errorf("the pool keeps %d streams for a load of %d", n, steady)
	}
}
