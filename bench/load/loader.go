package load

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// loader is one load under way.
type loader struct {
	opt      Options
	engine   *engine.Engine
	http     *engine.HTTPTransport
	client   *http.Transport
	messages []*engine.Message
	nonce    string // so that two loads never ask under the same thread
	flights  []flight
	idle     chan *flight
	stripes  [gapStripes]stripe
	base     time.Time
	timeline []Sample // the sampling goroutine's, until it is stopped
	stop     context.CancelFunc

	started, events, bytes, waited, live, peak atomic.Int64
	flying                                     sync.WaitGroup

	mu    sync.Mutex
	sum   totals
	fault error
}

// totals add up the runs that are over.
type totals struct {
	done, failed, cut                              int64
	ends                                           [engine.Cancelled + 1]int64
	errors                                         [engine.KindConfig + 1]int64
	limited                                        [numLimits]int64
	firstEvent, firstToken, run, service, startLag latency
}

// now is the time since the beginning.
func (l *loader) now() time.Duration { return time.Since(l.base) }

func (l *loader) enter() {
	n := l.live.Add(1)
	for {
		p := l.peak.Load()
		if n <= p || l.peak.CompareAndSwap(p, n) {
			return
		}
	}
}

// give keeps the first fault that broke the load itself. The caller holds mu.
func (l *loader) give(err error) {
	if l.fault == nil {
		l.fault = err
	}
	l.stop()
}

// ErrNoAnswer says that of a whole load not one event came.
var ErrNoAnswer = errors.New("the server gave no event at all")

// Run puts a server under load and measures. When ctx is over it begins no more runs, leaves those in flight, and reports
// what was done so far. The error says that the load could not be made; what the runs did is in the Result.
func Run(ctx context.Context, opt Options) (*Result, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	return newLoader(opt).run(ctx)
}

func (l *loader) run(ctx context.Context) (*Result, error) {
	// A flight's next run may begin a moment before the engine has its last one off the books.
	var err error
	l.engine, err = engine.New(engine.Config{Handler: l, MaxRuns: 2 * l.opt.Runs})
	if err != nil {
		return nil, err
	}
	probes := startProbes(l.opt.Duration)
	stopLive := l.watch()
	l.measure(ctx)
	seconds := l.now().Seconds()
	stopLive()
	found := probes.stop()
	err = l.engine.Shutdown(context.WithoutCancel(ctx))
	l.client.CloseIdleConnections()
	if l.fault != nil || err != nil {
		return nil, errors.Join(l.fault, err)
	}
	return l.result(seconds, found), nil
}

func newLoader(opt Options) *loader {
	l := &loader{opt: opt, nonce: rand.Text()[:10], flights: make([]flight, opt.Runs), idle: make(chan *flight, opt.Runs)}
	l.client = client(opt)
	l.http = engine.HTTP(opt.URL, engine.WithHTTPClient(&http.Client{Transport: l.client}), engine.WithHTTPLimits(opt.Limits))
	message := &engine.Message{ID: "user-1", Role: state.RoleUser}
	message.SetText(opt.Message)
	l.messages = []*engine.Message{message}
	l.sum.firstEvent, l.sum.firstToken, l.sum.run = newLatency(), newLatency(), newLatency()
	l.sum.service, l.sum.startLag = newLatency(), newLatency()
	for i := range l.stripes {
		l.stripes[i].gaps = newLatency()
	}
	for i := range l.flights {
		f := &l.flights[i]
		f.key, f.stripe = flightKey(i), &l.stripes[i%gapStripes]
		l.idle <- f
	}
	return l
}

// client keeps a connection for each run in flight, so that a run that follows another needs none of its own.
func client(opt Options) *http.Transport {
	or := func(d, def time.Duration) time.Duration {
		switch {
		case d == 0:
			return def
		case d < 0:
			return 0
		}
		return d
	}
	dialer := &net.Dialer{Timeout: or(opt.Limits.Dial, engine.DefaultDialLimit)}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   or(opt.Limits.TLS, engine.DefaultTLSLimit),
		ResponseHeaderTimeout: or(opt.Limits.Header, engine.DefaultHeaderLimit),
		MaxIdleConnsPerHost:   opt.Runs,
		IdleConnTimeout:       30 * time.Second,
		DisableCompression:    true, // the engine's transport decodes
		ForceAttemptHTTP2:     true,
	}
}

// measure begins runs for the duration, waits for those in flight, and cuts what is left.
func (l *loader) measure(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l.stop = stop
	raiseDescriptors()
	l.base = time.Now()
	defer l.sample()()
	if l.opt.Rate > 0 {
		l.openLoop(ctx)
	} else {
		l.closedLoop(ctx)
	}
	landed := make(chan struct{})
	go func() {
		l.flying.Wait()
		close(landed)
	}()
	timer := time.NewTimer(l.opt.Drain)
	defer timer.Stop()
	select {
	case <-landed:
		return
	case <-timer.C:
	case <-ctx.Done():
	}
	stop()
	<-landed
}
