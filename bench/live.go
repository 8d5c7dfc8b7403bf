package bench

import (
	"fmt"
	"io"
	"time"
)

// drawEvery is often enough to look alive and seldom enough to cost nothing.
const drawEvery = 250 * time.Millisecond

// watch draws the live line until the function that it returns is called.
func (r *runner) watch() (stop func()) {
	if r.opt.Live == nil {
		return func() {}
	}
	halt, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(drawEvery)
		defer tick.Stop()
		began := time.Now()
		var last int64
		at := began
		for {
			select {
			case <-halt:
				_, _ = io.WriteString(r.opt.Live, eraseLine)
				return
			case now := <-tick.C:
				bytes := r.bytesFed.Load()
				perSecond := float64(bytes-last) / now.Sub(at).Seconds()
				last, at = bytes, now
				_, _ = io.WriteString(r.opt.Live, eraseLine+r.liveLine(now.Sub(began), perSecond))
			}
		}
	}()
	return func() {
		close(halt)
		<-gone
	}
}

// eraseLine goes to the line's start and clears it.
const eraseLine = "\r\x1b[K"

func (r *runner) liveLine(passed time.Duration, bytesPerSecond float64) string {
	r.mu.Lock()
	runs := r.sum.runs
	r.mu.Unlock()
	var frames, bytes float64
	for _, reel := range r.reels {
		frames += float64(len(reel.offsets))
		bytes += float64(len(reel.Bytes))
	}
	return fmt.Sprintf("%s runs done, %s events/s, %.0f MB/s%s", grouped(runs), short(bytesPerSecond*ratio(frames, bytes)),
		bytesPerSecond/1e6, r.left(passed, runs))
}

// left tells how long it may take yet.
func (r *runner) left(passed time.Duration, runs int64) string {
	var left time.Duration
	if r.opt.Duration > 0 {
		left = r.opt.Duration - passed
	}
	if r.opt.Total > 0 && runs > 0 {
		need := time.Duration(float64(passed) * float64(r.opt.Total-runs) / float64(runs))
		if r.opt.Duration <= 0 || need < left {
			left = need
		}
	}
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f s left", left.Seconds())
}
