package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/bench/load"
)

func distribution(p50 float64) load.Distribution {
	return load.Distribution{
		Percentiles: bench.Percentiles{P50: p50, P90: 1.5 * p50, P99: 2 * p50, P999: 3 * p50, Max: 4 * p50}, Mean: 1.1 * p50, Count: 1234,
	}
}

// loadResult is one with something in each of its parts.
func loadResult() *load.Result {
	return &load.Result{
		Schema: 1, Command: "load", Env: bench.Env{Go: "go1.26", OS: "linux", Arch: "amd64", CPUs: 2},
		URL: "http://127.0.0.1:8080/agent?a=1&b=2", Rate: 62.5, InFlight: 9000, DurationSeconds: 30, RampSeconds: 3, DrainSeconds: 7,
		Rules: "spec", Message: "Plan my trip",
		Seconds: 32, RunsStarted: 1620, RunsDone: 1600, RunsCut: 13, RunsNotMade: 7, RunsWithErrors: 80, PeakInFlight: 432,
		Events: 320_000, EventsPerSecond: 10_000, Bytes: 32_100_000,
		Ends: map[string]int64{"success": 1500, "failed": 61, "interrupted": 39}, Errors: map[string]int64{"http": 60, "run": 21},
		GeneratorLimits: load.GeneratorLimits{Ports: &load.Shortage{Limit: 28_232, Met: 7}}, BoundedBy: "this side: local ports ran out",
		CPU: load.CPU{Cores: 1.25, Of: 2, Machine: 0.75, LagMillis: 3.5, StartMillis: 6.5}, Memory: load.Memory{EarlyBytes: 20 << 20, LateBytes: 21 << 20},
		FirstEventMillis: distribution(2), FirstTokenMillis: distribution(8), EventGapMillis: distribution(0.4),
		RunMillis: distribution(900), ServiceMillis: distribution(800),
		SLO: []load.Verdict{{Goal: "p99<500ms", Got: "4.00 ms", Met: true}, {Goal: "errors<0.1%", Got: "80 of 1600, 5%"}},
		Timeline: []load.Sample{
			{Seconds: 0, InFlight: 1}, {Seconds: 10, InFlight: 400, RunsDone: 500, RunsWithErrors: 10, Events: 110_000},
			{Seconds: 30, InFlight: 300, RunsDone: 1500, RunsWithErrors: 70, Events: 310_000}, {Seconds: 32, RunsDone: 1600, RunsWithErrors: 80, Events: 320_000},
		},
	}
}

// loadOf is the text of that result, after a change to it.
func loadOf(change func(r *load.Result)) string {
	r := loadResult()
	if change != nil {
		change(r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // its fields are finite
	}
	return string(text)
}

// section is what a reader finds under one heading of the page.
type section struct {
	heading  string
	parts    []string // headings in it
	rows     [][]string
	pictures int
	text     string
}

// row is the one that begins with name, without it.
func (s *section) row(name string) []string {
	for _, row := range s.rows {
		if row[0] == name {
			return row[1:]
		}
	}
	return nil
}

// sections parses the page, and fails when it isn't well formed.
func sections(t *testing.T, page string) []section {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(page))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var list []section
	var text strings.Builder
	in := &section{} // before the first
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("the page can't be parsed: %v", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
			in.text += string(token)
		case xml.StartElement:
			switch token.Name.Local {
			case "section":
				list = append(list, section{})
				in = &list[len(list)-1]
			case "tr":
				in.rows = append(in.rows, nil)
			case "svg":
				in.pictures++
			case "h2", "h3", "td", "th":
				text.Reset()
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "h2":
				in.heading = text.String()
			case "h3":
				in.parts = append(in.parts, text.String())
			case "td", "th":
				last := &in.rows[len(in.rows)-1]
				*last = append(*last, text.String())
			}
		}
	}
}

