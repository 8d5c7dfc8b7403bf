package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench"
)

func runOf(workload string, inFlight, shards int, speed float64) string {
	text, err := json.Marshal(bench.Result{
		Schema: 1, Command: "run", Env: bench.Env{Go: "go1.26", OS: "linux", Arch: "amd64", CPUs: 2},
		Workload: workload, InFlight: inFlight, Shards: shards, EventsPerSecond: speed, Balanced: true, Rules: "loud",
		LatencyMicros: bench.Percentiles{P50: 10, P90: 20, P99: 50, P999: 400, Max: 2000},
	})
	if err != nil {
		panic(err) // its fields are finite
	}
	return string(text)
}

func comparisonOf(workload string, equal bool) string {
	text, err := json.Marshal(bench.Comparison{
		Schema: 1, Command: "compare", Workload: workload, Equal: equal,
		Rows: []bench.Row{
			{Pipeline: "floor", EventsPerSecond: 8e7}, {Pipeline: "unmarshal", EventsPerSecond: 7e5},
			{Pipeline: "plain", EventsPerSecond: 3e5}, {Pipeline: "engine", EventsPerSecond: 9e6},
		},
		Ratio: bench.Ratios{EngineToPlain: 30, EngineToFloor: 0.11},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func pageOf(t *testing.T, texts ...string) string {
	t.Helper()
	var r Results
	for i, text := range texts {
		if err := r.Read(fmt.Sprintf("file-%d.json", i), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// everything is a page with all pictures on it.
func everything(t *testing.T) string {
	return pageOf(t, runOf("mixed", 100, 1, 5e6), runOf("mixed", 2000, 1, 4e6), runOf("mixed", 100, 2, 9e6)+"\n"+runOf("chat", 100, 1, 1e7),
		comparisonOf("mixed", true), comparisonOf("chat", true))
}

var pictures = regexp.MustCompile(`(?s)<svg.*?</svg>`)

func TestPageHoldsEveryPicture(t *testing.T) {
	page := everything(t)
	svgs := pictures.FindAllString(page, -1)
	if len(svgs) != 5 {
		t.Errorf("%d pictures", len(svgs))
	}
	if strings.Contains(page, "Nothing to draw") {
		t.Error("something isn't drawn")
	}
	for i, svg := range svgs {
		dec := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("picture %d is not well-formed: %v", i, err)
			}
		}
		if hex := regexp.MustCompile(`(fill|stroke):\s*#[0-9A-Fa-f]+`).FindString(svg); hex != "" {
			t.Errorf("picture %d has a colour of its own: %s", i, hex)
		}
		for _, colour := range []string{"currentColor", "var(--grid)", "var(--series-1)"} {
			if !strings.Contains(svg, colour) {
				t.Errorf("picture %d doesn't use %s", i, colour)
			}
		}
	}
	for _, text := range []string{"mixed", "chat", "floor", "plain", "engine", "p99.9", "100 runs in flight", "10M", "file-2.json"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page doesn't say %q", text)
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := everything(t)
	if found := regexp.MustCompile(`(?i)https?:|//[a-z]|<script|<link|<img|<image|@import|url\(|src=|href=`).FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
}

func TestPageFollowsTheReadersSetting(t *testing.T) {
	page := everything(t)
	for _, text := range []string{"prefers-color-scheme: dark", `name="color-scheme" content="light dark"`} {
		if !strings.Contains(page, text) {
			t.Errorf("no %s", text)
		}
	}
	// Each colour that is used has a light and a dark value.
	for _, used := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(page, -1) {
		if n := strings.Count(page, used[1]+": #"); n != 2 {
			t.Errorf("%s is given %d times, want light and dark", used[1], n)
		}
	}
}

func TestNamesAreText(t *testing.T) {
	const evil = `</svg><script>alert('x')</script><b onclick="y">&amp;`
	var r Results
	for _, text := range []string{runOf(evil, 10, 1, 1e6), runOf(evil, 20, 2, 2e6), comparisonOf(evil, false)} {
		if err := r.Read(evil, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, text := range []string{"<script", "<b onclick", "alert('x')"} {
		if strings.Contains(page, text) {
			t.Errorf("the page has %s", text)
		}
	}
	if opened, closed := strings.Count(page, "<svg"), strings.Count(page, "</svg>"); opened != closed {
		t.Errorf("%d pictures begin and %d end", opened, closed)
	}
}

func TestOddResultsAreDrawn(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = runOf(fmt.Sprintf("workload %d", i), 1+i, 1+i%3, float64(i))
	}
	cases := []struct {
		name  string
		texts []string
		drawn int
	}{
		{"one run", []string{runOf("chat", 1, 1, 1e6)}, 2},
		{"one comparison", []string{comparisonOf("chat", true)}, 1},
		{"many runs", many, 2},
		{"bare results", []string{`{"schema":1,"command":"run"}`, `{"schema":1,"command":"compare"}`}, 0},
		{"a run without shards", []string{`{"schema":1,"command":"run","eventsPerSecond":5,"inFlight":0}`, `{"schema":1,"command":"run","eventsPerSecond":5,"inFlight":3}`}, 1},
		{"equal figures", []string{runOf("chat", 5, 1, 1), runOf("chat", 6, 2, 1)}, 2},
		{"tiny and huge", []string{runOf("chat", 1, 1, 1e-3), runOf("chat", 1_000_000, 1, 1e15)}, 3},
		{"a paced run", []string{strings.Replace(runOf("chat", 1, 1, 5), `"rate":0`, `"rate":50`, 1)}, 1},
		{"control characters", []string{runOf("a\nb\x00c\u202e", 1, 1, 5)}, 2},
		{"a long name", []string{runOf(strings.Repeat("名", 500), 1, 1, 5)}, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			svgs := pictures.FindAllString(pageOf(t, c.texts...), -1)
			if len(svgs) != c.drawn {
				t.Errorf("%d pictures, want %d", len(svgs), c.drawn)
			}
			for _, svg := range svgs {
				if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
					t.Error("a picture has no place for something")
				}
			}
		})
	}
}

func TestFaultsAreShown(t *testing.T) {
	page := pageOf(t, comparisonOf("chat", false), strings.Replace(runOf("mixed", 1, 1, 1), `"balanced":true`, `"balanced":false`, 1),
		strings.Replace(runOf("mixed", 1, 1, 1), `"mismatches":0`, `"mismatches":3`, 1))
	for _, text := range []string{"the stores of chat differ", "do not balance", "3 of 0 stores"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page doesn't say %q", text)
		}
	}
	if strings.Contains(everything(t), `class="faults"`) {
		t.Error("faults are shown where there are none")
	}
}

func TestEqualResultsGiveEqualPages(t *testing.T) {
	if diff := cmp.Diff(everything(t), everything(t)); diff != "" {
		t.Errorf("pages (-first +second):\n%s", diff)
	}
}

func TestWhatIsNoResultIsRefused(t *testing.T) {
	cases := []struct{ name, text, says string }{
		{"nothing", "", "empty"},
		{"no JSON", "events/s", "not JSON"},
		{"half a result", runOf("chat", 1, 1, 1) + "{", "not JSON"},
		{"a list", "[1]", "not a result"},
		{"an object", `{"a":1}`, "no command"},
		{"another schema", `{"schema":2,"command":"run"}`, "schema 2"},
		{"another command", `{"schema":1,"command":"serve"}`, `"serve"`},
		{"a wrong member", `{"schema":1,"command":"run","events":"many"}`, "not a result of run"},
		{"a figure that can't be", `{"schema":1,"command":"run","eventsPerSecond":1e308}`, "eventsPerSecond"},
		{"a negative one", `{"schema":1,"command":"compare","rows":[{"pipeline":"plain","eventsPerSecond":-1}]}`, "eventsPerSecond"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var r Results
			err := r.Read("x.json", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "x.json: ") {
				t.Errorf("error %v, want it to say %q", err, c.says)
			}
		})
	}
	if err := new(Results).WriteHTML(io.Discard); err == nil {
		t.Error("no results make a page")
	}
}

func TestNumbers(t *testing.T) {
	cases := map[float64]string{
		0: "0", 0.5: "0.5", 1: "1", 12.34: "12.3", 999: "999", 1000: "1k", 1234: "1.23k", 25_000: "25k", 8_000_000: "8M", 1.5e9: "1.5G", 0.00012: "0.00012",
	}
	for v, want := range cases {
		if got := number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if got := grouped(-1234567); got != "-1,234,567" {
		t.Errorf("grouped: %q", got)
	}
}
