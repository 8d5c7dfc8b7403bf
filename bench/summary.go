package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// WriteSummary writes the result for people.
func (r *Result) WriteSummary(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s "+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintf(&b, "%s: %s, %s in flight on %s, %s, %s rules\n", r.Workload, counted(int64(r.Bodies), "body", "bodies"),
		counted(int64(r.InFlight), "run", "runs"), counted(int64(r.Shards), "shard", "shards"), r.writes(), r.Rules)
	line("runs", "%s in %.2f s: %s%s", grouped(r.Runs), r.Seconds, tally(r.Ends, "none ended"), r.cut())
	line("events", "%s in = %s applied + %s skipped + %s failed + %s unread: %s", grouped(r.Events), grouped(r.Applied),
		grouped(r.Skipped), grouped(r.Failed), grouped(r.Unread), r.verdict())
	line("bytes", "%s, %.0f an event", grouped(r.Bytes), ratio(float64(r.Bytes), float64(r.Events)))
	line("updates", "%s", grouped(r.Updates))
	line("errors", "%s", tally(r.Errors, "none"))
	line("speed", "%s events/s, %s a core, %.1f MB/s", short(r.EventsPerSecond), short(r.EventsPerSecondPerCore), r.MBPerSecond)
	l := r.LatencyMicros
	line("latency", "p50 %s, p90 %s, p99 %s, p99.9 %s, max %s, from write to handler (%s writes timed)",
		micros(l.P50), micros(l.P90), micros(l.P99), micros(l.P999), micros(l.Max), grouped(r.LatencySamples))
	line("memory", "%.1f MiB resident at the peak; %.3f allocations and %.1f bytes an event, feeding included; %.1f %% of CPU time collecting",
		float64(r.PeakRSSBytes)/(1<<20), r.AllocsPerEvent, r.BytesAllocatedPerEvent, 100*r.GCCPUFraction)
	if r.checks {
		line("check", "%s", r.checked())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) writes() string {
	if r.Chunk == 0 {
		return "one event a write"
	}
	return counted(int64(r.Chunk), "byte", "bytes") + " a write"
}

func (r *Result) cut() string {
	if r.CutShort == 0 {
		return ""
	}
	return "; " + grouped(r.CutShort) + " more given up in flight"
}

func (r *Result) verdict() string {
	if r.Balanced {
		return "balanced"
	}
	return "NOT BALANCED in " + counted(r.Unbalanced, "stream", "streams")
}

func (r *Result) checked() string {
	if r.Mismatches == 0 {
		return grouped(r.Checked) + " stores compared with the plain pipeline's: all equal"
	}
	text := fmt.Sprintf("%s of %s stores DIFFER from the plain pipeline's", grouped(r.Mismatches), grouped(r.Checked))
	for _, d := range r.Differences {
		text += "\n          " + d
	}
	return text
}

// histogramRows bounds the rows of the histogram, each twice as wide as the one before.
const histogramRows = 64

// WriteHistogram draws how the latencies are spread, by powers of two.
func (r *Result) WriteHistogram(w io.Writer) error {
	var rows [histogramRows]int64
	first, last, most := histogramRows, -1, int64(0)
	for _, bar := range r.latency.Distribution() {
		if bar.Count == 0 {
			continue
		}
		row := 0
		for v := bar.To; v > 1; v >>= 1 {
			row++
		}
		rows[row] += bar.Count
		first, last = min(first, row), max(last, row)
	}
	for _, n := range rows {
		most = max(most, n)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "latency, from write to handler")
	for row := first; row <= last; row++ {
		const width = 50
		bar := int((rows[row]*width + most - 1) / most)
		fmt.Fprintf(&b, "  < %9s %12s %s\n", micros(float64(int64(2)<<row)/1e3), grouped(rows[row]), strings.Repeat("#", bar))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted is a number and its noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number with a comma every three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes a large number by its order.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'f', 2, 64) + " M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'f', 1, 64) + " k"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func micros(us float64) string {
	switch {
	case us >= 1e6:
		return strconv.FormatFloat(us/1e6, 'f', 2, 64) + " s"
	case us >= 1e3:
		return strconv.FormatFloat(us/1e3, 'f', 2, 64) + " ms"
	}
	return strconv.FormatFloat(us, 'f', 1, 64) + " us"
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// tally lists counts by name.
func tally(counts map[string]int64, none string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, grouped(counts[name])+" "+name)
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}
