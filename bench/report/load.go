package report

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/aguistream/aguistream/bench/load"
)

// Load is a result of aguibench load.
type Load struct {
	Source string
	load.Result
}

// loadSection is what the page says of a load.
type loadSection struct{ *Load }

// sane looks at what is drawn.
func (l loadSection) sane() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"rate", l.Rate}, {"seconds", l.Seconds}, {"eventsPerSecond", l.EventsPerSecond},
	} {
		if err := sane(f.name, f.value); err != nil {
			return err
		}
	}
	for _, d := range l.Latencies() {
		for _, v := range []float64{d.P50, d.P90, d.P99, d.P999, d.Max} {
			if err := sane("a percentile of "+d.Name, v); err != nil {
				return err
			}
		}
	}
	for i, s := range l.Timeline {
		if err := errors.Join(sane("seconds of the timeline", s.Seconds), sane("inFlight of the timeline", float64(s.InFlight)),
			sane("runsDone of the timeline", float64(s.RunsDone)), sane("runsWithErrors of the timeline", float64(s.RunsWithErrors))); err != nil {
			return err
		}
		if i > 0 && (s.Seconds <= l.Timeline[i-1].Seconds || s.Events < l.Timeline[i-1].Events) {
			return errors.New("the timeline is out of order")
		}
	}
	for _, m := range l.Moments() {
		if err := sane("events a second of the timeline", m.EventsPerSecond); err != nil {
			return err
		}
	}
	return nil
}

// Target is the URL without a password.
func (l loadSection) Target() string {
	if u, err := url.Parse(l.URL); err == nil && u.User != nil {
		return u.Redacted()
	}
	return l.URL
}

// fact is a line of a table of names and values.
type fact struct{ Name, Value string }

// Mode says how runs came.
func (l loadSection) Mode() string {
	if l.Rate > 0 {
		return fmt.Sprintf("open loop: %g runs begun a second, whatever the server does, at most %s in flight", l.Rate, grouped(int64(l.InFlight)))
	}
	return fmt.Sprintf("fixed: %s in flight, each followed by the next", counted(l.InFlight, "run", "runs"))
}

// longestMessage is as much of the user's message as is shown.
const longestMessage = 200

// Asked is what the load was meant to be.
func (l loadSection) Asked() []fact {
	list := []fact{
		{"target", l.Target()},
		{"mode", l.Mode()},
		{"runs begun for", seconds(l.DurationSeconds)},
	}
	if l.RampSeconds > 0 {
		list = append(list, fact{"growing to that for", seconds(l.RampSeconds)})
	}
	if l.Rules != "" { // not of a version that didn't say
		list = append(list, fact{"those in flight may go on for", seconds(l.DrainSeconds)}, fact{"rules", l.Rules}, fact{"message", cut(l.Message, longestMessage)})
	}
	return list
}

// Done is what came of it.
func (l loadSection) Done() []fact {
	over := 0.0
	if l.Seconds > 0 {
		over = float64(l.RunsDone) / l.Seconds
	}
	list := []fact{
		{"seconds until the last run was over", digits(l.Seconds)},
		{"runs begun", grouped(l.RunsStarted)},
		{"runs done", fmt.Sprintf("%s, %s a second", grouped(l.RunsDone), number(over))},
		{"success", grouped(l.Ends["success"])},
		{"failed", grouped(l.Ends["failed"])},
	}
	for _, end := range slices.Sorted(maps.Keys(l.Ends)) {
		if end != "success" && end != "failed" {
			list = append(list, fact{end, grouped(l.Ends[end])})
		}
	}
	list = append(list, fact{"runs with errors", grouped(l.RunsWithErrors) + share(l.RunsWithErrors, l.RunsDone)})
	if l.RunsCut > 0 {
		list = append(list, fact{"cut in flight at the end", grouped(l.RunsCut)})
	}
	if l.RunsNotMade > 0 {
		list = append(list, fact{"not made for want of something on this side", grouped(l.RunsNotMade)})
	}
	return append(list,
		fact{"in flight at the peak", grouped(l.PeakInFlight)},
		fact{"events", grouped(l.Events)},
		fact{"events a second", grouped(int64(l.EventsPerSecond))},
		fact{"MB", strconv.FormatFloat(float64(l.Bytes)/1e6, 'f', 1, 64)})
}

