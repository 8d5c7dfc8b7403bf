package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// burn keeps the CPU busy.
func burn(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

var kept []byte // so that what a contestant allocates is not optimised away

func TestAlternateGivesEveryoneTheSameWork(t *testing.T) {
	units := []Work{{10, 100}, {20, 300}, {30, 500}}
	cases := []struct {
		name   string
		cost   time.Duration // of a unit for the slow one
		slice  time.Duration
		groups int
	}{
		{"turns of all units", 100 * time.Microsecond, 2 * time.Millisecond, 1},
		{"turns of one unit", 3 * time.Millisecond, 2 * time.Millisecond, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var order []string
			done := map[string][]int{"quick": make([]int, 3), "slow": make([]int, 3)}
			does := func(name string, cost time.Duration) Contestant {
				return Contestant{name, func(i int) error {
					if len(order) == 0 || order[len(order)-1] != name {
						order = append(order, name)
					}
					done[name][i]++
					burn(cost)
					return nil
				}}
			}
			scores, err := Alternate(context.Background(), []Contestant{does("quick", 10*time.Microsecond), does("slow", c.cost)},
				AlternateOptions{Units: units, Slice: c.slice, For: 40 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scores {
				if s.Rounds() < 2 && c.groups == 1 {
					t.Errorf("%s: %d rounds", s.Name, s.Rounds())
				}
				if s.Work.Events == 0 || s.Work.Events%60 != 0 || s.Work.Bytes != s.Work.Events/60*900 {
					t.Errorf("%s: %d events and %d bytes are no whole passes", s.Name, s.Work.Events, s.Work.Bytes)
				}
				if times := done[s.Name]; slices.Max(times) == 0 {
					t.Errorf("%s did nothing", s.Name)
				}
			}
			// Two in the rehearsal, and then one more for each group at least: there and back, two in a row are one.
			if turns := len(order); turns < c.groups+3 {
				t.Errorf("%d turns", turns)
			}
			// A unit costs one ten times what it costs the other, or more.
			if v := scores[0].Speedup(&scores[1]); v < 3 {
				t.Errorf("the quick one is %.1f times as fast", v)
			}
			if v := scores[1].Speedup(&scores[0]); v > 0.34 {
				t.Errorf("the slow one is %.2f times as fast", v)
			}
		})
	}
}

func TestAlternateCountsAllocations(t *testing.T) {
	scores, err := Alternate(context.Background(), []Contestant{
		{"none", func(int) error { burn(20 * time.Microsecond); return nil }},
		{"three", func(int) error {
			burn(20 * time.Microsecond)
			for range 3 {
				kept = make([]byte, 64)
			}
			return nil
		}},
	}, AlternateOptions{Units: []Work{{1, 1}}, Slice: 2 * time.Millisecond, For: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if v := scores[0].AllocsPerEvent(); v > 0.2 {
		t.Errorf("%v allocations where there are none", v)
	}
	if v := scores[1].AllocsPerEvent(); v < 2.9 || v > 3.3 {
		t.Errorf("%v allocations where there are 3", v)
	}
}

func TestAlternateEndsEarly(t *testing.T) {
	one := []Work{{1, 1}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Alternate(ctx, []Contestant{{"a", func(int) error { return nil }}}, AlternateOptions{Units: one}); err == nil {
		t.Error("a context that is over gives a score")
	}
	broken := errors.New("broken")
	_, err := Alternate(context.Background(), []Contestant{{"a", func(int) error { return broken }}}, AlternateOptions{Units: one})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "a: ") {
		t.Errorf("error %v", err)
	}
}

func TestMedian(t *testing.T) {
	cases := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"one", []float64{3}, 3},
		{"odd", []float64{9, 1, 4}, 4},
		{"even", []float64{9, 1, 4, 2}, 3},
		{"an outlier", []float64{1, 1, 1000}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.values)
			if got := median(c.values); got != c.want {
				t.Errorf("median %v, want %v", got, c.want)
			}
			if diff := cmp.Diff(before, c.values); diff != "" {
				t.Errorf("its argument changed (-before +after):\n%s", diff)
			}
		})
	}
}
