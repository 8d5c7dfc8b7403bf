package serve

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is an Agent that listens.
type Server struct {
	Agent *Agent
	http  http.Server
	ln    net.Listener
	conns atomic.Int64

	done   chan struct{} // closed when serving is over
	failed error         // why, if not by Close
	close  sync.Once
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
	s := &Server{Agent: a, ln: ln, done: make(chan struct{})}
	s.http = http.Server{
		Handler:           inputLimit(a),
		ReadHeaderTimeout: headerWait,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // what goes wrong on a connection is in the figures
		ConnState:         s.count,
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.failed = err
		}
	}()
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

// Done is closed when serving is over: by Close, or by an error, which Close then returns.
func (s *Server) Done() <-chan struct{} { return s.done }

// Close takes no more requests, lets live runs go on for drain at most, ends those that are left by a RUN_ERROR, and
// closes every connection. It returns how many runs were ended so; nothing of the server is left after it.
func (s *Server) Close(drain time.Duration) (stopped int64, err error) {
	s.close.Do(func() { s.shut(drain) })
	return s.Agent.ended.Load(), s.failed
}

func (s *Server) shut(drain time.Duration) {
	a := s.Agent
	a.Drain()
	s.wait(drain)
	a.Stop()
	s.wait(lastWord)
	_ = s.http.Close() // somebody may not have taken the last word
	<-s.done
	for a.live.Load() > 0 { // handlers whose connections were closed are on their way out
		time.Sleep(time.Millisecond)
	}
}

// wait waits for the runs that are live, and no longer than it may.
func (s *Server) wait(most time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	_ = s.http.Shutdown(ctx) // who is left is dealt with next
}