func share(n, of int64) string {
	if n == 0 || of <= 0 {
		return ""
	}
	return ", " + digits(100*float64(n)/float64(of)) + " %"
}

func seconds(v float64) string { return digits(v) + " s" }

// Kinds are the errors, the most frequent first.
func (l loadSection) Kinds() []fact {
	kinds := slices.Sorted(maps.Keys(l.Errors))
	slices.SortStableFunc(kinds, func(a, b string) int { return int(min(max(l.Errors[b]-l.Errors[a], -1), 1)) })
	var list []fact
	for _, kind := range kinds {
		list = append(list, fact{kind, grouped(l.Errors[kind])})
	}
	return list
}

// Goals says how many of the objectives were met.
func (l loadSection) Goals() string {
	if len(l.SLO) == 0 {
		return "-"
	}
	met := 0
	for _, v := range l.SLO {
		if v.Met {
			met++
		}
	}
	return fmt.Sprintf("%d of %d", met, len(l.SLO))
}

// timed is one of the times that a load measures.
type timed struct {
	Name, From string
	*load.Distribution
}

// Latencies are all of them; the last two are of the same runs.
func (l loadSection) Latencies() []timed {
	const due = "the time that the run was meant to start"
	return []timed{
		{"first event", due, &l.FirstEventMillis},
		{"first token", due, &l.FirstTokenMillis},
		{"event gap", "the event before", &l.EventGapMillis},
		{"whole run", due, &l.RunMillis},
		{"service", "the time that the run did start", &l.ServiceMillis},
	}
}

// bound is a limit of the generating side.
type bound struct {
	Name, Limit, Came string
	Met               bool
}

// Limits are those that a load looks out for, met or not.
func (l loadSection) Limits() []bound {
	g := &l.GeneratorLimits
	short := func(name string, s *load.Shortage) bound {
		if s == nil {
			return bound{Name: name, Came: "not met"}
		}
		b := bound{Name: name, Came: "met " + counted(int(s.Met), "time", "times"), Met: true}
		if s.Limit > 0 {
			b.Limit = grouped(s.Limit)
		}
		return b
	}
	cpu := bound{Name: "CPU", Came: "not met"}
	if l.CPU.Of > 0 {
		cpu.Limit = counted(l.CPU.Of, "core", "cores")
	}
	if g.CPU != nil {
		cpu.Came, cpu.Met = "met", true
	}
	return []bound{short("file descriptors", g.FileDescriptors), short("local ports", g.Ports), short("runs in flight", g.InFlight), cpu}
}

// Here is how the generating side fared.
func (l loadSection) Here() []fact {
	list := []fact{{"cores in use", fmt.Sprintf("%.2f of %d", l.CPU.Cores, l.CPU.Of)}}
	if l.CPU.Machine > 0 {
		list = append(list, fact{"whole machine busy", digits(100*l.CPU.Machine) + " %"})
	}
	return append(list,
		fact{"timers late, p99", millis(l.CPU.LagMillis)},
		fact{"runs begun late, p99", millis(l.CPU.StartMillis)},
		fact{"MiB held early, and late", fmt.Sprintf("%.0f, %.0f", float64(l.Memory.EarlyBytes)/(1<<20), float64(l.Memory.LateBytes)/(1<<20))})
}

// moment is a sample with what happened since the one before.
type moment struct {
	load.Sample
	EventsPerSecond float64
}

// Moments are the samples after the first, which has nothing before it.
func (l loadSection) Moments() []moment {
	var list []moment
	for i := 1; i < len(l.Timeline); i++ {
		before, s := l.Timeline[i-1], l.Timeline[i]
		list = append(list, moment{s, float64(s.Events-before.Events) / (s.Seconds - before.Seconds)})
	}
	return list
}

