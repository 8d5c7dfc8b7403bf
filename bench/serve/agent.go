package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// Defaults of Options.
const (
	DefaultPace       = 50.0
	DefaultWriteLimit = 10 * time.Second
	DefaultFaultDelay = 10 * time.Second
)

// mostInput bounds a request's body.
const mostInput = 64 << 20

// Options shape an Agent. The zero value answers with the captures as fast as they can be written.
type Options struct {
	Bodies []Body // taken in turn; none: the captures
	// Pace is how many tokens a run gets a second; 0 is as fast as it goes. A token is an event that carries a delta;
	// every other event follows the one before it at once.
	Pace float64
	// Jitter is how far a token's time may be off, as a share of the time between two: 0 to 1.
	Jitter float64
	// KeepAlive is how long a stream may be silent before a comment is sent; 0: none is.
	KeepAlive time.Duration
	Fault     Fault
	FaultRate float64       // share of the runs that fail
	Delay     time.Duration // SlowHeader: how late; 0: 10 s
	// WriteLimit bounds one write: a reader that takes nothing for so long is given up. 0: 10 s. It is no limit on a
	// stream's length.
	WriteLimit time.Duration
}

// Stats are an Agent's figures so far.
type Stats struct {
	Live     int64 `json:"live"`     // runs under way
	Runs     int64 `json:"runs"`     // begun
	Done     int64 `json:"done"`     // whose body was written whole
	Events   int64 `json:"events"`   // written
	Rejected int64 `json:"rejected"` // requests that no run came of
	Faults   int64 `json:"faults"`   // runs that were made to fail
	Left     int64 `json:"left"`     // by their client before the end
	Slow     int64 `json:"slow"`     // given up because the client didn't read
	Stopped  int64 `json:"stopped"`  // ended by Stop
}

// Agent answers POSTs of a RunAgentInput with event streams. A path that names a body (its file's name, without what
// follows the last dot) gets that one, "/" the next in turn; a request with resume entries gets what continues the body
// that asked. GET /healthz says how it is.
type Agent struct {
	opt      Options
	scripts  []*script
	byName   map[string]*script
	byAsked  map[string]*script // interrupt id -> the run that answers it
	turn     atomic.Int64
	draining atomic.Bool
	stopped  context.Context
	stop     context.CancelFunc

	live, runs, done, events, rejected, faulted, left, slow, ended atomic.Int64
}

// New renders the bodies.
func New(opt Options) (*Agent, error) {
	if len(opt.Bodies) == 0 {
		bodies, err := Generated(bench.CapturesWorkload, 0, 0)
		if err != nil {
			return nil, err
		}
		opt.Bodies = bodies
	}
	if opt.WriteLimit <= 0 {
		opt.WriteLimit = DefaultWriteLimit
	}
	if opt.Delay <= 0 {
		opt.Delay = DefaultFaultDelay
	}
	a := &Agent{opt: opt, byName: map[string]*script{}, byAsked: map[string]*script{}}
	for _, b := range opt.Bodies {
		if err := a.add(b); err != nil {
			return nil, err
		}
	}
	a.stopped, a.stop = context.WithCancel(context.Background())
	return a, nil
}

func (a *Agent) add(b Body) error {
	var before *script
	for i, text := range b.Runs {
		s := newScript(b.Name, text)
		if len(s.steps) == 0 {
			return fmt.Errorf("%s: no event in it", b.Name)
		}
		if i == 0 {
			a.scripts = append(a.scripts, s)
			a.byName[stem(b.Name)] = s
		}
		if before != nil {
			before.next = s
		}
		before = s
		for _, id := range s.asked {
			a.byAsked[id] = s
		}
	}
	return nil
}

