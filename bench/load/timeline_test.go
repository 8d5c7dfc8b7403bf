package load

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
)

func TestTimeline(t *testing.T) {
	r := loaded(t, Options{URL: target(t, serve.Options{Pace: 100}, 10, nil), Runs: 20, Duration: time.Second})
	n := len(r.Timeline)
	if n < 8 || n > 40 {
		t.Fatalf("%d samples", n)
	}
	if first := r.Timeline[0]; first.RunsDone != 0 || first.Seconds > 0.2 {
		t.Errorf("it begins with %+v", first)
	}
	last := r.Timeline[n-1]
	want := Sample{Seconds: last.Seconds, RunsDone: r.RunsDone, RunsWithErrors: r.RunsWithErrors, Events: r.Events}
	if diff := cmp.Diff(want, last); diff != "" || last.Seconds > r.Seconds {
		t.Errorf("at the end (-result +timeline):\n%s", diff)
	}
	peak := int64(0)
	for i, s := range r.Timeline {
		peak = max(peak, s.InFlight)
		if i == 0 {
			continue
		}
		if before := r.Timeline[i-1]; s.Seconds <= before.Seconds || s.Events < before.Events || s.RunsDone < before.RunsDone {
			t.Errorf("%+v comes after %+v", s, before)
		}
	}
	if peak == 0 || peak > r.PeakInFlight {
		t.Errorf("%d in flight in the timeline, %d at the peak", peak, r.PeakInFlight)
	}
}

func TestHalvedTimelineKeepsTheFirst(t *testing.T) {
	cases := []struct {
		name       string
		have, want []Sample
	}{
		{"none", nil, nil},
		{"one", []Sample{{Events: 1}}, []Sample{{Events: 1}}},
		{"even", []Sample{{Events: 1}, {Events: 2}, {Events: 3}, {Events: 4}}, []Sample{{Events: 1}, {Events: 3}}},
		{"odd", []Sample{{Events: 1}, {Events: 2}, {Events: 3}}, []Sample{{Events: 1}, {Events: 3}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, halved(c.have)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
