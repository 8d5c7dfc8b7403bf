package compare

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aguistream/aguistream/bench"
)

// workloads are those of which the AG-UI Go SDK refuses little: it knows no subagents, and tells them apart early.
var workloads = []string{"chat", "tools", "state", "reasoning", "mixed"}

func bodies(tb testing.TB, workload string) ([]bench.Body, []bench.Work) {
	tb.Helper()
	tokens := 200
	if testing.Short() {
		tokens = 10
	}
	list, err := bench.CompareBodies(workload, 1, tokens)
	if err != nil {
		tb.Fatal(err)
	}
	if workload == "state" {
		list = list[:3] // plain takes long over it
	}
	units, err := bench.MeasureBodies(list)
	if err != nil {
		tb.Fatal(err)
	}
	return list, units
}

// BenchmarkLibraries times all rows by short turns in one run, and reports for each the time of an event, the median
// over the rounds, as a metric of its name.
func BenchmarkLibraries(b *testing.B) {
	for _, workload := range workloads {
		b.Run(workload, func(b *testing.B) {
			list, units := bodies(b, workload)
			scores := map[string][]float64{}
			for b.Loop() {
				result, err := bench.Alternate(context.Background(), Contestants(list), options(units))
				if err != nil {
					b.Fatal(err)
				}
				for i := range result {
					scores[result[i].Name] = append(scores[result[i].Name], result[i].MedianNanos())
				}
			}
			b.ReportMetric(0, "ns/op") // it is how long the run was set to
			for name, nanos := range scores {
				sum := 0.0
				for _, v := range nanos {
					sum += v
				}
				b.ReportMetric(sum/float64(len(nanos)), name+"-ns/event")
			}
		})
	}
}

func options(units []bench.Work) bench.AlternateOptions {
	if testing.Short() {
		return bench.AlternateOptions{Units: units, For: time.Millisecond, Slice: time.Millisecond}
	}
	return bench.AlternateOptions{Units: units, For: 5 * time.Second, Slice: 10 * time.Millisecond}
}

// BenchmarkRow times each by itself, with MB/s and allocations.
func BenchmarkRow(b *testing.B) {
	for _, workload := range workloads {
		list, units := bodies(b, workload)
		var all bench.Work
		for _, w := range units {
			all.Events += w.Events
			all.Bytes += w.Bytes
		}
		for _, c := range Contestants(list) {
			b.Run(workload+"/"+c.Name, func(b *testing.B) {
				b.SetBytes(all.Bytes)
				b.ReportAllocs()
				for b.Loop() {
					for i := range list {
						if err := c.Do(i); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(all.Events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// A library that passes over events would look fast.
func TestEveryRowMeetsEveryEvent(t *testing.T) {
	for _, workload := range workloads {
		list, _ := bodies(t, workload)
		for _, row := range Rows() {
			t.Run(workload+"/"+row.Name, func(t *testing.T) {
				if row.Does == "" {
					t.Error("it doesn't say what it does")
				}
				var all count
				for _, b := range list {
					c, err := row.read(b.Bytes)
					if err != nil {
						t.Fatalf("%s: %v", b.Name, err)
					}
					if want := int64(bytes.Count(b.Bytes, []byte("\n\n"))); c.met != want {
						t.Errorf("%s: %d events, want %d", b.Name, c.met, want)
					}
					all.met, all.refused = all.met+c.met, all.refused+c.refused
				}
				allowed := int64(0)
				if strings.Contains(row.Name, "sdk") {
					allowed = all.met / 20
				}
				if all.refused > allowed {
					t.Errorf("%d of %d events are refused", all.refused, all.met)
				}
			})
		}
	}
}

func TestRowsRefuseWhatIsNoEvent(t *testing.T) {
	broken := []byte("data: {\"type\":\"CUSTOM\",}\n\n")
	for _, row := range Rows() {
		t.Run(row.Name, func(t *testing.T) {
			c, err := row.read(broken)
			framesOnly := row.Name == "framer" || row.Name == "go-sse"
			if taken := err == nil && c.refused == 0; c.met != 1 || taken != framesOnly {
				t.Errorf("%+v, error %v", c, err)
			}
		})
	}
}

func TestOneRunHoldsAll(t *testing.T) {
	list, units := bodies(t, "chat")
	result, err := bench.Alternate(t.Context(), Contestants(list), bench.AlternateOptions{Units: units, For: 200 * time.Millisecond, Slice: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range result {
		s := &result[i]
		names = append(names, s.Name)
		if s.EventsPerSecond() <= 0 {
			t.Errorf("%s did nothing", s.Name)
		}
		t.Logf("%-22s %8.1f ns/event %8.1f MB/s %6.2f allocs/event", s.Name, s.MedianNanos(), s.MBPerSecond(), s.AllocsPerEvent())
	}
	if got := strings.Join(names, " "); !strings.HasSuffix(got, "plain engine") {
		t.Errorf("rows %s", got)
	}
}
