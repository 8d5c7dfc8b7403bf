package load

import (
	"fmt"
	"io"
	"time"
)

// drawEvery is often enough to look alive and seldom enough to cost nothing.
const drawEvery = 500 * time.Millisecond

// eraseLine goes to the line's start and clears it.
const eraseLine = "\r\x1b[K"

// watch draws the live line until the function that it returns is called.
func (l *loader) watch() (stop func()) {
	if l.opt.Live == nil {
		return func() {}
	}
	halt, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(drawEvery)
		defer tick.Stop()
		began := time.Now()
		at, last := began, int64(0)
		for {
			select {
			case <-halt:
				_, _ = io.WriteString(l.opt.Live, eraseLine)
				return
			case now := <-tick.C:
				events := l.events.Load()
				rate := float64(events-last) / now.Sub(at).Seconds()
				at, last = now, events
				_, _ = io.WriteString(l.opt.Live, eraseLine+l.liveLine(now.Sub(began), rate))
			}
		}
	}()
	return func() {
		close(halt)
		<-gone
	}
}

func (l *loader) liveLine(passed time.Duration, eventsPerSecond float64) string {
	l.mu.Lock()
	done, failed := l.sum.done, l.sum.failed
	p99 := l.sum.firstEvent.distribution().P99
	l.mu.Unlock()
	text := fmt.Sprintf("%s live, %s done, %s with errors, %s events/s, first event p99 %s",
		grouped(l.live.Load()), grouped(done), grouped(failed), grouped(int64(eventsPerSecond)), millis(p99))
	if left := l.opt.Duration - passed; left > 0 {
		return text + fmt.Sprintf(", %.0f s left", left.Seconds())
	}
	return text + ", waiting for those in flight"
}
