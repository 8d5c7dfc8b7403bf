package bench

import (
	"math"
	"runtime"
	"sync"
	"time"
)

// feedAll keeps all streams in flight fed, from a few goroutines, until no more are to be started and all are fed.
func (r *runner) feedAll() {
	n := feeders(r.opt.Runs)
	var all sync.WaitGroup
	for i := range n {
		slots := r.opt.Runs / n
		if i < r.opt.Runs%n {
			slots++
		}
		all.Go(func() { r.feed(slots, r.pace(n, slots)) })
	}
	all.Wait()
}

// feed goes round its streams, a write each, so that all of them are under way together. One that is fed makes room
// for the next.
func (r *runner) feed(slots int, p pace) {
	ring := make([]*flight, 0, slots)
	begun := 0
	begin := func(n int) {
		for ; begun < min(n, slots); begun++ {
			if f := r.open(); f != nil {
				ring = append(ring, f)
			}
		}
	}
	begin(p.beginners())
	for len(ring) > 0 {
		kept, moved := ring[:0], 0
		for _, f := range ring {
			clock := r.clock
			switch {
			case r.stopping.Load():
				clock = nil
			case p.perSecond > 0:
				p.wait()
			}
			n, did := f.send(clock)
			moved += n
			if did != over && !r.cutting.Load() {
				kept = append(kept, f)
				continue
			}
			f.short = did != over
			r.ending.Add(1)
			go r.finish(f)
			if next := r.open(); next != nil {
				kept = append(kept, next)
			}
		}
		ring = kept
		begin(p.beginners())
		if moved == 0 {
			runtime.Gosched() // every stream waits for its shard
		}
		r.bytesFed.Add(int64(moved))
	}
}

// open starts the next stream, if there is to be one.
func (r *runner) open() *flight {
	if r.stopping.Load() {
		return nil
	}
	n := r.started.Add(1) - 1
	if r.opt.Total > 0 && n >= r.opt.Total {
		return nil
	}
	f := <-r.idle
	reel := r.reels[n%int64(len(r.reels))]
	f.begin(reel, int(n/int64(len(r.reels))))
	opt := reel.options
	opt.Data = f
	stream, err := r.eng.Open(f.key, opt)
	if err != nil {
		r.idle <- f
		r.give(err)
		return nil
	}
	f.stream = stream
	return f
}

// pace spaces writes out. The zero value doesn't.
type pace struct {
	perSecond float64
	slots     int
	ramp      float64 // seconds until all slots are under way: as long as a run takes
	began     time.Time
	writes    float64
	allowed   float64
	row       int // writes since the CPU was offered to others
}

// pace gives each of n feeders, one with so many slots, its share of the writes that the rate of runs comes to.
func (r *runner) pace(n, slots int) pace {
	if r.opt.Rate <= 0 {
		return pace{slots: slots}
	}
	writes := 0
	for _, reel := range r.reels {
		writes += max(1, reel.writes())
	}
	perRun := float64(writes) / float64(len(r.reels))
	perSecond := r.opt.Rate * perRun / float64(n)
	return pace{perSecond: perSecond, slots: slots, ramp: float64(slots) * perRun / perSecond}
}

// beginners is how many streams are to be under way by now. With a pace they begin one after the other over the time of
// a run, so that they are never all at the same place: what a run costs most is then spread as it is where runs come by
// themselves.
func (p *pace) beginners() int {
	if p.perSecond <= 0 {
		return p.slots
	}
	part := math.Sqrt(2 * p.writes / (p.ramp * p.perSecond)) // of the ramp's time: see due
	return 1 + int(min(part, 1)*float64(p.slots))
}

// due is how many writes are to be done after so many seconds: while the streams begin, as many of the full rate's as of
// them are under way.
func (p *pace) due(seconds float64) float64 {
	if seconds < p.ramp {
		return p.perSecond * seconds * seconds / (2 * p.ramp)
	}
	return p.perSecond * (seconds - p.ramp/2)
}

// nap is the shortest sleep: a timer may be a millisecond late, and what is written after that is a burst. Shorter waits
// offer the CPU to others instead.
const nap = 2 * time.Millisecond

// stretch is how many writes are made at most before the shards, which may share the CPU, have a turn.
const stretch = 32

// wait returns when the next write is due. Writes that fell behind, because the shards did, are made up for.
func (p *pace) wait() {
	if p.began.IsZero() {
		p.began = time.Now() // with all streams open, which is nothing to be made up for
	}
	p.writes++
	if p.row++; p.row >= stretch {
		p.row = 0
		runtime.Gosched()
	}
	for p.writes > p.allowed {
		p.allowed = p.due(time.Since(p.began).Seconds())
		if due := time.Duration((p.writes - p.allowed) / p.perSecond * float64(time.Second)); due > nap {
			time.Sleep(due - nap/2)
		} else if due > 0 {
			runtime.Gosched()
		}
	}
}
