package serve

import (
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

func TestRequestsAreJudgedBeforeAnyStream(t *testing.T) {
	a, s := started(t, Options{Bodies: []Body{body("one", tokens(1))}})
	cases := []struct {
		name, method, path, input string
		status                    int
		says                      string
	}{
		{"a run", "POST", "", plainInput, 200, "RUN_STARTED"},
		{"by name", "POST", "one", plainInput, 200, "RUN_STARTED"},
		{"what is unknown is left out", "POST", "", `{"threadId":"t","runId":"r","messages":[],"more":1}`, 200, "RUN_STARTED"},
		{"no such body", "POST", "two", plainInput, 404, `"two"`},
		{"GET", "GET", "", "", 405, "POST"},
		{"nothing", "POST", "", "", 400, "not JSON"},
		{"no JSON", "POST", "", `{"threadId":`, 400, "not JSON"},
		{"no object", "POST", "", `[]`, 400, "malformed input"},
		{"no thread", "POST", "", `{"runId":"r","messages":[]}`, 400, "/threadId"},
		{"no run", "POST", "", `{"threadId":"t","messages":[]}`, 400, "/runId"},
		{"ids of another kind", "POST", "", `{"threadId":1,"runId":"r","messages":[]}`, 400, "/threadId"},
		{"a message that is none", "POST", "", `{"threadId":"t","runId":"r","messages":[{"role":"user"}]}`, 400, "/messages/0"},
		{"a resume that is none", "POST", "", `{"threadId":"t","runId":"r","messages":[],"resume":[{}]}`, 400, "/resume/0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL()+c.path, strings.NewReader(c.input))
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != c.status || !strings.Contains(string(text), c.says) {
				t.Errorf("%d %q, want %d and %q", res.StatusCode, text, c.status, c.says)
			}
			isStream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
			if isStream != (c.status == 200) {
				t.Errorf("content type %q", res.Header.Get("Content-Type"))
			}
		})
	}
	if got := a.Stats(); got.Rejected != 10 || got.Done != 3 || got.Live != 0 {
		t.Errorf("%+v", got)
	}
}

func TestHeadersKeepTheStreamFromBeingHeldBack(t *testing.T) {
	_, s := started(t, Options{Bodies: []Body{body("one", tokens(1))}})
	res := post(t, s.URL(), plainInput)
	want := map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Content-Encoding": "",
	}
	for key, value := range want {
		if got := res.Header.Get(key); got != value {
			t.Errorf("%s is %q, want %q", key, got, value)
		}
	}
}

func TestEveryCaptureIsAnsweredWithTheRequestsIDs(t *testing.T) {
	_, s := started(t, Options{})
	for _, name := range captures.Names() {
		t.Run(name, func(t *testing.T) {
			got := ask(t, s.URL()+name, `thread "1"`, "run-1", engine.HTTPLimits{})
			if got.thread != `thread "1"` || got.run != "run-1" {
				t.Errorf("thread %q, run %q", got.thread, got.run)
			}
			for _, w := range got.warned {
				if strings.Contains(w, "request") {
					t.Errorf("warning: %s", w)
				}
			}
		})
	}
}

