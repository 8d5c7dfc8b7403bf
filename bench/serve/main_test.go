package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguistream/aguistream/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// tokens is a body of n text deltas.
func tokens(n int) []byte {
	events := []string{
		`{"type":"RUN_STARTED","threadId":"recorded","runId":"recorded"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
	}
	for range n {
		events = append(events, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"token "}`)
	}
	return engine.Frames(append(events,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"RUN_FINISHED","threadId":"recorded","runId":"recorded"}`)...)
}

func body(name string, runs ...[]byte) Body { return Body{Name: name, Runs: runs} }

// started is an agent that listens, until the test is over.
func started(t *testing.T, opt Options) (*Agent, *Server) {
	t.Helper()
	a, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(t.Context(), "127.0.0.1:0", a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(0) })
	return a, s
}

// outcome is what a client of ours saw of one run.
type outcome struct {
	err     error // Engine.Run's
	end     string
	errors  []string // by kind
	thread  string
	run     string
	text    string
	warned  []string
	seconds float64
}

// ask runs one request through the engine's transport.
func ask(t *testing.T, url, thread, run string, limits engine.HTTPLimits, resume ...engine.ResumeEntry) outcome {
	t.Helper()
	var o outcome
	client := &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: limits.Header}}
	defer client.CloseIdleConnections()
	eng, err := engine.New(engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(s *engine.Stream, u engine.Update) {
		switch u := u.(type) {
		case *engine.ErrorUpdate:
			o.errors = append(o.errors, u.Err.Kind.String())
		case *engine.Done:
			v := s.HandlerView()
			o.end, o.thread, o.run = u.End.Kind.String(), strings.Clone(v.ThreadID()), strings.Clone(v.RunID())
			for _, m := range v.Messages() {
				o.text += strings.Clone(m.Text())
			}
		}
	})})
	if err != nil {
		t.Error(err)
		return o
	}
	begun := time.Now()
	in := &engine.RunAgentInput{ThreadID: thread, RunID: run, Resume: resume}
	o.err = eng.Run(t.Context(), engine.HTTP(url, engine.WithHTTPClient(client), engine.WithHTTPLimits(limits)), in,
		engine.StreamOptions{Warn: func(w engine.Warning) { o.warned = append(o.warned, w.Text) }})
	o.seconds = time.Since(begun).Seconds()
	if err := eng.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	return o
}

// post sends one request and gives the answer; the test closes its body.
func post(t *testing.T, url, input string) *http.Response {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

const plainInput = `{"threadId":"t","runId":"r","messages":[]}`

// read is all that a body gives, and when each event came.
func read(t *testing.T, r io.Reader) (text []byte, at []time.Time) {
	t.Helper()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		for range bytes.Count(buf[:n], []byte("data: ")) {
			at = append(at, time.Now())
		}
		text = append(text, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return text, at
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// together calls f n times at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// eventually waits until ok holds.
func eventually(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", limit, what)
		}
	}
}
