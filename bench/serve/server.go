package serve

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Server is an Agent that listens.
type Server struct {
	Agent *Agent
	http  http.Server
	ln    net.Listener
	done  chan error
	conns atomic.Int64
}

// Limits on waiting for requests. Those on answers are the Agent's, moved with each write.
const (
	headerWait = 10 * time.Second
	inputWait  = time.Minute
	idleWait   = 2 * time.Minute
	// lastWord is what runs that are stopped have for their RUN_ERROR, and clients for taking it.
	lastWord = 2 * time.Second
)

// Listen starts to serve at an address; port 0 is any that is free.
func Listen(ctx context.Context, addr string, a *Agent) (*Server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{Agent: a, ln: ln, done: make(chan error, 1)}
	s.http = http.Server{
		Handler:           inputLimit(a),
		ReadHeaderTimeout: headerWait,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // what goes wrong on a connection is in the figures
		ConnState:         s.count,
	}
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Add(-1)
	}
}

// inputLimit bounds the wait for a request's body, which net/http can't bound without bounding the stream too: it is
// taken off when the body is read.
func inputLimit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		if err := rc.SetReadDeadline(time.Now().Add(inputWait)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		r.Body = &limitedBody{r.Body, rc}
		next.ServeHTTP(w, r)
	})
}

type limitedBody struct {
	io.ReadCloser
	rc *http.ResponseController
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		if e := b.rc.SetReadDeadline(time.Time{}); e != nil {
			return n, e
		}
	}
	return n, err
}

// URL is where the agent is.
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() + "/" }

// Connections is how many are open.
func (s *Server) Connections() int64 { return s.conns.Load() }

// Done gives the error that ended serving before Close did.
func (s *Server) Done() <-chan error { return s.done }

// Close takes no more requests, lets live runs go on for drain at most, ends those that are left by a RUN_ERROR, and
// closes every connection. It returns how many runs were ended so; nothing of the server is left after it.
func (s *Server) Close(drain time.Duration) (stopped int64, err error) {
	a := s.Agent
	a.Drain()
	for _, step := range []struct {
		wait time.Duration
		then func()
	}{{drain, a.Stop}, {lastWord, func() { _ = s.http.Close() }}} {
		ctx, cancel := context.WithTimeout(context.Background(), step.wait)
		err = s.http.Shutdown(ctx)
		cancel()
		step.then()
		if err == nil {
			break
		}
	}
	a.Stop()
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // somebody didn't take the last word, and was left
	}
	if e := <-s.done; e != nil && !errors.Is(e, http.ErrServerClosed) {
		err = e
	}
	for a.live.Load() > 0 { // handlers whose connections were closed are on their way out
		time.Sleep(time.Millisecond)
	}
	return a.ended.Load(), err
}
