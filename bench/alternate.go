package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Contestant is one way of doing work that others do too.
type Contestant struct {
	Name string
	// Do does one unit of the work, by its number.
	Do func(unit int) error
}

// Work is the size of a unit of work.
type Work struct{ Events, Bytes int64 }

func (w Work) plus(o Work) Work { return Work{w.Events + o.Events, w.Bytes + o.Bytes} }

func totalWork(units []Work) Work {
	var sum Work
	for _, w := range units {
		sum = sum.plus(w)
	}
	return sum
}

// AlternateOptions shape Alternate.
type AlternateOptions struct {
	Units []Work
	// For is how long it all takes, but for finding out how fast each is; 0 is DefaultAlternation. At least one round
	// is made.
	For time.Duration
	// Slice is about how long a turn is; 0 is DefaultSlice. A unit is never divided.
	Slice time.Duration
}

// Defaults of AlternateOptions.
const (
	DefaultAlternation = 10 * time.Second
	DefaultSlice       = 25 * time.Millisecond
)

// Score is what one contestant did in all its turns.
type Score struct {
	Name    string
	Work    Work
	Elapsed time.Duration
	Mallocs uint64 // objects, by the runtime's own count

	nanos []float64 // an event, round by round
}

// EventsPerSecond is over all turns.
func (s *Score) EventsPerSecond() float64 { return ratio(float64(s.Work.Events), s.Elapsed.Seconds()) }

// MBPerSecond is over all turns, in units of 10^6 bytes.
func (s *Score) MBPerSecond() float64 { return ratio(float64(s.Work.Bytes)/1e6, s.Elapsed.Seconds()) }

// AllocsPerEvent is over all turns.
func (s *Score) AllocsPerEvent() float64 { return ratio(float64(s.Mallocs), float64(s.Work.Events)) }

// MedianNanos is the median over the rounds of the time that an event took.
func (s *Score) MedianNanos() float64 { return median(s.nanos) }

// Rounds is how many there were.
func (s *Score) Rounds() int { return len(s.nanos) }

// Speedup is how many times as fast as other s is: the median over the rounds of the quotient within each, so that
// what a busy machine does to both cancels out, and what it does to one of them once counts once.
func (s *Score) Speedup(other *Score) float64 {
	quotients := make([]float64, min(len(s.nanos), len(other.nanos)))
	for i := range quotients {
		quotients[i] = ratio(other.nanos[i], s.nanos[i])
	}
	return median(quotients)
}

// Alternate times contestants on the same work by short turns on this goroutine, there and back (ABC CBA), so that none
// is always first. In a round each goes over all units equally often, as often as it takes for its turns to be about a
// slice long; the units are divided among several turns when they take longer than that.
//
// Before each turn, and untimed, the garbage of the one before is collected, and a contestant that is quick warms up on
// a unit: everyone pays for the garbage made in its own turn and for nobody else's.
//
// When ctx is over it returns what was done so far, or an error if that is less than a round.
func Alternate(ctx context.Context, all []Contestant, opt AlternateOptions) ([]Score, error) {
	if opt.For <= 0 {
		opt.For = DefaultAlternation
	}
	if opt.Slice <= 0 {
		opt.Slice = DefaultSlice
	}
	a := &alternation{all: all, opt: opt, work: totalWork(opt.Units), scores: make([]Score, len(all))}
	if err := a.rehearse(); err != nil {
		return nil, err
	}
	for began := time.Now(); a.rounds == 0 || time.Since(began) < opt.For; a.rounds++ {
		whole, err := a.round(ctx)
		if err != nil {
			return nil, err
		}
		if !whole {
			break
		}
	}
	if a.rounds == 0 {
		return nil, errors.New("broken off before everyone had a turn")
	}
	return a.scores, nil
}

// alternation is one Alternate under way.
type alternation struct {
	all    []Contestant
	opt    AlternateOptions
	work   Work // of all units
	groups [][2]int
	times  []int // how often each contestant does a group in its turn
	scores []Score
	rounds int
}

// rehearse does everything once, to see how long it takes, and divides it into turns.
func (a *alternation) rehearse() error {
	took := make([]time.Duration, len(a.all))
	longest := time.Duration(0)
	for i, c := range a.all {
		a.scores[i].Name = c.Name
		runtime.GC()
		began := time.Now()
		if err := do(c, [2]int{0, len(a.opt.Units)}, 1); err != nil {
			return err
		}
		took[i] = time.Since(began)
		longest = max(longest, took[i])
	}
	n := max(1, min(int(longest/a.opt.Slice), len(a.opt.Units)))
	for g := range n {
		a.groups = append(a.groups, [2]int{g * len(a.opt.Units) / n, (g + 1) * len(a.opt.Units) / n})
	}
	for _, t := range took {
		a.times = append(a.times, max(1, int(a.opt.Slice*time.Duration(n)/max(t, 1))))
	}
	return nil
}

// round gives each contestant its turn at each group. One that is broken off is not whole and counts for nothing.
func (a *alternation) round(ctx context.Context) (whole bool, err error) {
	turns := make([]Score, len(a.all))
	for g, group := range a.groups {
		for k := range a.all {
			if (g+a.rounds)%2 == 1 {
				k = len(a.all) - 1 - k
			}
			select {
			case <-ctx.Done():
				return false, nil
			default:
			}
			if err := a.turn(k, group, &turns[k]); err != nil {
				return false, err
			}
		}
	}
	for i := range turns {
		s, t := &a.scores[i], &turns[i]
		passes := int64(a.times[i])
		work := Work{passes * a.work.Events, passes * a.work.Bytes}
		s.Work = s.Work.plus(work)
		s.Elapsed += t.Elapsed
		s.Mallocs += t.Mallocs
		s.nanos = append(s.nanos, ratio(float64(t.Elapsed.Nanoseconds()), float64(work.Events)))
	}
	return true, nil
}

// turn times one contestant at one group of units.
func (a *alternation) turn(i int, group [2]int, s *Score) error {
	c := a.all[i]
	runtime.GC()
	if a.times[i] > 1 {
		if err := do(c, [2]int{group[0], group[0] + 1}, 1); err != nil {
			return err
		}
	}
	// ReadMemStats counts what each CPU has allocated to the object, which runtime/metrics does not.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := do(c, group, a.times[i])
	s.Elapsed += time.Since(began)
	runtime.ReadMemStats(&after)
	s.Mallocs += after.Mallocs - before.Mallocs
	return err
}

// do does a group of units a number of times.
func do(c Contestant, group [2]int, times int) error {
	for range times {
		for unit := group[0]; unit < group[1]; unit++ {
			if err := c.Do(unit); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// median leaves its argument as it is; the median of nothing is 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
