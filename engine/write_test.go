package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// A write that is only queued costs its copy, and nothing on the heap.
func TestWriteToAShardAllocatesNothing(t *testing.T) {
	eng, err := engine.New(engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) {})})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Shutdown(t.Context())
	s, err := eng.Open("t", engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	comment := []byte(": keep-alive\n\n")
	allocs := testing.AllocsPerRun(1000, func() {
		if _, err := s.Write(comment); err != nil {
			t.Fatal(err)
		}
	})
	// AllocsPerRun rounds down: a buffer made now and then is not seen.
	if allocs > 0 {
		t.Errorf("a write allocates %v objects", allocs)
	}
}
