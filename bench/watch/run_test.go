package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

func interrupted(interrupts string) string {
	return event("RUN_FINISHED", "threadId", `"t"`, "runId", `"r"`, "outcome", `{"type":"interrupt","interrupts":`+interrupts+`}`)
}

// An agent that asks two questions, then one, then is done. The answers are typed; what is sent is checked.
func TestAnswers(t *testing.T) {
	const two = `[{"id":"i1","reason":"approval","message":"Delete it?"},{"id":"i2","reason":"input"}]`
	const late = `[{"id":"i3","reason":"approval","expiresAt":"2001-01-01T00:00:00Z"}]`
	cases := []struct {
		name    string
		first   string
		typed   []string
		resumes []string // of each request after the first
		says    string   // at the end
		fails   bool
	}{
		{"JSON and text", two, []string{`{"ok":true}`, "do it"},
			[]string{`[{"interruptId":"i1","status":"resolved","payload":{"ok":true}},{"interruptId":"i2","status":"resolved","payload":"do it"}]`}, "run success", false},
		{"nothing declines, n too", two, []string{"", "N"},
			[]string{`[{"interruptId":"i1","status":"cancelled"},{"interruptId":"i2","status":"cancelled"}]`}, "run success", false},
		{"a quoted n is text", two, []string{`"n"`, "17"},
			[]string{`[{"interruptId":"i1","status":"resolved","payload":"n"},{"interruptId":"i2","status":"resolved","payload":17}]`}, "run success", false},
		{"too late to agree: asked again", late, []string{"true", "n"}, []string{`[{"interruptId":"i3","status":"cancelled"}]`}, "run success", false},
		{"no answer", two, []string{"true"}, nil, "left unanswered", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var resumes []string
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					Resume   json.RawMessage `json:"resume"`
					Messages []struct{ Content string }
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				if len(in.Messages) != 1 || in.Messages[0].Content != "please" {
					t.Errorf("messages %v", in.Messages)
				}
				w.Header().Set("Content-Type", "text/event-stream")
				last := ends
				if asked++; asked == 1 {
					last = interrupted(c.first)
				} else {
					resumes = append(resumes, string(in.Resume))
				}
				_, _ = w.Write(engine.Frames(begins, last))
			}))
			defer server.Close()
			var out bytes.Buffer
			v := NewView(Options{Out: &out})
			typed := c.typed
			answer := func(_ context.Context, prompt string) (string, error) {
				v.Ask(prompt)
				if len(typed) == 0 {
					return "", io.EOF
				}
				line := typed[0]
				typed = typed[1:]
				return line + "\n", nil
			}
			err := Agent(t.Context(), v, engine.HTTP(server.URL), AgentOptions{ThreadID: "t", Send: "please", HasSend: true, Answer: answer})
			if (err != nil) != c.fails {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(c.resumes, resumes); diff != "" {
				t.Errorf("resumes (-want +got):\n%s", diff)
			}
			if len(typed) > 0 {
				t.Errorf("not asked for: %q", typed)
			}
			if !strings.HasPrefix(out.String(), "you\n  please\n") || !strings.HasSuffix(out.String(), c.says+"\n") {
				t.Errorf("output:\n%s", out.String())
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	in := engine.Interrupt{ID: "i", Reason: "approval", Message: engine.OptString{Value: "Delete\nit?", Present: true}}
	want(t, "one", prompt(&in, 1, 1), "answer, Delete␊it? (JSON or text; nothing or n declines):")
	in.Message = engine.OptString{}
	want(t, "several", prompt(&in, 2, 3), "answer 2 of 3, approval (JSON or text; nothing or n declines):")
}

func TestAgentThatFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "too busy\x1b[2J", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	var out bytes.Buffer
	err := Agent(t.Context(), NewView(Options{Out: &out}), engine.HTTP(server.URL), AgentOptions{ThreadID: "t"})
	if err == nil {
		t.Error("no error")
	}
	for _, says := range []string{"error HTTP 503: ", "too busy␛[2J", "run failed"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("%q is missing in\n%s", says, out.String())
		}
	}
}

