package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// What a hook's panic leaves undone of one stream is never told to another one of the same shard.
func TestWarningsOfAStreamThatPanickedAreDropped(t *testing.T) {
	secret := engine.Frames(events("RS\nCUSTOM x 1 extra=1 secret=2")...)
	other := engine.Frames(events("RS\nCUSTOM x 1 own=1\nRF")...)
	want := []string{"/own"}
	panics := engine.StreamOptions{Rules: engine.Spec, Warn: func(engine.Warning) { panic("boom") }}
	var told []string
	tells := engine.StreamOptions{Rules: engine.Spec, Warn: func(w engine.Warning) { told = append(told, w.Path) }}
	t.Run("on a shard", func(t *testing.T) {
		told = nil
		eng := startEngine(t, engine.Config{Shards: 1, Handler: ignoring()})
		s := open(t, eng, "t", panics)
		_, _ = s.Write(secret)
		await(t, s)
		s = open(t, eng, "t", tells)
		_, _ = s.Write(other)
		_ = s.Close()
		await(t, s)
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("here", func(t *testing.T) {
		told = nil
		panics.Pool = new(engine.Pool)
		tells.Pool = panics.Pool
		one, err1 := engine.NewStream(ignoring(), panics)
		two, err2 := engine.NewStream(ignoring(), tells)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = one.Write(secret)
		}()
		_, _ = two.Write(other)
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// counter is a handler that panics now and then, and hears of the end once.
type counter struct {
	n, updates, ends atomic.Int64
	err              atomic.Value // what the end was told with
}

func (c *counter) HandleUpdate(*engine.Stream, engine.Update) {
	if c.ends.Load() != 0 {
		panic("an update after the end")
	}
	if c.n.Load() == c.updates.Add(1) {
		panic("boom")
	}
}

func (c *counter) HandleEnd(s *engine.Stream, err error) {
	c.ends.Add(1)
	c.err.Store(fmt.Sprint(err))
	for _, m := range s.HandlerView().Messages() {
		if m.ID != "m" {
			panic(m.ID)
		}
	}
}

// Streams that are opened, written, closed, broken and shut down all at once each end once, with what Err gives.
func TestEndsAllAtOnce(t *testing.T) {
	for round := range 8 {
		eng, err := engine.New(engine.Config{Shards: 2, Handler: ignoring()})
		if err != nil {
			t.Fatal(err)
		}
		body := engine.Frames(events(openRun + "\nTEXT_MESSAGE_CONTENT m delta=\"abc\"\nTEXT_MESSAGE_END m\nRF")...)
		var all sync.WaitGroup
		var mu sync.Mutex
		opened := map[*engine.Stream]*counter{}
		for g := range 4 {
			all.Go(func() {
				for i := range 100 {
					c := new(counter)
					c.n.Store(int64(i % 9)) // 0, and beyond the last update: no panic
					s, err := eng.Open(fmt.Sprint(g, i), engine.StreamOptions{Handler: c})
					if err != nil {
						if !errors.Is(err, engine.ErrClosed) {
							t.Errorf("Open: %v", err)
						}
						return
					}
					mu.Lock()
					opened[s] = c
					mu.Unlock()
					_, _ = s.Write(body[:len(body)*(i%5)/4])
					switch i % 4 {
					case 0:
						all.Go(func() { _ = s.CloseWithError(errors.New("reset")) })
						_ = s.Close()
					case 1:
						_ = s.Close()
					case 2:
						_ = s.CloseWithError(errors.New("reset"))
					}
				}
			})
		}
		time.Sleep(time.Duration(round) * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := eng.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		cancel()
		all.Wait()
		for s, c := range opened {
			await(t, s)
			if c.ends.Load() != 1 || c.err.Load() != fmt.Sprint(s.Err()) {
				t.Fatalf("%d ends, told with %v, Err is %v", c.ends.Load(), c.err.Load(), s.Err())
			}
		}
		if n := eng.Stats().Streams; n != 0 {
			t.Errorf("%d streams are left", n)
		}
	}
}
