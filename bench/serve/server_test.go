package serve

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// Runs that end in time end as they would have; the others get the server's last word.
func TestCloseDrainsAndThenStops(t *testing.T) {
	a, s := started(t, Options{Bodies: []Body{body("short", tokens(10)), body("long", tokens(1000))}, Pace: 20})
	got := make([]outcome, 4)
	closed := make(chan time.Duration, 1)
	go func() {
		for a.Stats().Live < 4 {
			time.Sleep(time.Millisecond)
		}
		begun := time.Now()
		stopped, err := s.Close(time.Second)
		if err != nil || stopped != 2 {
			t.Errorf("%d runs were stopped, %v", stopped, err)
		}
		closed <- time.Since(begun)
	}()
	together(4, func(i int) {
		got[i] = ask(t, s.URL()+[]string{"short", "long"}[i%2], "t", "r", engine.HTTPLimits{})
	})
	for i, o := range got {
		want := outcome{end: "success"}
		if i%2 == 1 {
			want = outcome{end: "failed", errors: []string{"run"}}
		}
		if diff := cmp.Diff([]any{want.end, want.errors, nil}, []any{o.end, o.errors, o.err}); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", i, diff)
		}
	}
	if took := <-closed; took < 900*time.Millisecond || took > 3*time.Second {
		t.Errorf("closing took %v, the runs had 1 s", took)
	}
	if _, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(s.URL(), "http://"), "/")); err == nil {
		t.Error("it still takes connections")
	}
	if s.Connections() != 0 {
		t.Errorf("%d connections are left", s.Connections())
	}
}

func TestCloseIsSwiftWhenNothingRuns(t *testing.T) {
	_, s := started(t, Options{})
	begun := time.Now()
	if _, err := s.Close(time.Minute); err != nil || time.Since(begun) > time.Second {
		t.Errorf("it took %v, %v", time.Since(begun), err)
	}
}

// Whoever waits for a header, is stalled or reads nothing keeps no server from closing.
func TestCloseWaitsForNobodyForLong(t *testing.T) {
	cases := []struct {
		name string
		opt  Options
	}{
		{"a stalled run", Options{Fault: Stall, FaultRate: 1}},
		{"a late header", Options{Fault: SlowHeader, FaultRate: 1, Delay: time.Hour}},
		{"a run between two tokens", Options{Pace: 0.001}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Bodies = []Body{body("one", tokens(10))}
			a, s := started(t, c.opt)
			dial(t, s.URL())
			eventually(t, 2*time.Second, "the run is live", func() bool { return a.Stats().Live == 1 })
			begun := time.Now()
			if _, err := s.Close(50 * time.Millisecond); err != nil || time.Since(begun) > lastWord+time.Second {
				t.Errorf("it took %v, %v", time.Since(begun), err)
			}
		})
	}
}