func TestLoadHasItsSection(t *testing.T) {
	found := sections(t, pageOf(t, loadOf(nil)))
	if len(found) != 1 {
		t.Fatalf("%d sections", len(found))
	}
	s := found[0]
	if s.heading != "Load of http://127.0.0.1:8080/agent?a=1&b=2" {
		t.Errorf("heading %q", s.heading)
	}
	parts := []string{
		"Objectives", "What was asked", "What came of it", "Errors by kind", "Times", "Latency", "Whole runs: from the intended time, and service",
		"Runs in flight over time", "Events a second over time", "Runs with errors over time", "The generating side",
	}
	if diff := cmp.Diff(parts, s.parts); diff != "" || s.pictures != 5 {
		t.Errorf("%d pictures; parts (-want +got):\n%s", s.pictures, diff)
	}
	for _, want := range [][]string{
		{"target", "http://127.0.0.1:8080/agent?a=1&b=2"},
		{"mode", "open loop: 62.5 runs begun a second, whatever the server does, at most 9,000 in flight"},
		{"runs begun for", "30 s"}, {"growing to that for", "3 s"}, {"those in flight may go on for", "7 s"},
		{"rules", "spec"}, {"message", "Plan my trip"},
		{"seconds until the last run was over", "32"}, {"runs begun", "1,620"}, {"runs done", "1,600, 50 a second"},
		{"success", "1,500"}, {"failed", "61"}, {"interrupted", "39"}, {"runs with errors", "80, 5 %"},
		{"cut in flight at the end", "13"}, {"not made for want of something on this side", "7"}, {"in flight at the peak", "432"},
		{"events", "320,000"}, {"events a second", "10,000"}, {"MB", "32.1"},
		{"http", "60"}, {"run", "21"},
		{"first event", "2 ms", "3 ms", "4 ms", "6 ms", "8 ms", "2.2 ms", "1,234", "the time that the run was meant to start"},
		{"first token", "8 ms", "12 ms", "16 ms", "24 ms", "32 ms", "8.8 ms", "1,234", "the time that the run was meant to start"},
		{"event gap", "400 µs", "600 µs", "800 µs", "1.2 ms", "1.6 ms", "440 µs", "1,234", "the event before"},
		{"whole run", "900 ms", "1.35 s", "1.8 s", "2.7 s", "3.6 s", "990 ms", "1,234", "the time that the run was meant to start"},
		{"service", "800 ms", "1.2 s", "1.6 s", "2.4 s", "3.2 s", "880 ms", "1,234", "the time that the run did start"},
		{"p99<500ms", "4.00 ms", "met"}, {"errors<0.1%", "80 of 1600, 5%", "MISSED"},
		{"10", "400", "11k", "110,000", "500", "10"}, {"30", "300", "10k", "310,000", "1,500", "70"}, {"32", "0", "5k", "320,000", "1,600", "80"},
		{"file descriptors", "", "not met"}, {"local ports", "28,232", "met 7 times"}, {"runs in flight", "", "not met"}, {"CPU", "2 cores", "not met"},
		{"cores in use", "1.25 of 2"}, {"whole machine busy", "75 %"}, {"timers late, p99", "3.5 ms"}, {"runs begun late, p99", "6.5 ms"},
		{"MiB held early, and late", "20, 21"},
	} {
		if diff := cmp.Diff(want[1:], s.row(want[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want[0], diff)
		}
	}
	for _, says := range []string{"Not valid", "Bounded by this side: local ports ran out.", "file-0.json"} {
		if !strings.Contains(s.text, says) {
			t.Errorf("it doesn't say %q", says)
		}
	}
}

func TestFixedLoadSaysSo(t *testing.T) {
	page := pageOf(t, loadOf(func(r *load.Result) {
		r.Rate, r.InFlight, r.Valid, r.RunsWithErrors, r.Errors, r.SLO = 0, 1, true, 0, nil, nil
	}))
	s := sections(t, page)[0]
	if diff := cmp.Diff([]string{"fixed: 1 run in flight, each followed by the next"}, s.row("mode")); diff != "" {
		t.Errorf("mode (-want +got):\n%s", diff)
	}
	if s.pictures != 4 || slices.Contains(s.parts, "Objectives") || !strings.Contains(s.text, "None.") || strings.Contains(page, `class="faults"`) {
		t.Errorf("%d pictures, parts %q", s.pictures, s.parts)
	}
}

func TestKindsOfResultsMix(t *testing.T) {
	page := pageOf(t, loadOf(nil), runOf("mixed", 100, 1, 5e6)+loadOf(func(r *load.Result) { r.URL = "http://other/" }), comparisonOf("chat", true), loadOf(nil))
	var headings []string
	for _, s := range sections(t, page) {
		headings = append(headings, s.heading)
	}
	const first = "Load of http://127.0.0.1:8080/agent?a=1&b=2"
	want := []string{
		"Throughput by workload", "Throughput by runs in flight", "Latency from write to handler", "Scaling", "Engine against plain and floor",
		"Loads", first, "Load of http://other/", first, "Comparisons", "Runs",
	}
	if diff := cmp.Diff(want, headings); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	loads := sections(t, page)[5]
	wantRow := []string{
		"open loop: 62.5 runs begun a second, whatever the server does, at most 9,000 in flight", "1,600", "80", "10k",
		"2 ms", "4 ms", "900 ms", "1.8 s", "1 of 2", "file-1.json",
	}
	if diff := cmp.Diff(wantRow, loads.row("http://other/")); diff != "" || len(loads.rows) != 4 {
		t.Errorf("%d rows; (-want +got):\n%s", len(loads.rows), diff)
	}
}

func TestLatencyAxisIsLogarithmicWhereTheSpreadDemandsIt(t *testing.T) {
	const says = "milliseconds, logarithmic"
	level := func(r *load.Result) {
		for _, d := range []*load.Distribution{&r.FirstEventMillis, &r.FirstTokenMillis, &r.EventGapMillis, &r.RunMillis, &r.ServiceMillis} {
			*d = distribution(5)
		}
	}
	cases := []struct {
		name   string
		change func(r *load.Result)
		want   int // pictures with such an axis
	}{
		{"gaps and whole runs are far apart", nil, 1},
		{"all are alike", level, 0},
		{"zeros don't count", func(r *load.Result) { level(r); r.EventGapMillis.P50 = 0 }, 0},
		{"whole runs waited long", func(r *load.Result) { level(r); r.RunMillis = distribution(500) }, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if n := strings.Count(pageOf(t, loadOf(c.change)), says); n != c.want {
				t.Errorf("%d axes are logarithmic, want %d", n, c.want)
			}
		})
	}
}