// Figures are the pictures of the section; those without data are left out.
func (l loadSection) Figures() ([]figure, error) {
	var list []figure
	for _, p := range []picture{
		{figure{Title: "Latency", About: "Percentiles, from the time that a run was meant to start; an event gap, from the event before."}, l.drawLatencies},
		{figure{Title: "Whole runs: from the intended time, and service", About: "What stands above the service time is what runs waited for before they could start."}, l.drawService},
		{figure{Title: "Runs in flight over time"}, l.drawInFlight},
		{figure{Title: "Events a second over time"}, l.drawSpeed},
		{figure{Title: "Runs with errors over time", About: "Runs done, and those of them that had errors, so far."}, l.drawErrors},
	} {
		f, err := p.drawn()
		if err != nil {
			return nil, fmt.Errorf("load of %s: %w", l.Source, err)
		}
		if f.SVG != "" {
			list = append(list, f)
		}
	}
	return list, nil
}

var percentileNames = []string{"p50", "p90", "p99", "p99.9", "max"}

func percentilesOf(d *load.Distribution) []float64 {
	return []float64{d.P50, d.P90, d.P99, d.P999, d.Max}
}

// wideSpread is how many times as large as the smallest value the largest is, from where on an axis is logarithmic.
const wideSpread = 20

func wide(values []float64) bool {
	seen := newExtent()
	for _, v := range values {
		if v > 0 {
			seen.add(point{1, v})
		}
	}
	return seen.highY > wideSpread*seen.lowY
}

// millisAxis names the unit, and the kind of axis where it isn't the usual one.
func millisAxis(log bool) string {
	if log {
		return "milliseconds, logarithmic"
	}
	return "milliseconds"
}

func (l loadSection) drawLatencies() (string, error) {
	var all []float64
	for _, d := range l.Latencies() {
		all = append(all, percentilesOf(d.Distribution)...)
	}
	log := wide(all)
	var lines []line
	for _, d := range l.Latencies() {
		if d.Distribution == &l.ServiceMillis || d.Count == 0 {
			continue
		}
		one := line{name: d.Name}
		for i, v := range percentilesOf(d.Distribution) {
			if v > 0 || !log { // a logarithmic axis has no zero
				one.points = append(one.points, point{float64(i), v})
			}
		}
		if len(one.points) > 0 {
			lines = append(lines, one)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return drawLines(axes{y: millisAxis(log), logY: log, xNames: percentileNames}, lines)
}

func (l loadSection) drawService() (string, error) {
	due, service := percentilesOf(&l.RunMillis), percentilesOf(&l.ServiceMillis)
	all := slices.Concat(due, service)
	if slices.Max(all) <= 0 {
		return "", nil
	}
	log := wide(all)
	return drawBars(millisAxis(log), log, percentileNames, []bars{{"from the intended time", due}, {"service", service}})
}

func (l loadSection) drawInFlight() (string, error) {
	var one line // the axis names it
	for _, s := range l.Timeline {
		one.points = append(one.points, point{s.Seconds, float64(s.InFlight)})
	}
	return overTime("runs in flight", one)
}

func (l loadSection) drawSpeed() (string, error) {
	var one line
	for _, m := range l.Moments() {
		one.points = append(one.points, point{m.Seconds, m.EventsPerSecond})
	}
	return overTime("events/s", one)
}

func (l loadSection) drawErrors() (string, error) {
	if l.RunsWithErrors == 0 {
		return "", nil
	}
	done, failed := line{name: "done"}, line{name: "with errors"}
	for _, s := range l.Timeline {
		done.points = append(done.points, point{s.Seconds, float64(s.RunsDone)})
		failed.points = append(failed.points, point{s.Seconds, float64(s.RunsWithErrors)})
	}
	return overTime("runs", done, failed)
}

// overTime draws lines of one unit; none when they have no two points.
func overTime(y string, lines ...line) (string, error) {
	if len(lines[0].points) < 2 {
		return "", nil
	}
	return drawLines(axes{x: "seconds", y: y, fine: true}, lines)
}
