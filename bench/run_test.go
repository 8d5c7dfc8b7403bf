package bench_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
)

// The engine's pool of readers starts goroutines of its own as it is imported; those stay.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func bodies(t *testing.T, workload string) []bench.Body {
	t.Helper()
	list, err := bench.WorkloadBodies(workload, 7, 40)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func ran(t *testing.T, opt bench.RunOptions) *bench.Result {
	t.Helper()
	r, err := bench.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// holds fails for a run that lost events, or whose stores are not the plain pipeline's.
func holds(t *testing.T, r *bench.Result) {
	t.Helper()
	if !r.Balanced || r.Events != r.Applied+r.Skipped+r.Failed+r.Unread {
		t.Errorf("%d events in, %d applied, %d skipped, %d failed, %d unread; %d streams do not balance",
			r.Events, r.Applied, r.Skipped, r.Failed, r.Unread, r.Unbalanced)
	}
	if r.Mismatches > 0 {
		t.Errorf("%d of %d stores differ:\n%s", r.Mismatches, r.Checked, strings.Join(r.Differences, "\n"))
	}
}

// TestRunHoldsEveryWorkload runs more streams than are in flight, so that stores are used again.
func TestRunHoldsEveryWorkload(t *testing.T) {
	for _, name := range bench.Workloads() {
		for _, rules := range []engine.Rules{engine.Loud, engine.Spec} {
			t.Run(name+"/"+rules.String(), func(t *testing.T) {
				r := ran(t, bench.RunOptions{Workload: name, Bodies: bodies(t, name), Runs: 20, Total: 120, Rules: rules, Check: true})
				holds(t, r)
				if r.Runs != 120 || r.Checked != 120 || r.CutShort != 0 {
					t.Errorf("%d runs done, %d checked, %d cut short; want all of 120", r.Runs, r.Checked, r.CutShort)
				}
				if r.LatencySamples == 0 || r.LatencyMicros.P50 <= 0 || r.LatencyMicros.Max < r.LatencyMicros.P50 {
					t.Errorf("latency %+v of %d writes", r.LatencyMicros, r.LatencySamples)
				}
			})
		}
	}
}

func TestRunIsDeafToChunksAndShards(t *testing.T) {
	var want *bench.Result
	for _, c := range []struct {
		name          string
		chunk, shards int
	}{{"an event a write", 0, 2}, {"7 bytes", 7, 1}, {"a page", 4096, 3}, {"all at once", 1 << 20, 64}} {
		t.Run(c.name, func(t *testing.T) {
			got := ran(t, bench.RunOptions{Bodies: bodies(t, bench.CapturesWorkload), Runs: 30, Total: 75, Chunk: c.chunk, Shards: c.shards, Check: true})
			holds(t, got)
			if want == nil {
				want = got
			}
			if got.Events != want.Events || got.Updates != want.Updates || got.Skipped != want.Skipped || got.Bytes != want.Bytes {
				t.Errorf("%d events, %d updates, %d skipped, %d bytes; want %d, %d, %d, %d",
					got.Events, got.Updates, got.Skipped, got.Bytes, want.Events, want.Updates, want.Skipped, want.Bytes)
			}
		})
	}
}

// broken bodies, by what is known to come of them.
var brokenBodies = []struct {
	name, body                       string
	applied, skipped, failed, unread int64
	ends, kind                       string
}{
	{"a frame that is no JSON", "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\n\ndata: 1\n\ndata: 2\n\n", 1, 0, 1, 2, "failed", "json"},
	{"cut in a frame", "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FIN", 1, 0, 0, 0, "failed", "protocol"},
	{"nothing", "", 0, 0, 0, 0, "failed", "protocol"},
	{"comments", ": hello\n\n: there\n\n", 0, 0, 0, 0, "failed", "protocol"},
}

func TestRunBalancesBrokenBodies(t *testing.T) {
	for _, c := range brokenBodies {
		t.Run(c.name, func(t *testing.T) {
			const runs = 20
			r := ran(t, bench.RunOptions{Bodies: []bench.Body{{Name: c.name, Bytes: []byte(c.body)}}, Runs: 5, Total: runs, Check: true})
			holds(t, r)
			if r.Applied != runs*c.applied || r.Skipped != runs*c.skipped || r.Failed != runs*c.failed || r.Unread != runs*c.unread {
				t.Errorf("applied %d, skipped %d, failed %d, unread %d", r.Applied, r.Skipped, r.Failed, r.Unread)
			}
			if r.Ends[c.ends] != runs || r.Errors[c.kind] != runs {
				t.Errorf("ends %v, errors %v", r.Ends, r.Errors)
			}
		})
	}
}

func TestRunStopsWhenItsTimeIsOver(t *testing.T) {
	r := ran(t, bench.RunOptions{Bodies: bodies(t, bench.CapturesWorkload), Runs: 50, Duration: 200 * time.Millisecond})
	holds(t, r)
	if r.Runs == 0 || r.Seconds < 0.2 {
		t.Errorf("%d runs in %v s", r.Runs, r.Seconds)
	}
}

// TestRunIsInterrupted holds that what is given up in flight is counted as far as it came.
func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	// So slow that no run is over by then.
	r, err := bench.Run(ctx, bench.RunOptions{Bodies: bodies(t, "chat"), Runs: 50, Duration: time.Hour, Rate: 20})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, r)
	if r.CutShort == 0 || r.CutShort > 50 || r.Runs != 0 || r.Events == 0 {
		t.Errorf("%d runs done, %d given up, %d events", r.Runs, r.CutShort, r.Events)
	}
	if len(r.Ends) > 0 {
		t.Errorf("ends of streams that had none: %v", r.Ends)
	}
}

func TestRateSpacesWritesOut(t *testing.T) {
	r := ran(t, bench.RunOptions{Bodies: bodies(t, "chat"), Runs: 20, Total: 100, Rate: 200})
	holds(t, r)
	if r.Seconds < 0.4 {
		t.Errorf("100 runs at 200 a second took %v s", r.Seconds)
	}
}

func TestLiveLine(t *testing.T) {
	var line bytes.Buffer
	ran(t, bench.RunOptions{Bodies: bodies(t, "chat"), Runs: 20, Duration: 600 * time.Millisecond, Live: &line})
	for _, text := range []string{"runs done", "events/s", "MB/s", "s left"} {
		if !strings.Contains(line.String(), text) {
			t.Errorf("no %q in %q", text, line.String())
		}
	}
	if !strings.HasSuffix(line.String(), "\r\x1b[K") {
		t.Error("the line is not cleared at the end")
	}
}
