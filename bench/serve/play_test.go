package serve

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aguistream/aguistream/engine"
)

func TestPace(t *testing.T) {
	cases := []struct {
		name         string
		pace, jitter float64
		token        int
		least, most  time.Duration // from the start
	}{
		{"the first", 50, 0, 1, 20 * time.Millisecond, 20 * time.Millisecond},
		{"a later one", 50, 0, 100, 2 * time.Second, 2 * time.Second},
		{"no rounding adds up", 3, 0, 3000, 1000*time.Second - time.Microsecond, 1000*time.Second + time.Microsecond},
		{"jitter", 50, 0.5, 100, 2*time.Second - 10*time.Millisecond, 2*time.Second + 10*time.Millisecond},
		{"none", 0, 0, 100, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPacer(&Options{Pace: c.pace, Jitter: c.jitter}, 1)
			var due time.Time
			for range c.token {
				due = p.next()
			}
			if got := due.Sub(p.start); got < c.least || got > c.most {
				t.Errorf("due after %v, want %v to %v", got, c.least, c.most)
			}
		})
	}
}

func TestJitterSpreadsTokens(t *testing.T) {
	p := newPacer(&Options{Pace: 50, Jitter: 1}, 1)
	early, late := 0, 0
	for i := range 1000 {
		switch off := p.next().Sub(p.start) - time.Duration(i+1)*20*time.Millisecond; {
		case off < -10*time.Millisecond:
			early++
		case off > 10*time.Millisecond:
			late++
		}
	}
	if early < 150 || late < 150 {
		t.Errorf("%d of 1000 tokens are early by more than half a gap, %d late", early, late)
	}
}

// Case H03: each event is seen within 100 ms of its time, whatever else waits to be written.
func TestEventsAreNotHeldBack(t *testing.T) {
	_, s := started(t, Options{Bodies: []Body{body("one", tokens(5))}, Pace: 5})
	const limit = 100 * time.Millisecond
	var late time.Duration
	for range 3 { // a machine that is busy with something else may be late once
		begun := time.Now()
		_, at := read(t, post(t, s.URL(), plainInput).Body)
		due := []time.Duration{0, 0, 1, 2, 3, 4, 5, 5, 5} // the tokens' times, in fifths of a second
		if len(at) != len(due) {
			t.Fatalf("%d events, want %d", len(at), len(due))
		}
		late = 0
		for i := range at {
			late = max(late, at[i].Sub(begun)-due[i]*time.Second/5)
		}
		if late < limit {
			return
		}
	}
	t.Errorf("an event came %v late", late)
}

func TestKeepAlive(t *testing.T) {
	_, s := started(t, Options{Bodies: []Body{body("one", tokens(1))}, Pace: 2, KeepAlive: 50 * time.Millisecond})
	text, _ := read(t, post(t, s.URL(), plainInput).Body)
	if n := bytes.Count(text, keepAlive); n < 4 || n > 10 {
		t.Errorf("%d comments in half a second of silence, one is due every 50 ms", n)
	}
	// A comment counts as life: the silence between events is longer than the limit on it.
	got := ask(t, s.URL(), "t", "r", engine.HTTPLimits{Idle: 300 * time.Millisecond})
	if got.end != "success" || got.err != nil {
		t.Errorf("%+v", got)
	}
}

// Case B04, the first half: a limit on the whole answer, which the server has for other handlers, is moved by each
// write.
func TestStreamsOutliveTheServersWriteTimeout(t *testing.T) {
	a, err := New(Options{Bodies: []Body{body("one", tokens(10))}, Pace: 10})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(a)
	s.Config.WriteTimeout = 200 * time.Millisecond
	s.Start()
	t.Cleanup(s.Close)
	if got := ask(t, s.URL, "t", "r", engine.HTTPLimits{}); got.end != "success" || got.seconds < 0.9 {
		t.Errorf("%+v", got)
	}
}

// dial sends a request by hand, with a small window, and reads nothing.
func dial(t *testing.T, url string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(url, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	tcp := conn.(*net.TCPConn)
	_ = tcp.SetReadBuffer(4 << 10)
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 42\r\n\r\n"+plainInput); err != nil {
		t.Fatal(err)
	}
	return tcp
}

