package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

const (
	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	textChunk   = `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}`
	textUpdate  = `message 0 m content "x"`
)

// agent is a server on loopback that ends with the test.
func agent(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

// over is a transport whose idle connections end with the test.
func over(t *testing.T, url string, opts ...engine.HTTPOption) *engine.HTTPTransport {
	t.Helper()
	tr := engine.HTTP(url, opts...)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// streaming answers with an event stream that is flushed after each write.
type streaming struct {
	w http.ResponseWriter
}

func stream(w http.ResponseWriter, r *http.Request) streaming {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	s := streaming{w}
	s.raw("")
	return s
}

func (s streaming) raw(text string) {
	_, _ = io.WriteString(s.w, text)
	_ = http.NewResponseController(s.w).Flush()
}

func (s streaming) events(events ...string) { s.raw(string(engine.Frames(events...))) }

func session(tr engine.Transport) *engine.Session[engine.Raw] {
	return engine.NewSession[engine.Raw](tr, "t", engine.WithIDs(func(string) string { return "r" }))
}

// updates makes one run over a transport and prints what comes.
func updates(ctx context.Context, tr engine.Transport) []string {
	var lines []string
	for u := range session(tr).Run(ctx) {
		lines = append(lines, line(u))
	}
	return lines
}

// failed are the lines of a run that nothing came of.
func failed(kind, text string) []string {
	return []string{"error " + kind + ": " + text, "done failed: " + text}
}

func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		t.Errorf("%s took %s, want at most %s", what, took, limit)
	}
}

