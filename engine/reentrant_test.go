package engine_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

func exit() { runtime.Goexit() }

// A handler can't work on its own stream, nor on one of the same Pool, while the event at hand lies on their desk; the
// stream is none the worse for it.
func TestReentrantCallsAreRefused(t *testing.T) {
	var pool engine.Pool
	var self, other *engine.Stream
	var lines []string
	calls := map[string]func() error{
		"Write":    func() error { _, err := self.Write(engine.Frames(events("CUSTOM x 1")...)); return err },
		"TryWrite": func() error { _, err := self.TryWrite(engine.Frames(events("CUSTOM x 1")...)); return err },
		"WriteContext": func() error {
			_, err := self.WriteContext(t.Context(), engine.Frames(events("CUSTOM x 1")...))
			return err
		},
		"Close":                     func() error { return self.Close() },
		"CloseWithError":            func() error { return self.CloseWithError(errors.New("x")) },
		"Release":                   func() error { return self.Release() },
		"Write to a pool's other":   func() error { _, err := other.Write(engine.Frames(events("RS")...)); return err },
		"Close of a pool's other":   func() error { return other.Close() },
		"Release of a pool's other": func() error { return other.Release() },
	}
	handler := engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		if s != self {
			t.Error("the other stream has an update")
		}
		for name, f := range calls {
			if err := f(); !errors.Is(err, engine.ErrReentrant) {
				t.Errorf("%s at %s: %v", name, line(u), err)
			}
		}
		lines = append(lines, line(u))
	})
	var err error
	if self, err = engine.NewStream(handler, engine.StreamOptions{Pool: &pool}); err != nil {
		t.Fatal(err)
	}
	if other, err = engine.NewStream(handler, engine.StreamOptions{Pool: &pool}); err != nil {
		t.Fatal(err)
	}
	for _, b := range engine.Frames(events("RS\nTEXT_MESSAGE_CHUNK messageId=m delta=\"a\"\nTEXT_MESSAGE_CHUNK messageId=m delta=\"b\"")...) {
		if _, err := self.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if err := self.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"message 0 m started", `message 0 m content "a"`, `message 0 m content "b"`, "error protocol: ~", "done failed: ~"}
	if diff := cmp.Diff(want, match(lines, want)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := self.Release(); err != nil {
		t.Error(err)
	}
	if err := other.Release(); err != nil {
		t.Error(err)
	}
}

// A view of another shard's stream would be waited for; one of the handler's own shard is had at once.
func TestViewFromAHandler(t *testing.T) {
	var eng *engine.Engine
	got := make(chan error, 2)
	var asked atomic.Bool
	var streams atomic.Pointer[[]*engine.Stream]
	eng = startEngine(t, engine.Config{Shards: 2, Handler: engine.HandlerFunc(func(s *engine.Stream, _ engine.Update) {
		if s.Key() != "a" || asked.Swap(true) {
			return
		}
		for _, to := range *streams.Load() {
			got <- to.View(t.Context(), func(engine.View) {})
		}
		got <- eng.Shutdown(t.Context())
		got <- eng.Run(t.Context(), engine.ReplayEvents(), &engine.RunAgentInput{}, engine.StreamOptions{})
	})})
	var list []*engine.Stream
	for key := byte('a'); key <= 'z'; key++ {
		list = append(list, open(t, eng, string(key), engine.StreamOptions{}))
	}
	streams.Store(&list)
	_, _ = list[0].Write(engine.Frames(events("RS\nTEXT_MESSAGE_START m")...))
	counts := map[string]int{}
	for i := range len(list) + 2 {
		select {
		case err := <-got:
			switch {
			case err == nil:
				counts["had"]++
			case errors.Is(err, engine.ErrFromHandler) && !errors.Is(err, engine.ErrFull) && i < len(list):
				counts["refused"]++
			case errors.Is(err, engine.ErrFromHandler) && errors.Is(err, engine.ErrConfig):
				counts["refused as config"]++
			default:
				t.Errorf("error %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the handler waits")
		}
	}
	if counts["had"] == 0 || counts["refused"] == 0 || counts["refused as config"] != 2 {
		t.Errorf("views %v", counts)
	}
}

// What is larger than a mailbox never fits in one piece: trying again is no use, and the error says so.
func TestTooLargeToTry(t *testing.T) {
	const mailbox = 4 << 10
	huge := make([]byte, mailbox+1)
	for i := range huge {
		huge[i] = '\n'
	}
	var other atomic.Pointer[engine.Stream]
	got := make(chan error, 1)
	eng := startEngine(t, engine.Config{Shards: 1, MailboxBytes: mailbox, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		if s.Key() != "from" || line(u) != "message 0 m started" {
			return
		}
		_, err := other.Load().Write(huge)
		got <- err
	})})
	s, to := open(t, eng, "from", engine.StreamOptions{}), open(t, eng, "to", engine.StreamOptions{})
	other.Store(to)
	if n, err := to.TryWrite(huge); n != 0 || !errors.Is(err, engine.ErrTooLarge) || errors.Is(err, engine.ErrFull) {
		t.Errorf("TryWrite: %d, %v", n, err)
	}
	if n, err := to.TryWrite(huge[1:]); n != mailbox || err != nil {
		t.Errorf("TryWrite of a mailbox full: %d, %v", n, err)
	}
	if n, err := to.Write(huge); n != len(huge) || err != nil {
		t.Errorf("Write: %d, %v", n, err)
	}
	_, _ = s.Write(engine.Frames(events("RS\nTEXT_MESSAGE_START m")...))
	if err := <-got; !errors.Is(err, engine.ErrTooLarge) {
		t.Errorf("Write from a handler: %v", err)
	}
	_ = to.Close()
	await(t, to)
	if _, err := to.TryWrite(huge); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("TryWrite after the end: %v", err)
	}
}
