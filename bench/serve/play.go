package serve

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"time"
)

// play is one run under way.
type play struct {
	agent       *Agent
	script      *script
	number      int64
	fault       Fault
	w           http.ResponseWriter
	rc          *http.ResponseController
	ctx         context.Context // the client's
	thread, run []byte          // the request's ids as JSON strings

	timer   *time.Timer
	wrote   time.Time // when a byte was last sent
	scratch []byte
	begun   bool // the header is out
	over    bool // the run's end is written
}

// Why a run stopped before its body's end.
var (
	errLeft    = errors.New("the client left")
	errStopped = errors.New("the server stops")
	errFailed  = errors.New("failed as told")
)

// perform writes the answer.
func (p *play) perform() {
	a := p.agent
	p.timer = time.NewTimer(time.Hour)
	defer p.timer.Stop()
	err := p.begin()
	if err == nil {
		err = p.steps()
	}
	switch {
	case err == nil:
		a.done.Add(1)
	case errors.Is(err, errFailed):
	case errors.Is(err, errStopped):
		a.ended.Add(1)
		p.leave()
	case errors.Is(err, os.ErrDeadlineExceeded):
		a.slow.Add(1)
	default: // errLeft, or a write that found nobody
		a.left.Add(1)
	}
	if err != nil && p.fault != Refuse && !errors.Is(err, errStopped) && !(p.fault == ErrorEvent && p.over) {
		panic(http.ErrAbortHandler) // a body that isn't whole must not look so
	}
	_ = p.rc.SetWriteDeadline(time.Now().Add(a.opt.WriteLimit)) // for the last chunk; it was judged before
}

// begin sends the header, so that a client knows at once that it was heard.
func (p *play) begin() error {
	switch p.fault {
	case Refuse:
		http.Error(p.w, "the agent was told to refuse", http.StatusServiceUnavailable)
		return errFailed
	case SlowHeader:
		if err := p.wait(time.Now().Add(p.agent.opt.Delay), false); err != nil {
			return err
		}
	}
	h := p.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx holds events back without it
	p.w.WriteHeader(http.StatusOK)
	p.begun = true
	return p.flush()
}

// steps writes the body. Each event is flushed by itself, at its time. Only a run that is behind by a token or more
// (the machine is busy, the client reads slowly) sends what is due together.
func (p *play) steps() error {
	pace := newPacer(&p.agent.opt, p.number)
	now := time.Now()
	due := now
	pending := false
	for i := range p.script.steps {
		st := &p.script.steps[i]
		if st.token {
			due = pace.next()
		}
		if pending && !pace.behind(due, now) {
			if err := p.flush(); err != nil {
				return err
			}
			now, pending = p.wrote, false
		}
		if pace.gap > 0 && due.After(now) {
			if err := p.wait(due, true); err != nil {
				return err
			}
			now = time.Now()
		} else if p.gone() != nil {
			return p.gone()
		}
		if i == p.script.middle && p.fault != NoFault {
			if err := p.fail(st); err != nil {
				return err
			}
		}
		if err := p.write(p.bytes(st), !pending, now); err != nil {
			return err
		}
		p.over = p.over || st.terminal
		pending = true
	}
	if !pending {
		return nil
	}
	return p.flush()
}

// gone tells whether anybody still waits.
func (p *play) gone() error {
	if p.ctx.Err() != nil {
		return errLeft
	}
	if p.agent.stopped.Err() != nil {
		return errStopped
	}
	return nil
}

// wait waits until due; comments keep the stream alive meanwhile.
func (p *play) wait(due time.Time, alive bool) error {
	every := p.agent.opt.KeepAlive
	for {
		until := due
		comment := false
		if alive && every > 0 {
			if next := p.wrote.Add(every); next.Before(due) {
				until, comment = next, true
			}
		}
		p.timer.Reset(time.Until(until))
		select {
		case <-p.timer.C:
		case <-p.ctx.Done():
			return errLeft
		case <-p.agent.stopped.Done():
			return errStopped
		}
		if !comment {
			return nil
		}
		if err := p.send(keepAlive); err != nil {
			return err
		}
	}
}

// bytes are what a step writes for this request.
func (p *play) bytes(st *step) []byte {
	if st.parts == nil {
		return st.text
	}
	p.scratch = st.fill(p.scratch[:0], p.thread, p.run)
	return p.scratch
}

// write hands bytes to the connection's buffer. The deadline is moved before the first write of what is flushed
// together, so that the limit is for the waiting and never for the stream.
func (p *play) write(b []byte, first bool, now time.Time) error {
	if first {
		if err := p.rc.SetWriteDeadline(now.Add(p.agent.opt.WriteLimit)); err != nil {
			return err
		}
	}
	p.agent.events.Add(1)
	_, err := p.w.Write(b)
	return err
}

func (p *play) flush() error {
	err := p.rc.Flush()
	p.wrote = time.Now()
	return err
}

// send writes bytes that are no event of the body.
func (p *play) send(b []byte) error {
	if err := p.rc.SetWriteDeadline(time.Now().Add(p.agent.opt.WriteLimit)); err != nil {
		return err
	}
	if _, err := p.w.Write(b); err != nil {
		return err
	}
	return p.flush()
}

// fail does what the run was told to, in place of a step or before it.
func (p *play) fail(st *step) error {
	switch p.fault {
	case Cut:
		whole := p.bytes(st)
		if err := p.send(whole[:len(whole)/2]); err != nil {
			return err
		}
		return errFailed
	case Stall:
		if err := p.flush(); err != nil {
			return err
		}
		select {
		case <-p.ctx.Done():
		case <-p.agent.stopped.Done():
		}
		return errFailed
	case ErrorEvent:
		p.over = true
		if err := p.send(errorFrame); err != nil {
			return err
		}
		return errFailed
	case Garbage:
		return p.send(garbageFrame)
	}
	return nil
}

// leave ends a run that the server stops on purpose while things are open: by RUN_ERROR (rule 171).
func (p *play) leave() {
	switch {
	case !p.begun:
		http.Error(p.w, "the server is shutting down", http.StatusServiceUnavailable)
	case !p.over:
		_ = p.send(leavingFrame) // who is gone needs no word
	}
}

// pacer gives each token its time.
type pacer struct {
	start  time.Time
	gap    time.Duration // between tokens; 0: none waits
	exact  float64       // the same in ns, unrounded
	jitter float64
	tokens int
	chance *rand.Rand
}

func newPacer(opt *Options, number int64) pacer {
	p := pacer{start: time.Now(), jitter: opt.Jitter}
	if opt.Pace > 0 {
		p.exact = float64(time.Second) / opt.Pace
		p.gap = max(time.Duration(p.exact), 1)
	}
	if p.jitter > 0 {
		p.chance = rand.New(rand.NewPCG(uint64(number), 1))
	}
	return p
}

// next is when the next token is due. Times are counted from the start, so that being late once delays nothing else.
func (p *pacer) next() time.Time {
	p.tokens++
	at := float64(p.tokens) * p.exact
	if p.jitter > 0 {
		at += (2*p.chance.Float64() - 1) * p.jitter * p.exact
	}
	return p.start.Add(time.Duration(at))
}

// behind tells whether what is due now comes so late that its successor may be due as well.
func (p *pacer) behind(due, now time.Time) bool { return p.gap > 0 && now.Sub(due) >= p.gap }
