package engine_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// rawAgent answers each connection's requests with bytes as they are, and closes the connection after each.
func rawAgent(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 64<<10)
			_, _ = c.Read(buf)
			answer(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return "http://" + l.Addr().String()
}

const (
	header10      = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	headerChunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	headerLength  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n"
)

// A clean end of the bytes is a truncated run, a broken read is the transport's fault (semantics, section 4).
func TestHTTPEnds(t *testing.T) {
	frame := string(engine.Frames(runStarted))
	torn := frame + "data: {\"type\":\"RUN_FIN"
	reset := func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }
	for _, tt := range []struct {
		name   string
		bytes  string
		before func(net.Conn)
		want   []string
	}{
		{"cut between frames", header10 + frame, nil, failed("protocol", "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 57)")},
		{"cut in a frame", header10 + torn, nil, failed("protocol", "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 79)")},
		{"nothing at all", header10, nil, failed("protocol", "protocol violation: the stream ended before RUN_STARTED")},
		{"chunked, cut", headerChunked + "39\r\n" + frame, nil, failed("transport", "transport error: the body was cut short (byte 57)")},
		{"chunked, ended", headerChunked + "39\r\n" + frame + "\r\n0\r\n\r\n", nil, failed("protocol", "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 57)")},
		{"chunked, garbage", headerChunked + "39\r\n" + frame + "\r\nzz\r\n", nil, failed("transport", "transport error: invalid byte in chunk length (byte 57)")},
		{"shorter than its length", headerLength + torn, nil, failed("transport", "transport error: the body was cut short (byte 79)")},
		{"reset in a frame", headerChunked + "4f\r\n" + torn, reset, failed("transport", "transport error: ~ connection reset by peer")},
		{"no HTTP", "SSH-2.0-x\r\n", nil, failed("transport", `transport error: net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-x"`)},
		{"no answer", "", nil, failed("transport", "transport error: EOF")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := rawAgent(t, func(c net.Conn) {
				_, _ = io.WriteString(c, tt.bytes)
				if tt.before != nil {
					time.Sleep(20 * time.Millisecond) // a reset takes unread bytes along
					tt.before(c)
				}
			})
			got := updates(t.Context(), over(t, url))
			if diff := cmp.Diff(tt.want, match(got, tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPCannotConnect(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	var last *engine.Error
	for u := range session(over(t, srv.URL+"/?key=secret")).Run(t.Context()) {
		if e, ok := u.(*engine.ErrorUpdate); ok {
			last = e.Err
		}
	}
	if last == nil || last.Kind != engine.KindTransport || !errors.Is(last, syscall.ECONNREFUSED) || strings.Contains(last.Error(), "secret") {
		t.Errorf("got %v", last)
	}
}

// compressors by the coding they make.
var compressors = []struct {
	name, coding string
	open         func(io.Writer) flushWriter
}{
	{"gzip", "gzip", func(w io.Writer) flushWriter { return gzip.NewWriter(w) }},
	{"x-gzip", "X-GZIP", func(w io.Writer) flushWriter { return gzip.NewWriter(w) }},
	{"zlib", "deflate", func(w io.Writer) flushWriter { return zlib.NewWriter(w) }},
	{"bare deflate", "deflate", func(w io.Writer) flushWriter { f, _ := flate.NewWriter(w, 6); return f }},
	{"gzip, a member an event", "gzip", func(w io.Writer) flushWriter { return &members{w} }},
}

type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// members writes a gzip member for each write.
type members struct{ w io.Writer }

func (m *members) Write(p []byte) (int, error) {
	z := gzip.NewWriter(m.w)
	_, _ = z.Write(p)
	return len(p), z.Close()
}
func (*members) Flush() error { return nil }
func (*members) Close() error { return nil }

// H03: an event that a server flushed through its compressor is seen at once.
func TestHTTPCompressedEventsComeAtOnce(t *testing.T) {
	for _, tt := range compressors {
		t.Run(tt.name, func(t *testing.T) {
			seen := make(chan time.Time)
			var late time.Duration
			srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", tt.coding)
				s := stream(w, r)
				z := tt.open(w)
				for _, e := range []string{runStarted, textChunk, textChunk, textChunk} {
					start := time.Now()
					_, _ = z.Write(engine.Frames(e))
					_ = z.Flush()
					s.raw("")
					if e == textChunk {
						select {
						case at := <-seen:
							late = max(late, at.Sub(start))
						case <-time.After(5 * time.Second):
							t.Error("an event was held back")
							return
						}
					}
				}
				_, _ = z.Write(engine.Frames(runFinished))
				_ = z.Close()
			})
			last := ""
			for range 2 { // the second time with a decoder that was used before
				for u := range session(over(t, srv.URL)).Run(t.Context()) {
					if m, ok := u.(*engine.MessageUpdate); ok && m.Change == engine.MessageContent {
						seen <- time.Now()
					}
					last = line(u)
				}
				if last != "done success" {
					t.Errorf("ended with %s", last)
				}
			}
			if late > 100*time.Millisecond {
				t.Errorf("an event was seen %s after it was written", late)
			}
		})
	}
}

func TestHTTPCompressedBodies(t *testing.T) {
	plain := engine.Frames(runStarted, runFinished)
	pack := func(open func(io.Writer) flushWriter, p []byte) []byte {
		var b bytes.Buffer
		z := open(&b)
		_, _ = z.Write(p)
		_ = z.Close()
		return b.Bytes()
	}
	gz, zl := pack(compressors[0].open, plain), pack(compressors[2].open, plain)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xFF
		return b
	}
	started := pack(compressors[0].open, engine.Frames(runStarted))
	ok := []string{"done success"}
	for _, tt := range []struct {
		name, coding string
		body         []byte
		want         []string
	}{
		{"identity", "identity", plain, ok},
		{"gzip", "gzip", gz, ok},
		{"two members", "gzip", append(bytes.Clone(started), pack(compressors[0].open, engine.Frames(runFinished))...), ok},
		{"empty", "gzip", nil, failed("protocol", "protocol violation: the stream ended before RUN_STARTED")},
		{"cut", "gzip", started[:len(started)-9], failed("transport", "transport error: the body was cut short ~ byte")},
		{"not gzip", "gzip", plain, failed("transport", "transport error: corrupt gzip body: gzip: invalid header")},
		{"corrupt", "gzip", flip(gz, 12), failed("transport", "transport error: ~ byte")},
		{"checksum", "gzip", flip(started, len(started)-8), failed("transport", "transport error: corrupt gzip body: gzip: invalid checksum (byte 57)")},
		{"garbage behind", "gzip", append(bytes.Clone(started), "xxxxxxxxxxxx"...), failed("transport", "transport error: corrupt gzip body: gzip: invalid header (byte 57)")},
		{"not deflate", "deflate", []byte("\xff\xff\xff\xff"), failed("transport", "transport error: corrupt deflate body: flate: corrupt input before offset 1")},
		{"one byte of deflate", "deflate", []byte{0x78}, failed("transport", "transport error: the body was cut short")},
		{"garbage behind zlib", "deflate", append(pack(compressors[2].open, engine.Frames(runStarted)), 'x'), failed("transport", "transport error: bytes after the end of the deflate body (byte 57)")},
		{"zlib", "deflate", zl, ok},
		{"another coding", "br", []byte("x"), failed("http", `HTTP 200: the answer's content coding is "br", gzip or deflate was asked for: x`)},
		{"two codings", "gzip, gzip", []byte("x"), failed("http", `HTTP 200: the answer's content coding is "gzip, gzip", gzip or deflate was asked for: x`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", tt.coding)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write(tt.body)
			})
			if diff := cmp.Diff(tt.want, match(updates(t.Context(), over(t, srv.URL)), tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a small body expands to is handed on in pieces; it is never held whole.
func TestHTTPCompressionBombIsBounded(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	line := []byte("data: " + strings.Repeat("x", 1<<20))
	for range 12 {
		_, _ = z.Write(line)
	}
	_ = z.Close()
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(bomb.Bytes())
	})
	want := []string{"error decode: SSE decode error: ~ 8388608", "done failed: SSE decode error: ~ 8388608"}
	if diff := cmp.Diff(want, match(updates(t.Context(), over(t, srv.URL)), want)); diff != "" {
		t.Error(diff)
	}
}

// H01: limits are for dialling, TLS, the header and silence; a stream lives as long as it speaks, if only by comments.
func TestHTTPLongStreamLives(t *testing.T) {
	const limit = 200 * time.Millisecond
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		s := stream(w, r)
		s.events(runStarted)
		for range 8 {
			time.Sleep(limit / 4)
			s.raw(":\n")
			time.Sleep(limit / 4)
			s.events(textChunk)
		}
		s.events(runFinished)
	})
	l := engine.HTTPLimits{Dial: limit, TLS: limit, Header: limit, Idle: limit}
	start := time.Now()
	got := updates(t.Context(), over(t, srv.URL, engine.WithHTTPLimits(l)))
	if took := time.Since(start); took < 3*limit {
		t.Fatalf("the stream took %s, which shows nothing", took)
	}
	if got[len(got)-1] != "done success" {
		t.Errorf("ended with %s", got[len(got)-1])
	}
}

// A reader that takes its time isn't silence.
func TestHTTPSlowReaderIsNotIdle(t *testing.T) {
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) { stream(w, r).events(runStarted, textChunk, runFinished) })
	sess := session(over(t, srv.URL, engine.WithHTTPLimits(engine.HTTPLimits{Idle: 50 * time.Millisecond})))
	last := ""
	for u := range sess.Run(t.Context()) {
		time.Sleep(100 * time.Millisecond)
		last = line(u)
	}
	if last != "done success" {
		t.Errorf("ended with %s", last)
	}
}

