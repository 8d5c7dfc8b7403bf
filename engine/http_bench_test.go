package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
)

// wireShape is how a body of tokens goes over the wire.
type wireShape struct {
	name   string
	tokens int
	chunk  int // bytes; 0 is an event
	pace   pace
}

// pace is when a server writes the chunks of a body.
type pace int

const (
	paceFlushed  pace = iota // a system call each, as fast as they go
	paceLockstep             // likewise, but each when the one before it has been read
	paceWhole                // all in one
)

// An agent flushes every event. A reader beside a server that does so as fast as it can is always behind it, and gets many
// events at once; in lockstep it gets each by itself.
var wireShapes = []wireShape{
	{"event", 200, 0, paceFlushed},
	{"lockstep", 50, 0, paceLockstep},
	{"whole", 4000, 0, paceWhole},
	{"32KiB", 4000, 32 << 10, paceFlushed},
}

// events are a run of the shape's tokens, an event each.
func (w wireShape) events() [][]byte {
	all := [][]byte{engine.Frames(runStarted), engine.Frames(`{"type":"TEXT_MESSAGE_START","messageId":"m"}`)}
	for range w.tokens {
		all = append(all, engine.Frames(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" token"}`))
	}
	return append(all, engine.Frames(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`), engine.Frames(runFinished))
}

// writes are the answer with these events, as it is written.
func (w wireShape) writes(events [][]byte) [][]byte {
	chunks := events
	if w.chunk > 0 {
		chunks = slices.Collect(slices.Chunk(slices.Concat(events...), w.chunk))
	}
	all := [][]byte{[]byte(headerChunked)}
	for _, c := range chunks {
		all = append(all, fmt.Appendf(nil, "%x\r\n%s\r\n", len(c), c))
	}
	last := len(all) - 1
	all[last] = append(all[last], "0\r\n\r\n"...)
	if w.pace == paceWhole {
		return [][]byte{slices.Concat(all...)}
	}
	return all
}

// canned is a server that answers every request with the same pre-made writes, and the client to it.
type canned struct {
	client *http.Client
	url    string
	writes [][]byte
	conns  sync.Map // the client's address -> its *readConn, in lockstep
}

// readConn is the client's end of a connection in lockstep.
type readConn struct {
	net.Conn
	read  chan struct{} // one token: something has been read
	gone  chan struct{}
	close sync.Once
}

func (c *readConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		select {
		case c.read <- struct{}{}:
		default:
		}
	}
	return n, err
}

func (c *readConn) Close() error {
	c.close.Do(func() { close(c.gone) })
	return c.Conn.Close()
}

func newCanned(tb testing.TB, shape wireShape, events [][]byte) *canned {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &canned{url: "http://" + l.Addr().String(), writes: shape.writes(events)}
	rt := &http.Transport{MaxIdleConnsPerHost: transportRuns}
	if shape.pace == paceLockstep {
		rt.DialContext = s.dial
	}
	s.client = &http.Client{Transport: rt}
	var live sync.WaitGroup
	live.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			live.Go(func() { s.serve(c) })
		}
	})
	tb.Cleanup(func() {
		rt.CloseIdleConnections()
		_ = l.Close()
		live.Wait()
	})
	return s
}

func (s *canned) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	rc := &readConn{Conn: c, read: make(chan struct{}, 1), gone: make(chan struct{})}
	s.conns.Store(c.LocalAddr().String(), rc)
	return rc, nil
}

func (s *canned) serve(c net.Conn) {
	defer c.Close()
	request := make([]byte, 4<<10)
	for {
		if _, err := c.Read(request); err != nil {
			return
		}
		var reader *readConn
		if rc, ok := s.conns.Load(c.RemoteAddr().String()); ok {
			reader = rc.(*readConn)
		}
		for _, w := range s.writes {
			if _, err := c.Write(w); err != nil {
				return
			}
			if reader == nil {
				continue
			}
			select {
			case <-reader.read:
			case <-reader.gone:
				return
			}
		}
	}
}

