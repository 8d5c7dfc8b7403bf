package bench

import (
	"runtime"
	"testing"

	"github.com/aguistream/aguistream/bench/workload"
)

// The benchmarks of this folder are of the whole module, so that a result file holds all of it. Each reports events/s,
// MB/s and allocs/event; what an event is for those that have none (a string, a patch) is said there.

// report times do, which does w, and reports it. The first time, which fills pools, isn't timed.
func report(b *testing.B, w Work, do func() error) {
	b.Helper()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(w.Bytes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	events := float64(b.N) * float64(w.Events)
	b.ReportMetric(ratio(events, b.Elapsed().Seconds()), "events/s")
	b.ReportMetric(ratio(float64(after.Mallocs-before.Mallocs), events), "allocs/event")
}

// someBodies are a dozen streams of a workload, and their size.
func someBodies(tb testing.TB, name string, tokens int) ([]Body, Work) {
	tb.Helper()
	bodies, err := CompareBodies(name, 1, tokens)
	if err != nil {
		tb.Fatal(err)
	}
	units, err := MeasureBodies(bodies)
	if err != nil {
		tb.Fatal(err)
	}
	return bodies, totalWork(units)
}

// oneBody is a long stream by one producer.
func oneBody(tb testing.TB, name string, o workload.Options) ([]byte, Work) {
	tb.Helper()
	body, err := workload.Body(name, o)
	if err != nil {
		tb.Fatal(err)
	}
	units, err := MeasureBodies([]Body{{Bytes: body}})
	if err != nil {
		tb.Fatal(err)
	}
	return body, units[0]
}

// brief is a size that does for seeing whether a benchmark still works, which is what -short is for.
func brief(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}