func TestHTTPLimitsOnWaiting(t *testing.T) {
	const short = 80 * time.Millisecond
	stall := make(chan struct{})
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			_, _ = io.Copy(io.Discard, r.Body)
			<-stall
			return
		}
		s := stream(w, r)
		if r.URL.Path == "/mid" {
			s.raw(string(engine.Frames(runStarted)) + `data: {"type":"RUN_`)
		}
		select {
		case <-stall:
		case <-r.Context().Done():
		}
	})
	defer close(stall)
	for _, tt := range []struct {
		name, path string
		opt        engine.HTTPOption
		want       []string
	}{
		{"header", "/header", engine.WithHTTPLimits(engine.HTTPLimits{Header: short}), failed("transport", "transport error: net/http: timeout awaiting response headers")},
		{"header, the caller's client", "/header", engine.WithHTTPClient(srv.Client()), failed("transport", "transport error: no byte came for 80ms (idle time-out)")},
		{"first byte", "/", nil, failed("transport", "transport error: no byte came for 80ms (idle time-out)")},
		{"in a frame", "/mid", nil, failed("transport", "transport error: no byte came for 80ms (idle time-out) (byte 76)")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := []engine.HTTPOption{engine.WithHTTPLimits(engine.HTTPLimits{Idle: short})}
			if tt.opt != nil {
				opts = append(opts, tt.opt)
			}
			within(t, 20*short, "giving up", func() {
				if diff := cmp.Diff(tt.want, updates(t.Context(), over(t, srv.URL+tt.path, opts...))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A time-out is one to those who ask the standard way.
func TestIdleErrorIsATimeout(t *testing.T) {
	var err error = &engine.Error{Kind: engine.KindTransport, Err: &engine.IdleError{Limit: time.Second}}
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v is no timeout", err)
	}
}

func TestHTTPCancelledInEachPhase(t *testing.T) {
	gone := make(chan struct{}, 1)
	stall := make(chan struct{})
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/body" {
			stream(w, r).events(runStarted, textChunk)
		}
		select {
		case <-stall:
		case <-r.Context().Done():
			gone <- struct{}{}
		}
	})
	defer close(stall)
	// A dial that gets nowhere.
	dial := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	for _, tt := range []struct {
		name, path string
		opts       []engine.HTTPOption
		want       []string
		reached    bool
	}{
		{"dial", "/", []engine.HTTPOption{engine.WithHTTPClient(dial)}, nil, false},
		{"header", "/", nil, nil, true},
		{"body", "/body", nil, []string{"message 0 m started", textUpdate}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(50*time.Millisecond, cancel)
			within(t, time.Second, "the run", func() {
				if diff := cmp.Diff(tt.want, updates(ctx, over(t, srv.URL+tt.path, tt.opts...))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
			if !tt.reached {
				return
			}
			select {
			case <-gone:
			case <-time.After(2 * time.Second):
				t.Error("the server wasn't told")
			}
		})
	}
}

// A loop that is left closes the connection at once, and the session goes on with the next run.
func TestHTTPBrokenLoop(t *testing.T) {
	gone := make(chan struct{}, 1)
	var n atomic.Int64
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		s := stream(w, r)
		s.events(runStarted, textChunk)
		if n.Add(1) > 1 {
			s.events(runFinished)
			return
		}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	sess := session(over(t, srv.URL))
	for range sess.Run(t.Context()) {
		break
	}
	select {
	case <-gone:
	case <-time.After(2 * time.Second):
		t.Error("the server wasn't told")
	}
	last := ""
	for u := range sess.Run(t.Context()) {
		last = line(u)
	}
	if last != "done success" {
		t.Errorf("the next run ended with %s", last)
	}
}

// Connections are used again after clean ends, those of refusals included.
func TestHTTPConnectionsAreReused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"an event stream", func(w http.ResponseWriter, r *http.Request) { stream(w, r).events(runStarted, runFinished) }},
		{"its end a little late", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r).events(runStarted, runFinished)
			time.Sleep(2 * time.Millisecond)
		}},
		{"a refusal", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, strings.Repeat("no", 2000), http.StatusBadRequest)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := agent(t, tt.answer)
			tr := over(t, srv.URL)
			fresh := 0
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
				if !c.Reused {
					fresh++
				}
			}})
			for range 5 {
				updates(ctx, tr)
			}
			if fresh != 1 {
				t.Errorf("5 runs took %d connections", fresh)
			}
		})
	}
}

// A body that never ends is not waited for after the run's end.
func TestHTTPBodyThatGoesOnAfterTheRun(t *testing.T) {
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, r).events(runStarted, runFinished)
		<-r.Context().Done()
	})
	within(t, time.Second, "the run", func() {
		if diff := cmp.Diff([]string{"done success"}, updates(t.Context(), over(t, srv.URL))); diff != "" {
			t.Error(diff)
		}
	})
}