func TestBodiesAreTakenInTurn(t *testing.T) {
	_, s := started(t, Options{Bodies: []Body{body("a.sse", tokens(1)), body("b.sse", tokens(2))}})
	var texts []string
	for range 3 {
		texts = append(texts, ask(t, s.URL(), "t", "r", engine.HTTPLimits{}).text)
	}
	texts = append(texts, ask(t, s.URL()+"b", "t", "r", engine.HTTPLimits{}).text)
	want := []string{"token ", "token token ", "token ", "token token "}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestHealth(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		before func()
		status int
		says   string
	}{
		{"open", func() {}, 200, `{"status":"ok","live":0,"runs":0,"events":0}`},
		{"draining", a.Drain, 503, `"draining"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.before()
			w := deadlined{httptest.NewRecorder()}
			a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func TestResumesGoOnWithWhatAsked(t *testing.T) {
	interrupted := func(id string) []byte {
		return engine.Frames(
			`{"type":"RUN_STARTED","threadId":"","runId":""}`,
			`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"interrupt","interrupts":[{"id":"`+id+`","reason":"x"}]}}`)
	}
	_, s := started(t, Options{Bodies: []Body{body("one", interrupted("i1"), tokens(1)), body("two", interrupted("i2"))}})
	yes := func(id string) engine.ResumeEntry {
		return engine.ResumeEntry{InterruptID: id, Status: "resolved", Payload: engine.JSON(`{"ok":true}`)}
	}
	cases := []struct {
		name   string
		resume []engine.ResumeEntry
		end    string
		says   string
	}{
		{"the first request is interrupted", nil, "interrupted", ""},
		{"the body that continues", []engine.ResumeEntry{yes("i1")}, "success", "token "},
		{"one among others", []engine.ResumeEntry{yes("i9"), yes("i1")}, "success", "token "},
		{"none was recorded", []engine.ResumeEntry{yes("i2")}, "success", `Interrupt i2 was resolved with {"ok":true}.`},
		{"nobody knows it", []engine.ResumeEntry{yes("i9")}, "success", "Interrupt i9"},
		{"declined", []engine.ResumeEntry{{InterruptID: "i2", Status: "cancelled"}}, "success", "Interrupt i2 was cancelled."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, s.URL(), "t", "r", engine.HTTPLimits{}, c.resume...)
			if got.end != c.end || !strings.Contains(got.text, c.says) || got.err != nil || got.errors != nil {
				t.Errorf("%+v, want end %q and text %q", got, c.end, c.says)
			}
		})
	}
}

// A Session goes through whole generated threads, interrupts and all.
func TestGeneratedThreadsGoOn(t *testing.T) {
	bodies, err := Generated("subagents", 1, 40)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, b := range bodies {
		if len(b.Runs) == 1 || asked == 3 {
			continue
		}
		asked++
		t.Run(b.Name, func(t *testing.T) {
			_, s := started(t, Options{Bodies: []Body{b}})
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			session := engine.NewSession[engine.Raw](engine.HTTP(s.URL(), engine.WithHTTPClient(client)), "t", engine.WithRules(engine.Spec))
			end := finish(t, session.Send(t.Context(), "go"))
			for i := 1; i < len(b.Runs); i++ {
				if end.Kind != engine.Interrupted {
					t.Fatalf("run %d of %d ended in %v %q", i, len(b.Runs), end.Kind, end.Message)
				}
				var all []engine.ResumeEntry
				for _, in := range session.Interrupts() {
					all = append(all, engine.ResumeEntry{InterruptID: in.ID, Status: "resolved"})
				}
				end = finish(t, session.ResumeMany(t.Context(), all))
			}
			if end.Kind != engine.Success {
				t.Errorf("the last run ended in %v %q", end.Kind, end.Message)
			}
		})
	}
	if asked == 0 {
		t.Fatal("no thread of the workload was interrupted")
	}
}

func finish(t *testing.T, updates iter.Seq[engine.Update]) (end engine.RunEnd) {
	t.Helper()
	for u := range updates {
		switch u := u.(type) {
		case *engine.ErrorUpdate:
			t.Error(u.Err)
		case *engine.Done:
			end = u.End
		}
	}
	return end
}

// deadlined is a recorder that takes deadlines, which httptest's doesn't.
type deadlined struct{ *httptest.ResponseRecorder }

func (deadlined) SetWriteDeadline(time.Time) error { return nil }

// What is put between an agent and the connection may take away what a stream needs: that is told at the start.
func TestWritersThatCannotStreamAreRefused(t *testing.T) {
	cases := []struct {
		name   string
		writer func(r *httptest.ResponseRecorder) http.ResponseWriter
		status int
		says   string
	}{
		{"whole", func(r *httptest.ResponseRecorder) http.ResponseWriter { return deadlined{r} }, 200, "RUN_FINISHED"},
		{"no deadlines", func(r *httptest.ResponseRecorder) http.ResponseWriter { return r }, 500, "deadlines"},
		{"no flush", func(r *httptest.ResponseRecorder) http.ResponseWriter { return patient{r} }, 500, "flushes"},
	}
	a, err := New(Options{Bodies: []Body{body("one", tokens(1))}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRecorder()
			a.ServeHTTP(c.writer(r), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(plainInput)))
			if r.Code != c.status || !strings.Contains(r.Body.String(), c.says) {
				t.Errorf("%d %s", r.Code, r.Body)
			}
		})
	}
}

// patient takes deadlines and can't flush.
type patient struct{ w http.ResponseWriter }

func (p patient) Header() http.Header            { return p.w.Header() }
func (p patient) Write(b []byte) (int, error)    { return p.w.Write(b) }
func (p patient) WriteHeader(status int)         { p.w.WriteHeader(status) }
func (patient) SetWriteDeadline(time.Time) error { return nil }
