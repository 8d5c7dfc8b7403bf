package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// figure is one picture of the page.
type figure struct {
	Title string
	About string
	SVG   string // empty when there is nothing to draw
	Needs string // what would have to be measured, then
}

// picture is a figure that is yet to be drawn.
type picture struct {
	figure
	draw func() (string, error)
}

func (p picture) drawn() (figure, error) {
	svg, err := p.draw()
	if err != nil {
		return figure{}, fmt.Errorf("%s: %w", p.Title, err)
	}
	p.SVG = svg
	return p.figure, nil
}

// figures are those of runs and of comparisons, in order. Where there is no such result they are left out; those that
// need more of them say what.
func (r *Results) figures() ([]figure, error) {
	var pictures []picture
	if len(r.Runs) > 0 {
		pictures = append(pictures, r.ofRuns()...)
	}
	if len(r.Comparisons) > 0 {
		pictures = append(pictures, r.ofComparisons())
	}
	var list []figure
	for _, p := range pictures {
		f, err := p.drawn()
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func (r *Results) ofRuns() []picture {
	return []picture{
		{figure{Title: "Throughput by workload", About: "Events a second through the sharded engine, the best unpaced run of each workload.",
			Needs: "results of aguibench run without --rate"}, r.byWorkload},
		{figure{Title: "Throughput by runs in flight", About: "Events a second by how many runs are fed at once, the best of each kind.",
			Needs: "results of one workload with several --runs"}, r.byRunsInFlight},
		{figure{Title: "Latency from write to handler", About: "Percentiles of each run, on a logarithmic scale.",
			Needs: "a run that was timed"}, r.latencies},
		{figure{Title: "Scaling", About: "Events a second by the number of shards, the best of each kind. Dashed: the first, as many times over as there are shards.",
			Needs: "results of one workload with several --shards"}, r.scaling},
	}
}

func (r *Results) ofComparisons() picture {
	return picture{figure{Title: "Engine against plain and floor", About: "Events a second on one goroutine, on a logarithmic scale. floor only splits the bytes into lines; " +
		"unmarshal decodes each frame once by encoding/json and does nothing else; plain is the plain reference pipeline.",
		Needs: "a comparison with rows"}, r.pipelines}
}

// unpaced are the runs that went as fast as they could.
func (r *Results) unpaced() []Run {
	return slices.DeleteFunc(slices.Clone(r.Runs), func(run Run) bool { return run.Rate > 0 || run.EventsPerSecond <= 0 })
}

func (r *Results) byWorkload() (string, error) {
	best := map[string]float64{}
	var names []string
	for _, run := range r.unpaced() {
		if _, seen := best[run.Workload]; !seen {
			names = append(names, run.Workload)
		}
		best[run.Workload] = max(best[run.Workload], run.EventsPerSecond)
	}
	if len(names) == 0 {
		return "", nil
	}
	group := bars{name: "events/s"}
	for _, name := range names {
		group.values = append(group.values, best[name])
	}
	return drawBars("events/s", false, shortened(names), []bars{group})
}

// best gives, by kind of run and x, the fastest of the unpaced ones. Kinds with one x only make no line and are left out.
func (r *Results) best(kind func(*Run) string, x func(*Run) int) map[string]map[int]float64 {
	all := map[string]map[int]float64{}
	for _, run := range r.unpaced() {
		if x(&run) == 0 {
			continue // another program's result may lack it
		}
		at := all[kind(&run)]
		if at == nil {
			at = map[int]float64{}
			all[kind(&run)] = at
		}
		at[x(&run)] = max(at[x(&run)], run.EventsPerSecond)
	}
	maps.DeleteFunc(all, func(_ string, at map[int]float64) bool { return len(at) < 2 })
	return all
}

// linesOf makes a line of each kind.
func linesOf(all map[string]map[int]float64) []line {
	var lines []line
	for _, name := range slices.Sorted(maps.Keys(all)) {
		l := line{name: shorten(name)}
		for _, x := range slices.Sorted(maps.Keys(all[name])) {
			l.points = append(l.points, point{float64(x), all[name][x]})
		}
		lines = append(lines, l)
	}
	return lines
}

func (r *Results) byRunsInFlight() (string, error) {
	lines := linesOf(r.best(
		func(run *Run) string { return run.Workload + ", " + counted(run.Shards, "shard", "shards") },
		func(run *Run) int { return run.InFlight }))
	if len(lines) == 0 {
		return "", nil
	}
	return drawLines(axes{x: "runs in flight", y: "events/s", logX: true}, lines)
}

func (r *Results) scaling() (string, error) {
	lines := linesOf(r.best(
		func(run *Run) string {
			return run.Workload + ", " + counted(run.InFlight, "run", "runs") + " in flight"
		},
		func(run *Run) int { return run.Shards }))
	if len(lines) == 0 {
		return "", nil
	}
	for _, l := range slices.Clone(lines) {
		first, last := l.points[0], l.points[len(l.points)-1]
		lines = append(lines, line{ideal: true, points: []point{first, {last.x, first.y * last.x / first.x}}})
	}
	return drawLines(axes{x: "shards", y: "events/s", whole: true}, lines)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

// mostLatencies bounds the lines of one picture; the page's table has all of them.
const mostLatencies = 8

func (r *Results) latencies() (string, error) {
	var lines []line
	for _, run := range r.Runs {
		p := run.LatencyMicros
		l := line{name: shorten(fmt.Sprintf("%s, %s in flight%s", run.Workload, grouped(int64(run.InFlight)), paceOf(&run)))}
		for i, v := range []float64{p.P50, p.P90, p.P99, p.P999, p.Max} {
			if v > 0 {
				l.points = append(l.points, point{float64(i), v})
			}
		}
		if len(l.points) > 1 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return drawLines(axes{y: "microseconds", logY: true, xNames: percentileNames}, lines[:min(len(lines), mostLatencies)])
}

func paceOf(run *Run) string {
	if run.Rate <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s runs/s", number(run.Rate))
}

// pipelines draws the rows of the last comparison of each workload.
func (r *Results) pipelines() (string, error) {
	last := map[string]Comparison{}
	var names []string
	for _, c := range r.Comparisons {
		if _, seen := last[c.Workload]; !seen {
			names = append(names, c.Workload)
		}
		last[c.Workload] = c
	}
	var groups []bars
	for _, pipeline := range []string{"floor", "unmarshal", "plain", "engine"} {
		group := bars{name: pipeline}
		for _, name := range names {
			c := last[name]
			value := 0.0
			if row := c.Row(pipeline); row != nil {
				value = row.EventsPerSecond
			}
			group.values = append(group.values, value)
		}
		if slices.Max(append(group.values, 0)) > 0 {
			groups = append(groups, group)
		}
	}
	if len(groups) == 0 {
		return "", nil
	}
	return drawBars("events/s", true, shortened(names), groups)
}

// longestName is as much of a name as a picture has room for.
const longestName = 40

func shorten(name string) string { return cut(name, longestName) }

// cut makes a text one line of at most so many characters.
func cut(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

func shortened(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, shorten(name))
	}
	return list
}

// ordered sorts runs for the table.
func ordered(runs []Run) []Run {
	list := slices.Clone(runs)
	slices.SortStableFunc(list, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.InFlight, b.InFlight), cmp.Compare(a.Shards, b.Shards))
	})
	return list
}