func TestHTTPRequest(t *testing.T) {
	token := 0
	for _, tt := range []struct {
		name string
		opts []engine.HTTPOption
		want []string // lines of method, chosen headers, body
	}{
		{"plain", nil, []string{
			"POST", "Content-Type: [application/json]", "Accept: [text/event-stream]", "Accept-Encoding: [gzip, deflate]",
			"User-Agent: [aguistream]",
			`{"threadId":"t","runId":"r","protocolVersion":"1.1","state":{},"messages":[]}`,
		}},
		{"headers", []engine.HTTPOption{
			engine.WithHeader("x-key", "1"), engine.WithHeader("X-Key", "2"), engine.WithHeader("Accept", "text/html"),
			engine.WithHeader("Accept-Encoding", "identity"), engine.WithHeader("User-Agent", "mine"), engine.WithHeader("Host", "agents.test"),
			engine.WithHeaderFunc(func(_ context.Context, in *engine.RunAgentInput, h http.Header) error {
				token++
				h.Set("Authorization", fmt.Sprintf("Bearer %s-%d", in.ThreadID, token))
				return nil
			}),
		}, []string{
			"POST", "Content-Type: [application/json]", "Accept: [text/event-stream]", "Accept-Encoding: [identity]",
			"User-Agent: [mine]", "X-Key: [1 2]", "Authorization: [Bearer t-1]", "Host: agents.test",
			`{"threadId":"t","runId":"r","protocolVersion":"1.1","state":{},"messages":[]}`,
		}},
		{"an old server", []engine.HTTPOption{engine.WithoutProtocolVersion()}, []string{
			"POST", "Content-Type: [application/json]", "Accept: [text/event-stream]", "Accept-Encoding: [gzip, deflate]",
			"User-Agent: [aguistream]", `{"threadId":"t","runId":"r","state":{},"messages":[]}`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = append(got, r.Method)
				for _, key := range []string{"Content-Type", "Accept", "Accept-Encoding", "User-Agent", "X-Key", "Authorization"} {
					if v := r.Header.Values(key); v != nil {
						got = append(got, fmt.Sprintf("%s: %v", key, v))
					}
				}
				if !strings.HasPrefix(r.Host, "127.") {
					got = append(got, "Host: "+r.Host)
				}
				got = append(got, string(body))
				stream(w, r).events(runStarted, runFinished)
			})
			if diff := cmp.Diff([]string{"done success"}, updates(t.Context(), over(t, srv.URL, tt.opts...))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPRefusesToSend(t *testing.T) {
	srv := agent(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came") })
	for _, tt := range []struct {
		name, url string
		opt       engine.HTTPOption
		want      string
	}{
		{"no URL", "http://[::1", nil, "no URL: missing ']' in host"},
		{"scheme", "ftp://agents.test/", nil, `the URL's scheme is "ftp", not http or https`},
		{"relative", "/agent", nil, `the URL's scheme is "", not http or https`},
		{"no host", "http:///agent", nil, "the URL has no host"},
		{"header name", srv.URL, engine.WithHeader("a b", "c"), `no header name: "a b"`},
		{"header value", srv.URL, engine.WithHeader("A", "secret\r\nB: c"), "the value of header A has control characters"},
		{"header func", srv.URL, engine.WithHeaderFunc(func(context.Context, *engine.RunAgentInput, http.Header) error {
			return errors.New("no token")
		}), "request headers: no token"},
		{"header func's header", srv.URL, engine.WithHeaderFunc(func(_ context.Context, _ *engine.RunAgentInput, h http.Header) error {
			h.Set("A", "b\x00")
			return nil
		}), "the value of header A has control characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var opts []engine.HTTPOption
			if tt.opt != nil {
				opts = append(opts, tt.opt)
			}
			if diff := cmp.Diff(failed("config", "config error: "+tt.want), updates(t.Context(), over(t, tt.url, opts...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTTPAnswer(t *testing.T) {
	ok := []string{"done success"}
	long := strings.Repeat("0123456789", 1000)
	for _, tt := range []struct {
		name   string
		status int
		kind   string
		body   string // an event stream if empty
		want   []string
	}{
		{"plain", 200, "text/event-stream", "", ok},
		{"parameters", 200, "text/event-stream;charset=utf-8", "", ok},
		{"more of them", 200, `text/event-stream ; charset="utf-8"; v=1`, "", ok},
		{"broken parameters", 200, "text/event-stream;;=", "", ok},
		{"case", 200, "Text/Event-Stream", "", ok},
		{"another 2xx", 206, "text/event-stream", "", ok},
		{"no type", 200, "", "", failed("http", "HTTP 200: the answer has no content type, text/event-stream is due: "+`data: `+runStarted)},
		{"JSON", 200, "application/json", `{"a":1}`, failed("http", `HTTP 200: the answer's content type is "application/json", text/event-stream is due: {"a":1}`)},
		{"longer name", 200, "text/event-streams", "x", failed("http", `HTTP 200: the answer's content type is "text/event-streams", text/event-stream is due: x`)},
		{"no content", 204, "", "", failed("http", "HTTP 204: the answer has no content type, text/event-stream is due")},
		{"refused", 401, "text/plain", "who\tare you?\nsecond line", failed("http", "HTTP 401: Unauthorized: who are you?")},
		{"refused as a stream", 503, "text/event-stream", "data: x\n\n", failed("http", "HTTP 503: Service Unavailable: data: x")},
		{"long body", 500, "text/plain", long, failed("http", "HTTP 500: Internal Server Error: "+long[:200]+"...")},
		{"not text", 500, "image/png", "\xff\xfe\x00", failed("http", "HTTP 500: Internal Server Error:  ")},
		{"unheard of", 599, "text/plain", "", failed("http", "HTTP 599: unknown status: data: "+runStarted)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.kind != "" {
					w.Header().Set("Content-Type", tt.kind)
				}
				w.WriteHeader(tt.status)
				if tt.body == "" {
					tt.body = string(engine.Frames(runStarted, runFinished))
				}
				_, _ = io.WriteString(w, tt.body)
			})
			tr := over(t, srv.URL)
			if diff := cmp.Diff(tt.want, updates(t.Context(), tr)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			_, err := tr.Run(t.Context(), &engine.RunAgentInput{})
			var e *engine.Error
			if !errors.As(err, &e) {
				return
			}
			if e.Status != tt.status || !errors.Is(err, engine.ErrHTTP) {
				t.Errorf("status %d, %v", e.Status, err)
			}
			if want := tt.body[:min(len(tt.body), 2048)]; tt.status != 204 && string(e.Body) != want {
				t.Errorf("body has %d bytes, want %d", len(e.Body), len(want))
			}
		})
	}
}

// What is behind the first 2 KiB of an error's body is waited for only a little, and so is a body that never comes.
func TestHTTPErrorBodyThatStalls(t *testing.T) {
	release := make(chan struct{})
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, strings.Repeat("x", 3000))
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	defer close(release)
	within(t, 2*time.Second, "the error", func() {
		got := updates(t.Context(), over(t, srv.URL))
		if want := "HTTP 502: Bad Gateway: xxx"; !strings.Contains(got[0], want) {
			t.Errorf("%s, want %s", got[0], want)
		}
	})
}

// redirecting is a pair of servers: the first redirects to wherever the test says.
type redirecting struct {
	first, other *httptest.Server
	seen         []string
}

func (r *redirecting) note(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		creds := []string{}
		for _, key := range []string{"Authorization", "Cookie", "X-Api-Key", "Referer", "Accept", "Content-Type"} {
			if req.Header.Get(key) != "" {
				creds = append(creds, key)
			}
		}
		r.seen = append(r.seen, fmt.Sprintf("%s %s%s %d %s", req.Method, name, req.URL.Path, len(body), strings.Join(creds, " ")))
		to := req.URL.Query()["to"]
		if len(to) == 0 {
			stream(w, req).events(runStarted, runFinished)
			return
		}
		var status int
		var target string
		_, _ = fmt.Sscan(to[0], &status, &target)
		target = strings.NewReplacer("FIRST", r.first.URL, "OTHER", r.other.URL).Replace(target)
		if rest := to[1:]; len(rest) > 0 {
			target += "?to=" + strings.Join(rest, "&to=")
		}
		http.Redirect(w, req, strings.ReplaceAll(target, " ", "+"), status)
	}
}

func TestHTTPRedirects(t *testing.T) {
	const all, bare = "Authorization Cookie X-Api-Key Accept Content-Type", "Accept Content-Type"
	withReferer := strings.Replace(all, "Key", "Key Referer", 1)
	ok := []string{"done success"}
	for _, tt := range []struct {
		name string
		to   string
		seen []string
		want []string
	}{
		{"307 to the same host", "?to=307+FIRST/b", []string{"POST first/ 77 " + all, "POST first/b 77 " + withReferer}, ok},
		{"308 by path", "?to=308+/b", []string{"POST first/ 77 " + all, "POST first/b 77 " + withReferer}, ok},
		{"another host", "?to=307+OTHER/b", []string{"POST first/ 77 " + all, "POST other/b 77 " + bare}, ok},
		{"away and back", "?to=307+OTHER/b&to=307+FIRST/c", []string{
			"POST first/ 77 " + all, "POST other/b 77 " + bare, "POST first/c 77 " + bare,
		}, ok},
		{"303", "?to=303+/b", []string{"POST first/ 77 " + all}, failed("http", "HTTP 303: See Other: the redirect is not followed")},
		{"302 to another host", "?to=302+OTHER/b", []string{"POST first/ 77 " + all}, failed("http", "HTTP 302: Found: the redirect is not followed")},
		{"301", "?to=301+/b", []string{"POST first/ 77 " + all}, failed("http", "HTTP 301: Moved Permanently: the redirect is not followed")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &redirecting{}
			r.first, r.other = agent(t, r.note("first")), agent(t, r.note("other"))
			tr := over(t, r.first.URL+"/"+tt.to,
				engine.WithHeader("X-Api-Key", "k"), engine.WithHeader("Cookie", "c=1"),
				engine.WithHeaderFunc(func(_ context.Context, _ *engine.RunAgentInput, h http.Header) error {
					h.Set("Authorization", "Bearer s")
					return nil
				}))
			if diff := cmp.Diff(tt.want, updates(t.Context(), tr)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.seen, r.seen); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPRedirectLoopEnds(t *testing.T) {
	n := 0
	srv := agent(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
	})
	want := failed("http", "HTTP 307: Temporary Redirect: the redirect is not followed")
	if diff := cmp.Diff(want, updates(t.Context(), over(t, srv.URL))); diff != "" || n != 11 {
		t.Errorf("%d requests; (-want +got):\n%s", n, diff)
	}
}

// countingTripper is a round tripper that others made.
type countingTripper struct {
	http.RoundTripper
	n int
}

func (c *countingTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n++
	return c.RoundTripper.RoundTrip(r)
}

// A caller's client keeps its ways: round tripper, redirects, time-out. Headers of ours stay with their host all the same.
func TestHTTPClientOfTheCaller(t *testing.T) {
	r := &redirecting{}
	r.first, r.other = agent(t, r.note("first")), agent(t, r.note("other"))
	tripper := &countingTripper{RoundTripper: r.first.Client().Transport}
	asked := 0
	client := &http.Client{Transport: tripper, CheckRedirect: func(*http.Request, []*http.Request) error { asked++; return nil }}
	tr := engine.HTTP(r.first.URL+"/?to=307+OTHER/b", engine.WithHTTPClient(client), engine.WithHeader("X-Api-Key", "k"))
	if diff := cmp.Diff([]string{"done success"}, updates(t.Context(), tr)); diff != "" {
		t.Error(diff)
	}
	want := []string{"POST first/ 77 X-Api-Key Accept Content-Type", "POST other/b 77 Accept Content-Type"}
	if diff := cmp.Diff(want, r.seen); diff != "" || tripper.n != 2 || asked != 1 {
		t.Errorf("%d round trips, %d questions; (-want +got):\n%s", tripper.n, asked, diff)
	}
	if client.Transport != tripper {
		t.Error("the client was changed")
	}
}

func TestHTTP2(t *testing.T) {
	proto := make(chan string, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto <- r.Proto
		s := stream(w, r)
		s.events(runStarted, textChunk)
		s.events(runFinished)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	got := updates(t.Context(), engine.HTTP(srv.URL, engine.WithHTTPClient(srv.Client())))
	if p := <-proto; p != "HTTP/2.0" {
		t.Errorf("spoke %s", p)
	}
	if !slices.Contains(got, textUpdate) || got[len(got)-1] != "done success" {
		t.Errorf("got %q", got)
	}
	// Its certificate is no one's that the system knows.
	if got := updates(t.Context(), over(t, srv.URL)); !strings.HasPrefix(got[0], "error transport: transport error: tls: ") {
		t.Errorf("got %q", got)
	}
}