// transportRuns is how many runs are at once, transportTurn how many there are in a turn.
const (
	transportRuns = 64
	transportTurn = 4 * transportRuns
)

// transportRace is a contest of ways to take the same bodies in, by turns:
//
//	bare       body reads of net/http, and nothing else
//	transport  an HTTPTransport, read as Run reads it, the pieces dropped
//	run        Run
//	replay     Run of the same bytes from memory
//	stream     the same bytes written to streams on their callers' goroutines: the pipeline and nothing else
type transportRace struct {
	contestants []bench.Contestant
	work        bench.Work
	pieces      atomic.Int64 // that bare has read
	bodies      atomic.Int64
}

func newTransportRace(tb testing.TB, shape wireShape) *transportRace {
	tb.Helper()
	events := shape.events()
	body := slices.Concat(events...)
	server := newCanned(tb, shape, events)
	eng, err := engine.New(engine.Config{Handler: nothing})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = eng.Shutdown(context.Background()) })
	tr := engine.HTTP(server.url, engine.WithHTTPClient(server.client))

	r := &transportRace{work: bench.Work{
		Events: int64(transportTurn * len(events)), Bytes: int64(transportTurn * len(body)),
	}}
	// way makes a lane's own state, so that each of the runs that are at once has a thread, a buffer and a pool.
	add := func(name string, way func(in *engine.RunAgentInput) func() error) {
		lanes := make([]func() error, transportRuns)
		for i := range lanes {
			lanes[i] = way(input(fmt.Sprint("thread-", i)))
		}
		r.contestants = append(r.contestants, bench.Contestant{Name: name, Do: func(int) error { return atOnce(lanes) }})
	}
	add("bare", func(*engine.RunAgentInput) func() error {
		buf := make([]byte, 32<<10)
		return func() error { return r.bare(server, buf) }
	})
	add("transport", func(in *engine.RunAgentInput) func() error {
		return func() error {
			size := 0
			err := engine.Pump(tb.Context(), tr, in, func(p []byte) error { size += len(p); return nil })
			if err == nil && size != len(body) {
				err = fmt.Errorf("%d bytes of %d came", size, len(body))
			}
			return err
		}
	})
	add("run", func(in *engine.RunAgentInput) func() error {
		return func() error { return eng.Run(tb.Context(), tr, in, engine.StreamOptions{}) }
	})
	add("replay", func(in *engine.RunAgentInput) func() error {
		return func() error { return eng.Run(tb.Context(), engine.ReplayBytes(body), in, engine.StreamOptions{}) }
	})
	add("stream", func(*engine.RunAgentInput) func() error {
		pool := new(engine.Pool)
		return func() error { return throughStream(pool, body) }
	})
	return r
}

var nothing = engine.HandlerFunc(func(*engine.Stream, engine.Update) {})

