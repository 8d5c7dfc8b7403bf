package load

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aguistream/aguistream/bench/serve"
)

func TestArrivals(t *testing.T) {
	cases := []struct {
		name string
		n    int64
		rate float64
		ramp time.Duration
		want time.Duration
	}{
		{"the first", 0, 200, 0, 0},
		{"evenly", 300, 200, 0, 1500 * time.Millisecond},
		{"less than one a second", 1, 0.5, 0, 2 * time.Second},
		{"ramp: the first", 0, 100, 2 * time.Second, 0},
		{"ramp: half of its time, a quarter of its runs", 25, 100, 2 * time.Second, time.Second},
		{"ramp: its end", 100, 100, 2 * time.Second, 2 * time.Second},
		{"behind the ramp", 200, 100, 2 * time.Second, 3 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := arrival(c.n, c.rate, c.ramp); got.Round(time.Microsecond) != c.want {
				t.Errorf("run %d is due after %v, want %v", c.n, got, c.want)
			}
		})
	}
}

// gate lets requests through, but for a time from the first of them on.
type gate struct {
	next     http.Handler
	from, to time.Duration
	once     sync.Once
	begun    time.Time
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.once.Do(func() { g.begun = time.Now() })
	if at := time.Since(g.begun); at >= g.from && at < g.to {
		time.Sleep(g.to - at)
	}
	g.next.ServeHTTP(w, r)
}

// Case L01, at half its length and a third of its rate: 60 runs a second for 4 s against a server that freezes for 1.5 s.
// 90 of 240 runs wait up to 1.5 s, so p90 is about 1.5 s x (1 - 24/90) = 1.1 s, and p50 is small.
func TestFrozenServerIsChargedFromTheIntendedTime(t *testing.T) {
	freeze := func(h http.Handler) http.Handler {
		return &gate{next: h, from: time.Second, to: 2500 * time.Millisecond}
	}
	r := loaded(t, Options{URL: target(t, serve.Options{}, 1, freeze), Rate: 60, Duration: 4 * time.Second})
	if r.RunsStarted != 240 || r.Ends["success"] != 240 {
		t.Errorf("%s, want 240 runs", describe(r))
	}
	for _, d := range []struct {
		name string
		d    Distribution
	}{{"first event", r.FirstEventMillis}, {"first token", r.FirstTokenMillis}, {"whole run", r.RunMillis}} {
		if d.d.Count != 240 || d.d.P50 > 200 || d.d.P90 < 850 || d.d.P90 > 1450 || d.d.Max < 1300 {
			t.Errorf("%s: %s", d.name, &d.d)
		}
	}
}

// What can't be sent in time, because too many runs wait, is still charged from when it was due; what the server did in
// its own time stands beside it, and the result says whose limit it was.
func TestRunsThatWaitForAPlaceAreChargedToo(t *testing.T) {
	slow := serve.Options{Pace: 100} // 10 tokens: a run takes 100 ms
	r := loaded(t, Options{URL: target(t, slow, 10, nil), Rate: 40, Runs: 1, Duration: time.Second, Ramp: -1})
	if r.GeneratorLimits.InFlight == nil || r.GeneratorLimits.InFlight.Limit != 1 || r.Valid {
		t.Errorf("%s, valid %v", describe(r), r.Valid)
	}
	// 40 runs of 100 ms, one after another, take 4 s; the last was due at 975 ms.
	if r.RunsDone != 40 || r.RunMillis.Max < 2500 || r.ServiceMillis.P50 > 250 {
		t.Errorf("%s; whole run %s; service %s", describe(r), &r.RunMillis, &r.ServiceMillis)
	}
}

// A server that freezes for good has its waiting runs counted as well, as long as they waited.
func TestRunsCutWhileTheyWaitAreCounted(t *testing.T) {
	freeze := func(h http.Handler) http.Handler { return &gate{next: h, from: time.Second, to: 5 * time.Second} }
	r := loaded(t, Options{URL: target(t, serve.Options{}, 1, freeze), Rate: 50, Duration: 2 * time.Second, Drain: 200 * time.Millisecond})
	if r.RunsCut < 40 || r.FirstEventMillis.Count != r.RunsStarted || r.FirstEventMillis.P90 < 700 || len(r.Errors) != 0 {
		t.Errorf("%d cut, %s; first event %s", r.RunsCut, describe(r), &r.FirstEventMillis)
	}
}

func TestRunsInFlightAreKept(t *testing.T) {
	r := loaded(t, Options{URL: target(t, serve.Options{Pace: 100}, 10, nil), Runs: 20, Duration: time.Second})
	if r.PeakInFlight != 20 || r.RunsDone < 100 || r.RunsDone > 240 || r.Events != r.RunsDone*eventsOf(10) {
		t.Errorf("%s, peak %d, %d events", describe(r), r.PeakInFlight, r.Events)
	}
	if r.EventGapMillis.Count != r.Events-r.RunsDone || r.EventGapMillis.P50 > 30 {
		t.Errorf("gaps: %s", &r.EventGapMillis)
	}
	if r.RunMillis.P50 < 95 || r.ServiceMillis.P50 < 95 || r.FirstTokenMillis.P50 < 9 {
		t.Errorf("whole run %s, first token %s", &r.RunMillis, &r.FirstTokenMillis)
	}
}