func TestOddLoadsAreDrawn(t *testing.T) {
	long := func(r *load.Result) {
		r.Timeline = nil
		for i := range int64(240) {
			r.Timeline = append(r.Timeline, load.Sample{Seconds: float64(i + 1), InFlight: i % 7, Events: 1000 * i})
		}
	}
	cases := []struct {
		name  string
		text  string
		drawn int
	}{
		{"a bare result", `{"schema":1,"command":"load"}`, 0},
		{"no timeline", loadOf(func(r *load.Result) { r.Timeline = nil }), 2},
		{"one sample", loadOf(func(r *load.Result) { r.Timeline = r.Timeline[:1] }), 2},
		{"two samples", loadOf(func(r *load.Result) { r.Timeline = r.Timeline[:2] }), 4},
		{"a long one", loadOf(long), 5},
		{"no answer at all", loadOf(func(r *load.Result) {
			*r = load.Result{Schema: 1, Command: "load", Timeline: []load.Sample{{}, {Seconds: 1}, {Seconds: 2}}}
		}), 2},
		{"nothing but zeros measured", loadOf(func(r *load.Result) {
			zero := load.Distribution{Count: 3}
			r.FirstEventMillis, r.FirstTokenMillis, r.EventGapMillis, r.RunMillis, r.ServiceMillis = zero, zero, zero, zero, zero
		}), 4},
		{"a time that is zero beside long ones", loadOf(func(r *load.Result) { r.EventGapMillis = load.Distribution{Count: 3} }), 5},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			page := pageOf(t, c.text)
			sections(t, page)
			svgs := pictures.FindAllString(page, -1)
			if len(svgs) != c.drawn {
				t.Errorf("%d pictures, want %d", len(svgs), c.drawn)
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
				t.Error("something has no place")
			}
		})
	}
}

