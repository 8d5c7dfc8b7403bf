package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
			synctest.Test(t, func(t *testing.T) { alternateByFakeTime(t, units, c.cost, c.slice, c.groups) })
		})
	}
}

// alternateByFakeTime has work take exactly as long as it says.
func alternateByFakeTime(t *testing.T, units []Work, cost, slice time.Duration, groups int) {
	var order []string
	done := map[string][]int{"quick": make([]int, 3), "slow": make([]int, 3)}
	does := func(name string, cost time.Duration) Contestant {
		return Contestant{name, func(i int) error {
			if len(order) == 0 || order[len(order)-1] != name {
				order = append(order, name)
			}
			done[name][i]++
			time.Sleep(cost)
			return nil
		}}
	}
	scores, err := Alternate(t.Context(), []Contestant{does("quick", 10*time.Microsecond), does("slow", cost)},
		AlternateOptions{Units: units, Slice: slice, For: 40 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if s.Rounds() < 2 {
			t.Errorf("%s: %d rounds", s.Name, s.Rounds())
		}
		if s.Work.Events == 0 || s.Work.Events%60 != 0 || s.Work.Bytes != s.Work.Events/60*900 {
			t.Errorf("%s: %d events and %d bytes are no whole passes", s.Name, s.Work.Events, s.Work.Bytes)
		}
		// What is timed is what took its time, and nothing besides: 60 events are three units.
		if each := float64(s.Elapsed) / float64(s.Work.Events); each != s.MedianNanos() {
			t.Errorf("%s: %v ns an event in all, %v in the median round", s.Name, each, s.MedianNanos())
		}
	}
	if got, want := scores[0].MedianNanos(), float64(3*10*time.Microsecond)/60; got != want {
		t.Errorf("an event takes the quick one %v ns, want %v", got, want)
	}
	// Two turns in the rehearsal, and then one more for each group and round at least: there and back, two in a row are one.
	if turns, least := len(order), 2+groups*scores[0].Rounds(); turns < least {
		t.Errorf("%d turns, want %d or more", turns, least)
	}
	if v, want := scores[0].Speedup(&scores[1]), float64(cost/(10*time.Microsecond)); v != want {
		t.Errorf("the quick one is %v times as fast, want %v", v, want)
	}
}

func TestAlternateCountsAllocations(t *testing.T) {
	scores, err := Alternate(t.Context(), []Contestant{
		{"none", func(int) error { return nil }},
		{"three", func(int) error {
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

func TestAlternateEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		scores, err := Alternate(ctx, []Contestant{{"a", func(int) error { time.Sleep(time.Millisecond); return nil }}},
			AlternateOptions{Units: []Work{{1, 1}}, For: time.Hour, Slice: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if n := scores[0].Rounds(); n < 2 || scores[0].Elapsed > 100*time.Millisecond {
			t.Errorf("%d rounds of %v", n, scores[0].Elapsed)
		}
	})
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
