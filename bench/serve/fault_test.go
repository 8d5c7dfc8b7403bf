package serve

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// One run in eight fails, each in its way and within the time limit; the seven others are whole.
func TestFaultsEndOneRunAndHurtNoOther(t *testing.T) {
	const runs = 8
	limits := engine.HTTPLimits{Header: 300 * time.Millisecond, Idle: 300 * time.Millisecond}
	cases := []struct {
		fault  Fault
		end    string
		errors []string
	}{
		{Refuse, "failed", []string{"http"}},
		{Cut, "failed", []string{"transport"}},
		{Stall, "failed", []string{"transport"}},
		{ErrorEvent, "failed", []string{"run"}},
		{Garbage, "failed", []string{"json"}},
		{SlowHeader, "failed", []string{"transport"}},
	}
	for _, c := range cases {
		t.Run(c.fault.String(), func(t *testing.T) {
			t.Parallel()
			a, s := started(t, Options{
				Bodies: []Body{body("one", tokens(10))}, Pace: 100, Fault: c.fault, FaultRate: 1.0 / runs, Delay: 5 * time.Second,
			})
			got := make([]outcome, runs)
			together(runs, func(i int) { got[i] = ask(t, s.URL(), "t"+strconv.Itoa(i), "r", limits) })
			failed := 0
			for _, o := range got {
				if o.end == "success" && o.errors == nil && o.err == nil {
					continue
				}
				failed++
				if diff := cmp.Diff(c.errors, o.errors); diff != "" || o.end != c.end {
					t.Errorf("end %q, errors (-want +got):\n%s", o.end, diff)
				}
				if o.seconds > 2 {
					t.Errorf("it took %.1f s to fail", o.seconds)
				}
			}
			if failed != 1 {
				t.Errorf("%d of %d runs failed", failed, runs)
			}
			eventually(t, 2*time.Second, "no run is live", func() bool { return a.Stats().Live == 0 })
			if st := a.Stats(); st.Faults != 1 || st.Runs != runs {
				t.Errorf("%+v", st)
			}
		})
	}
}

func TestASlowHeaderIsOnlyLate(t *testing.T) {
	_, s := started(t, Options{Bodies: []Body{body("one", tokens(1))}, Fault: SlowHeader, FaultRate: 1, Delay: 100 * time.Millisecond})
	if got := ask(t, s.URL(), "t", "r", engine.HTTPLimits{}); got.end != "success" || got.seconds < 0.1 {
		t.Errorf("%+v", got)
	}
}

func TestFaultRates(t *testing.T) {
	cases := []struct {
		rate float64
		want []int64 // of the first ten runs
	}{
		{0, nil},
		{1, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{0.5, []int64{2, 4, 6, 8, 10}},
		{0.25, []int64{4, 8}},
	}
	for _, c := range cases {
		var got []int64
		for n := int64(1); n <= 10; n++ {
			if fails(n, c.rate) {
				got = append(got, n)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("rate %v: runs that fail (-want +got):\n%s", c.rate, diff)
		}
	}
}

func TestFaultNames(t *testing.T) {
	for _, name := range Faults() {
		if f, err := ParseFault(name); err != nil || f.String() != name {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if _, err := ParseFault("explode"); err == nil {
		t.Error("explode is taken for a fault")
	}
}
