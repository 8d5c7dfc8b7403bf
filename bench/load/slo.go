package load

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// SLO is what a server is held to: goals that must all be met.
type SLO []Goal

// Goal is one of them, `p99<200ms` say.
type Goal struct {
	Text   string
	metric metric
	op     string
	limit  float64 // in the metric's unit
	share  bool    // of errors: a share of the runs, not a count
}

// Verdict is a goal and what came of it.
type Verdict struct {
	Goal string `json:"goal"`
	Got  string `json:"got"`
	Met  bool   `json:"met"`
}

type unit uint8

const (
	timeUnit unit = iota // milliseconds
	errorUnit
	rateUnit
)

// metric is something of a Result that can be held to a limit. ok is false when nothing was measured.
type metric struct {
	unit unit
	get  func(r *Result) (v float64, ok bool)
}

var distributions = map[string]func(r *Result) *Distribution{
	"firstEvent": func(r *Result) *Distribution { return &r.FirstEventMillis },
	"firstToken": func(r *Result) *Distribution { return &r.FirstTokenMillis },
	"gap":        func(r *Result) *Distribution { return &r.EventGapMillis },
	"run":        func(r *Result) *Distribution { return &r.RunMillis },
	"service":    func(r *Result) *Distribution { return &r.ServiceMillis },
}

var quantiles = map[string]func(d *Distribution) float64{
	"p50":   func(d *Distribution) float64 { return d.P50 },
	"p90":   func(d *Distribution) float64 { return d.P90 },
	"p99":   func(d *Distribution) float64 { return d.P99 },
	"p99.9": func(d *Distribution) float64 { return d.P999 },
	"p999":  func(d *Distribution) float64 { return d.P999 },
	"max":   func(d *Distribution) float64 { return d.Max },
	"mean":  func(d *Distribution) float64 { return d.Mean },
}

var rates = map[string]func(r *Result) float64{
	"events/s": func(r *Result) float64 { return r.EventsPerSecond },
	"runs/s":   func(r *Result) float64 { return ratio(float64(r.RunsDone), r.Seconds) },
}

// ParseSLO reads goals, with commas between: NAME OP LIMIT, where OP is < <= > or >=, and NAME is
//
//   - p50, p90, p99, p99.9, max or mean of the time to the first event, or of another with its name in front:
//     firstToken.p99, gap.p99, run.p99, service.p99, firstEvent.p99; the limit is a time: 200ms, 1.5s;
//   - errors, the runs with an error: a share of all (0.1%) or a count;
//   - events/s or runs/s: a number.
func ParseSLO(text string) (SLO, error) {
	var slo SLO
	for part := range strings.SplitSeq(text, ",") {
		g, err := parseGoal(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		slo = append(slo, g)
	}
	return slo, nil
}

func parseGoal(text string) (Goal, error) {
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return Goal{}, fmt.Errorf("%q has no < or >", text)
	}
	g := Goal{Text: text, op: text[at : at+1]}
	rest := text[at+1:]
	if strings.HasPrefix(rest, "=") {
		g.op, rest = g.op+"=", rest[1:]
	}
	name, rest := strings.TrimSpace(text[:at]), strings.TrimSpace(rest)
	var ok bool
	if g.metric, ok = metricOf(name); !ok {
		return Goal{}, fmt.Errorf("%q: nothing is called %q", text, name)
	}
	var err error
	if g.limit, g.share, err = parseLimit(g.metric.unit, rest); err != nil {
		return Goal{}, fmt.Errorf("%q: %w", text, err)
	}
	return g, nil
}

func metricOf(name string) (metric, bool) {
	if name == "errors" {
		return metric{unit: errorUnit}, true
	}
	if rate := rates[name]; rate != nil {
		return metric{rateUnit, func(r *Result) (float64, bool) { return rate(r), true }}, true
	}
	of := "firstEvent"
	q := name
	if before, after, found := strings.Cut(name, "."); found && distributions[before] != nil {
		of, q = before, after
	}
	quantile := quantiles[q]
	if quantile == nil {
		return metric{}, false
	}
	return metric{timeUnit, func(r *Result) (float64, bool) {
		d := distributions[of](r)
		return quantile(d), d.Count > 0
	}}, true
}

func parseLimit(u unit, text string) (limit float64, share bool, err error) {
	if u == timeUnit {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, false, fmt.Errorf("%q is no time", text)
		}
		return float64(d) / float64(time.Millisecond), false, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	if percent && u != errorUnit {
		return 0, false, errors.New("only errors are a share of something")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false, fmt.Errorf("%q is no number", text)
	}
	if percent {
		v /= 100
	}
	return v, percent, nil
}

// Judge holds a result to the goals.
func (s SLO) Judge(r *Result) (verdicts []Verdict, met bool) {
	met = true
	for _, g := range s {
		v := g.judge(r)
		verdicts = append(verdicts, v)
		met = met && v.Met
	}
	return verdicts, met
}

func (g *Goal) judge(r *Result) Verdict {
	v := Verdict{Goal: g.Text}
	if g.metric.unit == errorUnit {
		got := float64(r.RunsWithErrors)
		v.Got = fmt.Sprintf("%d of %d", r.RunsWithErrors, r.RunsDone)
		if g.share {
			if r.RunsDone == 0 {
				v.Got = "no run is done"
				return v
			}
			got /= float64(r.RunsDone)
			v.Got += fmt.Sprintf(", %.3g%%", 100*got)
		}
		v.Met = g.holds(got)
		return v
	}
	got, ok := g.metric.get(r)
	switch {
	case !ok:
		v.Got = "nothing was measured"
		return v
	case g.metric.unit == timeUnit:
		v.Got = millis(got)
	default:
		v.Got = fmt.Sprintf("%.4g", got)
	}
	v.Met = g.holds(got)
	return v
}

func (g *Goal) holds(got float64) bool {
	switch g.op {
	case "<":
		return got < g.limit
	case "<=":
		return got <= g.limit
	case ">":
		return got > g.limit
	}
	return got >= g.limit
}