func TestLoadPageNeedsNothingElse(t *testing.T) {
	page := pageOf(t, loadOf(nil), loadOf(nil))
	if found := regexp.MustCompile(`(?i)<script|<link|<img|<image|<iframe|@import|url\(|src=|href=`).FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	for _, svg := range pictures.FindAllString(page, -1) {
		if hex := regexp.MustCompile(`(fill|stroke):\s*#[0-9A-Fa-f]+`).FindString(svg); hex != "" {
			t.Errorf("a picture has a colour of its own: %s", hex)
		}
	}
	for _, used := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(page, -1) {
		if n := strings.Count(page, used[1]+": #"); n != 2 {
			t.Errorf("%s is given %d times, want light and dark", used[1], n)
		}
	}
}

func TestTextsOfLoadsAreText(t *testing.T) {
	const evil = `</td></svg><script>alert('x')</script><b onclick="y">&amp;`
	page := pageOf(t, loadOf(func(r *load.Result) {
		r.URL, r.Rules, r.Message, r.BoundedBy = evil, evil, evil, evil
		r.Ends[evil], r.Errors[evil] = 1, 1
		r.SLO = []load.Verdict{{Goal: evil, Got: evil}}
	}), loadOf(nil))
	for _, text := range []string{"<script", "<b onclick", "alert('x')"} {
		if strings.Contains(page, text) {
			t.Errorf("the page has %s", text)
		}
	}
	s := sections(t, page)[1]
	if s.heading != "Load of "+evil || s.row(evil) == nil || s.row("message")[0] != evil {
		t.Errorf("heading %q, message %q", s.heading, s.row("message"))
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	page := pageOf(t, loadOf(func(r *load.Result) { r.URL = "http://ann:secret@host/" }))
	if strings.Contains(page, "secret") || !strings.Contains(page, "http://ann:xxxxx@host/") {
		t.Error("the page shows a password, or not the target")
	}
}

func TestLoadsThatCantBeAreRefused(t *testing.T) {
	cases := []struct{ name, text, says string }{
		{"a wrong member", `{"schema":1,"command":"load","events":"many"}`, "not a result of load"},
		{"a percentile", loadOf(func(r *load.Result) { r.RunMillis.P99 = -1 }), "whole run"},
		{"a tiny one", loadOf(func(r *load.Result) { r.RunMillis.P50 = 5e-324 }), "whole run"},
		{"a speed", loadOf(func(r *load.Result) { r.EventsPerSecond = 1e300 }), "eventsPerSecond"},
		{"a timeline that goes back", loadOf(func(r *load.Result) { r.Timeline[2].Seconds = 1 }), "out of order"},
		{"events that vanish", loadOf(func(r *load.Result) { r.Timeline[2].Events = 1 }), "out of order"},
		{"fewer than none in flight", loadOf(func(r *load.Result) { r.Timeline[1].InFlight = -1 }), "inFlight"},
		{"a burst without time", loadOf(func(r *load.Result) {
			r.Timeline = []load.Sample{{}, {Seconds: 1e-9, Events: 3_000_000}}
		}), "events a second"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := new(Results).Read("x.json", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "x.json: ") {
				t.Errorf("error %v, want it to say %q", err, c.says)
			}
		})
	}
}

func TestErrorsAreOrderedByNumber(t *testing.T) {
	l := loadSection{&Load{Result: load.Result{Errors: map[string]int64{"run": 5, "http": 5, "json": 9}}}}
	if diff := cmp.Diff("[{json 9} {http 5} {run 5}]", fmt.Sprint(l.Kinds())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