// atOnce makes a turn's runs, a lane's one after the other.
func atOnce(lanes []func() error) error {
	var wg sync.WaitGroup
	var begun atomic.Int64
	failures := make([]error, len(lanes))
	for i, one := range lanes {
		wg.Go(func() {
			for failures[i] == nil && begun.Add(1) <= transportTurn {
				failures[i] = one()
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// bare makes a request and reads the answer's body to the end.
func (r *transportRace) bare(server *canned, buf []byte) error {
	res, err := server.client.Post(server.url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	r.bodies.Add(1)
	for pieces := int64(1); ; pieces++ {
		switch _, err := res.Body.Read(buf); err {
		case nil:
		case io.EOF:
			r.pieces.Add(pieces)
			return nil
		default:
			return err
		}
	}
}

// throughStream writes a body to a stream, in pieces as large as reads are.
func throughStream(pool *engine.Pool, body []byte) error {
	s, err := engine.NewStream(nothing, engine.StreamOptions{Pool: pool})
	if err != nil {
		return err
	}
	for p := range slices.Chunk(body, 32<<10) {
		if _, err := s.Write(p); err != nil {
			return err
		}
	}
	return errors.Join(s.Close(), s.Release())
}

// transportFigures are speeds: 1 is that of bare.
type transportFigures struct{ transport, run, replay, stream float64 }

// ofBound is Run's speed by that which reading and a pipeline, each alone as fast as was measured, allow together.
func (f transportFigures) ofBound(pipeline float64) float64 { return f.run * (1 + 1/pipeline) }

func (r *transportRace) measure(tb testing.TB, d, slice time.Duration) (transportFigures, []bench.Score) {
	tb.Helper()
	scores, err := bench.Alternate(tb.Context(), r.contestants, bench.AlternateOptions{
		Units: []bench.Work{r.work}, For: d, Slice: slice,
	})
	if err != nil {
		tb.Fatal(err)
	}
	speed := func(i int) float64 { return scores[i].Speedup(&scores[0]) }
	return transportFigures{speed(1), speed(2), speed(3), speed(4)}, scores
}

// BenchmarkTransport holds what takes bodies in, 64 at once and by turns, beside a bare loop of net/http body reads of the
// same bodies: xTransport and xRun are the speeds of the transport alone and of Run by that of the loop, xBoundReplay and
// xBoundStream Run's by what the loop and the pipeline, each alone, allow together. The pipeline is Run from memory, or
// streams without mailboxes. Events a read are the bare loop's: how many the network has gathered.
func BenchmarkTransport(b *testing.B) {
	for _, shape := range wireShapes {
		b.Run(shape.name, func(b *testing.B) {
			r := newTransportRace(b, shape)
			d, slice := 3*time.Second, 100*time.Millisecond
			if testing.Short() {
				d, slice = 1, 1
			}
			var sum transportFigures
			var streams, replays float64
			nanos := make([]float64, len(r.contestants))
			for b.Loop() {
				f, scores := r.measure(b, d, slice)
				sum.transport += f.transport
				sum.run += f.run
				replays += f.ofBound(f.replay)
				streams += f.ofBound(f.stream)
				for i := range scores {
					nanos[i] += scores[i].MedianNanos()
				}
			}
			n := float64(b.N)
			for i, c := range r.contestants {
				b.ReportMetric(nanos[i]/n, c.Name+"-ns/event")
			}
			b.ReportMetric(sum.transport/n, "xTransport")
			b.ReportMetric(sum.run/n, "xRun")
			b.ReportMetric(replays/n, "xBoundReplay")
			b.ReportMetric(streams/n, "xBoundStream")
			b.ReportMetric(float64(r.bodies.Load()*r.work.Events/transportTurn)/float64(r.pieces.Load()), "events/read")
		})
	}
}

// TestTransportKeepsUp holds quotients of BenchmarkTransport, with air between them and what an idle machine gives: 0.8 is
// aimed at in each.
func TestTransportKeepsUp(t *testing.T) {
	if testing.Short() || raceDetector || engine.Poisoned {
		t.Skip("timed, so only by itself")
	}
	const attempts = 4
	transport := func(f transportFigures) float64 { return f.transport }
	for _, tt := range []struct {
		shape int
		what  string
		of    func(transportFigures) float64
		least float64
	}{
		{0, "the transport to bare reads", transport, 0.65},
		{1, "the transport to bare reads", transport, 0.65},
		{2, "the transport to bare reads", transport, 0.65},
		{3, "Run to what reads and Run from memory allow", func(f transportFigures) float64 { return f.ofBound(f.replay) }, 0.55},
	} {
		t.Run(wireShapes[tt.shape].name, func(t *testing.T) {
			r := newTransportRace(t, wireShapes[tt.shape])
			best := 0.0
			for range attempts {
				f, _ := r.measure(t, 200*time.Millisecond, 20*time.Millisecond)
				if best = max(best, tt.of(f)); best >= tt.least {
					t.Logf("%s: %.2f, at least %v", tt.what, best, tt.least)
					return
				}
			}
			t.Errorf("%s: %.2f, at least %v", tt.what, best, tt.least)
		})
	}
}
