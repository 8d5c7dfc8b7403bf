package load

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
		fmt.Fprintf(&b, "%-12s "+format+"\n", append([]any{name}, args...)...)
	}
	what := fmt.Sprintf("%s runs in flight", grouped(int64(r.InFlight)))
	if r.Rate > 0 {
		what = fmt.Sprintf("%g runs a second", r.Rate)
	}
	fmt.Fprintf(&b, "%s: %s for %g s\n", r.URL, what, r.DurationSeconds)
	line("runs", "%s begun in %.2f s, %s done: %s%s", grouped(r.RunsStarted), r.Seconds, grouped(r.RunsDone),
		tally(r.Ends, "none"), r.rest())
	line("in flight", "%s at the peak", grouped(r.PeakInFlight))
	line("events", "%s, %s a second, %.1f MB", grouped(r.Events), grouped(int64(r.EventsPerSecond)), float64(r.Bytes)/1e6)
	line("errors", "%s in %s", tally(r.Errors, "none"), counted(r.RunsWithErrors, "run", "runs"))
	for _, d := range []struct {
		name string
		d    *Distribution
	}{
		{"first event", &r.FirstEventMillis}, {"first token", &r.FirstTokenMillis}, {"event gap", &r.EventGapMillis},
		{"whole run", &r.RunMillis}, {"service", &r.ServiceMillis},
	} {
		line(d.name, "%s", d.d)
	}
	line("here", "%.2f of %d cores, timers late by %s and runs by %s at p99, %.0f MiB held early and %.0f late",
		r.CPU.Cores, r.CPU.Of, millis(r.CPU.LagMillis), millis(r.CPU.StartMillis),
		float64(r.Memory.EarlyBytes)/(1<<20), float64(r.Memory.LateBytes)/(1<<20))
	line("bounded by", "%s", r.BoundedBy)
	if !r.Valid {
		line("NOT VALID", "these figures are about this side as much as about the server")
	}
	for _, v := range r.SLO {
		word := "met"
		if !v.Met {
			word = "FAILED"
		}
		line("slo", "%s: %s (%s)", v.Goal, word, v.Got)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String is the distribution in a line.
func (d *Distribution) String() string {
	if d.Count == 0 {
		return "none measured"
	}
	return fmt.Sprintf("p50 %s, p90 %s, p99 %s, p99.9 %s, max %s (%s)",
		millis(d.P50), millis(d.P90), millis(d.P99), millis(d.P999), millis(d.Max), grouped(d.Count))
}

func (r *Result) rest() string {
	text := ""
	if r.RunsCut > 0 {
		text += "; " + grouped(r.RunsCut) + " cut in flight at the end"
	}
	if r.RunsNotMade > 0 {
		text += "; " + grouped(r.RunsNotMade) + " not made for want of something here"
	}
	return text
}

func millis(ms float64) string {
	switch {
	case ms >= 1e3:
		return strconv.FormatFloat(ms/1e3, 'f', 2, 64) + " s"
	case ms >= 100:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
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