// A context that ends while the agent is silent stops the watching at once, and says so below what came.
func TestStopping(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		var in struct{ RunID string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(engine.Frames(event("RUN_STARTED", "threadId", `"t"`, "runId", str(in.RunID)), textStart("m"), text("m", "half")))
		w.(http.Flusher).Flush()
		time.AfterFunc(50*time.Millisecond, cancel)
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	term := newTerminal(t, 40, 10)
	v := NewView(Options{Out: term, Size: term.size})
	if err := Agent(ctx, v, engine.HTTP(server.URL), AgentOptions{ThreadID: "t"}); err != nil {
		t.Error(err)
	}
	<-gone
	want(t, "screen", term.screen(), "assistant", "  half", "  (not ended when it was stopped)", "stopped")
}

// stalled is a source that gives what it has and then nothing, for good.
type stalled struct{ r io.Reader }

func (s stalled) Read(p []byte) (int, error) {
	if n, err := s.r.Read(p); err == nil {
		return n, nil
	}
	select {}
}

func TestStoppingAFile(t *testing.T) {
	for _, pace := range []float64{0, 1e4} {
		for _, body := range []string{"", string(engine.Frames(begins, textStart("m"), text("m", "half")))} {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			var out bytes.Buffer
			err := File(ctx, NewView(Options{Out: &out}), stalled{strings.NewReader(body)}, FileOptions{Pace: pace})
			cancel()
			if err != nil || !strings.HasSuffix(out.String(), "stopped\n") {
				t.Errorf("pace %v: error %v, output:\n%s", pace, err, out.String())
			}
		}
	}
}

func TestFile(t *testing.T) {
	fixture := `{"input":{"messages":[{"id":"user-1","role":"user","content":"before"}]},"stream":[` + begins + `,` + ends + `]}`
	cases := []struct {
		name string
		body string
		opt  FileOptions
		want []string
	}{
		{"several runs", string(engine.Frames(begins, ends, begins, ends)), FileOptions{}, []string{"run success", "run success"}},
		{"a message pushed first", fixture, FileOptions{Send: "hi", HasSend: true}, []string{"you", "  hi", "run success"}},
		{"by the other rules", string(engine.Frames(begins, textEnd("x"), ends)), FileOptions{Rules: engine.Spec}, []string{
			`error protocol violation: TEXT_MESSAGE_END: no open text message "x" (event 2, TEXT_MESSAGE_END, byte 57)`, "run failed",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := File(t.Context(), NewView(Options{Out: &out}), strings.NewReader(c.body), c.opt); err != nil {
				t.Error(err)
			}
			want(t, "output", out.String(), c.want...)
		})
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	broken := errors.New("the disk is gone")
	var out bytes.Buffer
	r := io.MultiReader(bytes.NewReader(engine.Frames(begins, textStart("m"), text("m", "half"))), &failing{broken})
	err := File(t.Context(), NewView(Options{Out: &out}), r, FileOptions{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out.String(), "half") || !strings.HasSuffix(out.String(), "run failed\n") {
		t.Errorf("output:\n%s", out.String())
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// A writer that fails ends the watching, with its error.
func TestOutputThatCannotBeWritten(t *testing.T) {
	full := errors.New("no room")
	body := strings.Repeat(string(engine.Frames(begins, ends)), 10_000)
	err := File(t.Context(), NewView(Options{Out: refusing{full}}), strings.NewReader(body), FileOptions{})
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestFramesAreCutBehindBlankLines(t *testing.T) {
	cases := []struct {
		name, body string
		want       []string
	}{
		{"LF", "data: 1\n\ndata: 2\n\n", []string{"data: 1\n\n", "data: 2\n\n", ""}},
		{"CR LF", "data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"data: 1\r\n\r", "\ndata: 2\r\n\r", "\n"}},
		{"CR", "data: 1\r\rdata: 2\r\r", []string{"data: 1\r\r", "data: 2\r\r", ""}},
		{"two lines", "data: 1\ndata: 2\n\n", []string{"data: 1\ndata: 2\n\n", ""}},
		{"more blank lines", "data: 1\n\n\n\ndata: 2", []string{"data: 1\n\n", "\n\ndata: 2"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			next := frames(strings.NewReader(c.body))
			var got []string
			for {
				b, err := next()
				got = append(got, string(b))
				if err != nil {
					break
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPace(t *testing.T) {
	body := engine.Frames(begins, textStart("m"), text("m", "a"), text("m", "b"), textEnd("m"), ends)
	began := time.Now()
	var out bytes.Buffer
	if err := File(t.Context(), NewView(Options{Out: &out}), bytes.NewReader(body), FileOptions{Pace: 100}); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 50*time.Millisecond || took > 2*time.Second {
		t.Errorf("6 events at 100 a second took %v", took)
	}
	want(t, "output", out.String(), "assistant", "  ab", "run success")
}