// stem is how a URL names a body.
func stem(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

// Stop ends the runs that are left, each by a RUN_ERROR that says so.
func (a *Agent) Stop() { a.stop() }

// Drain makes the health check fail, so that no more requests are sent here. Runs go on.
func (a *Agent) Drain() { a.draining.Store(true) }

// Stats tells what was done so far.
func (a *Agent) Stats() Stats {
	return Stats{
		Live: a.live.Load(), Runs: a.runs.Load(), Done: a.done.Load(), Events: a.events.Load(), Rejected: a.rejected.Load(),
		Faults: a.faulted.Load(), Left: a.left.Load(), Slow: a.slow.Load(), Stopped: a.ended.Load(),
	}
}

// ServeHTTP answers one request.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	// A connection that served a run before still has that run's last deadline.
	if err := rc.SetWriteDeadline(time.Now().Add(a.opt.WriteLimit)); err != nil {
		a.reject(w, http.StatusInternalServerError, "a stream needs write deadlines: "+err.Error())
		return
	}
	if r.URL.Path == "/healthz" {
		a.health(w)
		return
	}
	in, s, status, reason := a.read(w, r)
	if status != 0 {
		a.reject(w, status, reason)
		return
	}
	if !flushes(w) {
		a.reject(w, http.StatusInternalServerError, "a stream needs a writer that flushes, and something put one here that doesn't")
		return
	}
	a.live.Add(1)
	defer a.live.Add(-1)
	n := a.runs.Add(1)
	p := &play{agent: a, script: s, number: n, w: w, rc: rc, ctx: r.Context()}
	p.thread, p.run = decode.AppendQuotedString(nil, in.ThreadID), decode.AppendQuotedString(nil, in.RunID)
	if a.opt.Fault != NoFault && fails(n, a.opt.FaultRate) {
		p.fault = a.opt.Fault
		a.faulted.Add(1)
	}
	p.perform()
}

func (a *Agent) health(w http.ResponseWriter) {
	status, word := http.StatusOK, "ok"
	if a.draining.Load() {
		status, word = http.StatusServiceUnavailable, "draining"
	}
	s := a.Stats()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"status\":%q,\"live\":%d,\"runs\":%d,\"events\":%d}\n", word, s.Live, s.Runs, s.Events)
}

// reject answers a request that no run comes of (rule 141).
func (a *Agent) reject(w http.ResponseWriter, status int, reason string) {
	a.rejected.Add(1)
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	http.Error(w, reason, status)
}

// read takes the request, and chooses what answers it. A status that isn't 0 rejects it.
func (a *Agent) read(w http.ResponseWriter, r *http.Request) (in *engine.RunAgentInput, s *script, status int, reason string) {
	name := strings.Trim(r.URL.Path, "/")
	named := a.byName[name]
	if name != "" && named == nil {
		return nil, nil, http.StatusNotFound, fmt.Sprintf("no body is called %q", name)
	}
	if r.Method != http.MethodPost {
		return nil, nil, http.StatusMethodNotAllowed, "a run is asked for by POST, with a RunAgentInput as JSON"
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostInput))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, nil, http.StatusRequestEntityTooLarge, err.Error()
	case err != nil:
		return nil, nil, http.StatusBadRequest, "the request could not be read: " + err.Error()
	case !decode.Valid(body, 0):
		return nil, nil, http.StatusBadRequest, "malformed input: not JSON"
	}
	var lenient state.Enforcer // what is unknown is left out, and the run goes on (rule 180)
	if in, err = lenient.Input(body, ""); err != nil {
		return nil, nil, http.StatusBadRequest, "malformed input: " + err.Error()
	}
	return in, a.choose(named, in), 0, ""
}

func (a *Agent) choose(named *script, in *engine.RunAgentInput) *script {
	if len(in.Resume) > 0 {
		// Who asked is known by the interrupt, so nothing of a thread has to be kept.
		for _, r := range in.Resume {
			if s := a.byAsked[r.InterruptID]; s != nil && s.next != nil {
				return s.next
			}
		}
		return resumed(in)
	}
	if named != nil {
		return named
	}
	return a.scripts[int((a.turn.Add(1)-1)%int64(len(a.scripts)))]
}

// flushes tells, without writing anything, whether a writer can hand on what it was given.
func flushes(w http.ResponseWriter) bool {
	for {
		switch f := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = f.Unwrap()
		default:
			return false
		}
	}
}
