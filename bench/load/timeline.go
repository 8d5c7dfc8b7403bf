package load

import "time"

// Sample is what a load had come to at one moment. Counts are from the beginning.
type Sample struct {
	Seconds        float64 `json:"seconds"` // since the beginning
	InFlight       int64   `json:"inFlight"`
	RunsDone       int64   `json:"runsDone"`
	RunsWithErrors int64   `json:"runsWithErrors"`
	Events         int64   `json:"events"`
}

// A load of any length gives at most mostSamples, evenly spaced: with each doubling of the time they come half as often.
const (
	mostSamples = 240
	sampleEvery = 50 * time.Millisecond // at first, of a short load; of a longer one a hundredth
)

// sample takes samples until the function that it returns is called, which takes the last.
func (l *loader) sample() (stop func()) {
	every := max(sampleEvery, l.opt.Duration/100)
	l.timeline = append(l.timeline, l.moment())
	halt, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-halt:
				return
			case <-tick.C:
				if len(l.timeline) == mostSamples {
					l.timeline = halved(l.timeline)
					every *= 2
					tick.Reset(every)
				}
				l.timeline = append(l.timeline, l.moment())
			}
		}
	}()
	return func() {
		close(halt)
		<-gone
		last := l.moment()
		// A moment after another would show what happened between as a burst.
		if n := len(l.timeline); n > 1 && last.Seconds-l.timeline[n-1].Seconds < every.Seconds()/2 {
			l.timeline = l.timeline[:n-1]
		}
		l.timeline = append(l.timeline, last)
	}
}

// halved leaves out every other sample; the first stays.
func halved(samples []Sample) []Sample {
	n := 0
	for i := 0; i < len(samples); i += 2 {
		samples[n] = samples[i]
		n++
	}
	return samples[:n]
}

func (l *loader) moment() Sample {
	l.mu.Lock()
	done, failed := l.sum.done, l.sum.failed
	l.mu.Unlock()
	return Sample{
		Seconds: l.now().Seconds(), InFlight: l.live.Load(), RunsDone: done, RunsWithErrors: failed, Events: l.events.Load(),
	}
}