// Cases B01, B02 and the second half of B04: a reader that takes nothing is given up within the limit of one write, and
// one that went away is noticed at once; neither is felt by the others.
func TestSlowReadersHurtOnlyThemselves(t *testing.T) {
	big := engine.Frames(`{"type":"CUSTOM","name":"big","value":"` + strings.Repeat("x", 1<<20) + `"}`)
	first := engine.Frames(`{"type":"RUN_STARTED","threadId":"","runId":""}`)
	wide := append([]byte(nil), first...)
	for range 32 {
		wide = append(wide, big...)
	}
	wide = append(wide, engine.Frames(`{"type":"RUN_FINISHED","threadId":"","runId":""}`)...)
	a, s := started(t, Options{Bodies: []Body{body("wide", wide), body("one", tokens(10))}, Pace: 50, WriteLimit: 300 * time.Millisecond})
	dial(t, s.URL()) // takes the first body in turn
	eventually(t, 2*time.Second, "the slow run is live", func() bool { return a.Stats().Live == 1 })
	together(8, func(int) {
		if got := ask(t, s.URL()+"one", "t", "r", engine.HTTPLimits{}); got.end != "success" || got.seconds > 2 {
			t.Errorf("%+v", got)
		}
	})
	eventually(t, 3*time.Second, "the slow run is given up", func() bool { return a.Stats().Live == 0 })
	if st := a.Stats(); st.Slow != 1 || st.Done != 8 {
		t.Errorf("%+v", st)
	}
}

func TestClientsThatLeaveAreNoticed(t *testing.T) {
	cases := []struct {
		name  string
		leave func(c *net.TCPConn) error
	}{
		{"closed", func(c *net.TCPConn) error { return c.Close() }},
		{"half closed", func(c *net.TCPConn) error { return c.CloseWrite() }},
		{"reset", func(c *net.TCPConn) error {
			_ = c.SetLinger(0)
			return c.Close()
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, s := started(t, Options{Bodies: []Body{body("one", tokens(100))}, Pace: 2})
			conn := dial(t, s.URL())
			eventually(t, 2*time.Second, "the run is live", func() bool { return a.Stats().Live == 1 })
			if err := c.leave(conn); err != nil {
				t.Fatal(err)
			}
			eventually(t, time.Second, "the run is over", func() bool { return a.Stats().Live == 0 })
			if st := a.Stats(); st.Left != 1 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A connection that served a run serves the next one, whatever deadlines the run before left on it.
func TestConnectionsAreUsedAgain(t *testing.T) {
	a, s := started(t, Options{Bodies: []Body{body("one", tokens(1))}, WriteLimit: 50 * time.Millisecond})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 3 {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(), strings.NewReader(plainInput))
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		read(t, res.Body)
		res.Body.Close()
		time.Sleep(100 * time.Millisecond)
	}
	if st := a.Stats(); st.Done != 3 || s.Connections() != 1 {
		t.Errorf("%d connections, %+v", s.Connections(), st)
	}
}

// Rendered bodies are shared, so that an event costs the run nothing but its writing.
func TestEventsAllocateNothing(t *testing.T) {
	a, err := New(Options{Bodies: []Body{body("short", tokens(10)), body("long", tokens(1010))}})
	if err != nil {
		t.Fatal(err)
	}
	perRun := func(path string) float64 {
		return testing.AllocsPerRun(20, func() {
			a.ServeHTTP(&nowhere{header: http.Header{}}, httptest.NewRequest(http.MethodPost, path, strings.NewReader(plainInput)))
		})
	}
	short, long := perRun("/short"), perRun("/long")
	if perEvent := (long - short) / 1000; perEvent > 0.01 {
		t.Errorf("%.3f allocations an event", perEvent)
	}
}

// nowhere is a writer that forgets.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header              { return n.header }
func (n *nowhere) Write(p []byte) (int, error)      { return len(p), nil }
func (n *nowhere) WriteHeader(int)                  {}
func (n *nowhere) FlushError() error                { return nil }
func (n *nowhere) SetWriteDeadline(time.Time) error { return nil }
