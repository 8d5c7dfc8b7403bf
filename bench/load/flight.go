package load

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
)

// flight is a run under way, one after another. Times are counted from the beginning of the load. The first part is
// written by the goroutine that reads the body, the second by the shard; both are over when Engine.Run returns.
type flight struct {
	key string // the beginning of its thread ids
	seq int64

	due    time.Duration // when it was meant to start
	sent   time.Duration // when it did
	first  time.Duration // when its first event was read; 0: none was
	last   time.Duration // when its last one was
	frames decode.Framer
	stripe *stripe

	_      [64]byte // what follows is written on another CPU
	token  time.Duration
	done   time.Duration // when its last Done came; 0: none did
	end    engine.EndKind
	byRun  bool // it failed by RUN_ERROR: the server had its say
	errors [engine.KindConfig + 1]int64
	limit  limit // of ours that kept it from being asked
	silent bool  // it was waited for in vain

	failed bool // for the flight's own loop, when it is over
}

// The key's digits say which flight a thread belongs to.
const keyDigits = 7

func flightKey(i int) string {
	s := strconv.Itoa(i)
	return "0000000"[:keyDigits-len(s)] + s
}

func flightOf(thread string) int {
	n := 0
	for i := range keyDigits {
		n = n*10 + int(thread[i]-'0')
	}
	return n
}

func (f *flight) begin(due time.Duration) {
	f.seq++
	f.due, f.sent, f.first, f.last, f.token, f.done = due, 0, 0, 0, 0, 0
	f.end, f.byRun, f.limit, f.silent, f.failed = 0, false, noLimit, false, false
	f.errors = [len(f.errors)]int64{}
	f.frames.Reset()
}

// fly asks for one run and waits until it is over.
func (l *loader) fly(ctx context.Context, f *flight, due time.Duration) {
	f.begin(due)
	l.started.Add(1)
	l.enter()
	defer l.live.Add(-1)
	thread := f.key + "-" + l.nonce + "-" + strconv.FormatInt(f.seq, 10)
	in := &engine.RunAgentInput{ThreadID: thread, RunID: "run-" + thread, Messages: l.messages}
	f.sent = l.now() // until the transport says better
	err := l.engine.Run(ctx, l, in, engine.StreamOptions{Rules: l.opt.Rules, Data: f})
	l.land(ctx, f, err)
}

// Run makes the loader the transport: the engine's own, with an eye on when bytes come.
func (l *loader) Run(ctx context.Context, in *engine.RunAgentInput) (io.ReadCloser, error) {
	f := &l.flights[flightOf(in.ThreadID)]
	f.sent = l.now()
	body, err := l.http.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	return &tap{body, f, l}, nil
}

// tap counts the events of a body as they are read.
type tap struct {
	io.ReadCloser
	f *flight
	l *loader
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	events := int64(0)
	t.f.frames.Feed(p[:n])
	for {
		if _, ok := t.f.frames.Next(); !ok {
			break
		}
		events++
	}
	if err == io.EOF {
		if _, ok := t.f.frames.Finish(); ok {
			events++
		}
	}
	t.l.bytes.Add(int64(n))
	if events > 0 {
		t.l.arrived(t.f, events)
	}
	return n, err
}

// arrived times events that came in one read: the first of them ends a gap, the others come with it.
func (l *loader) arrived(f *flight, events int64) {
	l.events.Add(events)
	now := l.now()
	if f.first == 0 {
		f.first, f.last = now, now
		events--
	}
	if events > 0 {
		f.stripe.gap(now-f.last, events)
	}
	f.last = now
}

// HandleUpdate makes the loader the engine's handler.
func (l *loader) HandleUpdate(s *engine.Stream, u engine.Update) {
	f := s.Data().(*flight)
	switch u := u.(type) {
	case *engine.MessageUpdate:
		if f.token == 0 && (u.Change == engine.MessageContent || u.Change == engine.ToolCallArgs) {
			f.token = l.now()
		}
	case *engine.ReasoningUpdate:
		if f.token == 0 && u.Change == engine.ReasoningContent {
			f.token = l.now()
		}
	case *engine.ErrorUpdate:
		f.errors[u.Err.Kind]++
		f.byRun = u.Err.Kind == engine.KindRun
		var timeout net.Error
		f.silent = f.silent || errors.As(u.Err, &timeout) && timeout.Timeout()
		if f.limit == noLimit {
			f.limit = limitOf(u.Err)
		}
	case *engine.Done:
		f.done, f.end = l.now(), u.End.Kind
		f.byRun = f.byRun && u.End.Kind == engine.Failed
	}
}

// limitOf tells whether an error is a limit of this process or its machine.
func limitOf(err error) limit {
	switch {
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return descriptorLimit
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return portLimit
	}
	return noLimit
}

// land adds a run up.
func (l *loader) land(ctx context.Context, f *flight, err error) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.sum
	s.startLag.record(f.sent - f.due)
	var config *engine.Error
	var panicked *engine.PanicError
	switch {
	case errors.As(err, &panicked), errors.As(err, &config) && config.Kind == engine.KindConfig:
		l.give(err)
		return
	case f.limit != noLimit:
		s.limited[f.limit]++
		f.failed = true
		return
	case f.done == 0 && ctx.Err() != nil:
		s.cut++
		f.silent = true
	default:
		s.done++
		s.ends[max(f.end, engine.Success)]++
		for k, n := range f.errors {
			s.errors[k] += n
			f.failed = f.failed || n > 0
		}
		if f.done == 0 { // it wasn't even asked
			s.ends[engine.Success]--
			s.ends[engine.Failed]++
			f.failed = true
		}
		if f.failed {
			s.failed++
		}
	}
	s.time(f, now)
}

// time records a run's latencies. One that was waited for in vain, until a limit or the load's end, waited at least as
// long as it did: left out, a server that hangs would have none of it counted. Whole runs are timed when it was the
// server that ended them.
func (s *totals) time(f *flight, now time.Duration) {
	switch {
	case f.first > 0:
		s.firstEvent.record(f.first - f.due)
	case f.silent:
		s.firstEvent.record(now - f.due)
		s.firstToken.record(now - f.due)
	}
	if f.token > 0 {
		s.firstToken.record(f.token - f.due)
	}
	if f.done > 0 && (f.end != engine.Failed || f.byRun) {
		s.run.record(f.done - f.due)
		s.service.record(f.done - f.sent)
	}
}
