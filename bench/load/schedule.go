package load

import (
	"context"
	"math"
	"time"
)

// arrival is when the n-th run (from 0) of an open loop is meant to start, counted from the beginning. While ramping the
// rate grows evenly from nothing.
func arrival(n int64, rate float64, ramp time.Duration) time.Duration {
	at := float64(n) / rate
	if r := ramp.Seconds(); r > 0 {
		if inRamp := rate * r / 2; float64(n) < inRamp {
			at = math.Sqrt(2 * r * float64(n) / rate)
		} else {
			at = r + (float64(n)-inRamp)/rate
		}
	}
	return time.Duration(at * float64(time.Second))
}

// openLoop begins runs by the schedule until the duration is over. What is due is begun late rather than never, and
// counts from when it was due.
func (l *loader) openLoop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := int64(0); ; n++ {
		due := arrival(n, l.opt.Rate, l.opt.Ramp)
		if due >= l.opt.Duration {
			return
		}
		if d := due - l.now(); d > 0 {
			timer.Reset(d)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		}
		f := l.seat(ctx)
		if f == nil {
			return
		}
		l.flying.Add(1)
		go func() {
			defer l.flying.Done()
			l.fly(ctx, f, due)
			l.idle <- f
		}()
	}
}

// seat is a flight that is free; it waits when as many are under way as may be. Nil: ctx was over first.
func (l *loader) seat(ctx context.Context) *flight {
	select {
	case f := <-l.idle:
		return f
	default:
	}
	l.waited.Add(1)
	select {
	case f := <-l.idle:
		return f
	case <-ctx.Done():
		return nil
	}
}

// Runs that fail at once are not begun again at once: a server that is down shouldn't be asked a million times.
const (
	failedFast   = 20 * time.Millisecond
	firstBackoff = 10 * time.Millisecond
	mostBackoff  = time.Second
)

// closedLoop keeps every flight in the air: each begins the next run when its last one is over.
func (l *loader) closedLoop(ctx context.Context) {
	n := len(l.flights)
	for i := range l.flights {
		f := &l.flights[i]
		begin := time.Duration(float64(l.opt.Ramp) * float64(i) / float64(n))
		l.flying.Add(1)
		go func() {
			defer l.flying.Done()
			l.again(ctx, f, begin)
		}()
	}
	l.sleep(ctx, l.opt.Duration-l.now())
}

func (l *loader) again(ctx context.Context, f *flight, begin time.Duration) {
	backoff := time.Duration(0)
	for due := begin; ; {
		if !l.sleep(ctx, due+backoff-l.now()) {
			return
		}
		// A run that was held back was meant for later: nobody is charged for the wait.
		due += backoff
		if l.now() >= l.opt.Duration || due >= l.opt.Duration {
			return
		}
		l.fly(ctx, f, due)
		due = l.now()
		switch {
		case !f.failed || due-f.sent > failedFast:
			backoff = 0
		default:
			backoff = min(max(2*backoff, firstBackoff), mostBackoff)
		}
	}
}

// sleep tells whether the time passed before ctx was over.
func (l *loader) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
