package plain

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// shared is where the protocol's own cases and the captures lie, beside the
// repository; tests that read them skip without it.
const shared = "../../../shared"

// readShared lists a directory of shared, or skips.
func readShared(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(shared + "/" + dir)
	if err != nil {
		t.Skipf("no %s beside the repository", dir)
	}
	return list
}

// recording is all that a pipeline says of a stream, as the command's lines.
type recording struct {
	lines    []string // updates and warnings, in order
	updates  []map[string]any
	warnings []map[string]any
	events   []map[string]any
	snapshot map[string]any
	raw      string // the snapshot's text
	counts   Counts
	err      error
}

// record feeds a body in pieces of chunk bytes, 0 for whole.
func record(t *testing.T, opts Options, body []byte, chunk int) *recording {
	t.Helper()
	if chunk == 0 {
		chunk = max(len(body), 1)
	}
	var cuts []int
	for i := chunk; i < len(body); i += chunk {
		cuts = append(cuts, i)
	}
	return recordCuts(t, opts, body, cuts)
}

func recordCuts(t *testing.T, opts Options, body []byte, cuts []int) *recording {
	t.Helper()
	r := &recording{}
	keep := func(kind string, line []byte, list *[]map[string]any) {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(string(line)))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatalf("%s line is no JSON: %v: %s", kind, err, line)
		}
		r.lines = append(r.lines, string(line))
		*list = append(*list, m)
	}
	opts.Update = func(u *Update) { keep("update", u.Line(), &r.updates) }
	opts.Warn = func(w Warning) { keep("warning", w.Line(), &r.warnings) }
	opts.Trace = func(event json.RawMessage) { keep("event", event, &r.events) }
	p := New(opts)
	at := 0
	for _, cut := range append(cuts, len(body)) {
		// A copy of its own shows whoever keeps what was lent.
		piece := append([]byte(nil), body[at:cut]...)
		_, _ = p.Write(piece)
		clear(piece)
		at = cut
	}
	r.err = p.Close()
	r.raw = string(p.Snapshot())
	var none []map[string]any
	keep("snapshot", []byte(r.raw), &none)
	r.snapshot = none[0]
	r.counts = p.Counts()
	if c := r.counts; c.Events != c.Applied+c.Skipped+c.Failed+c.Unread {
		t.Errorf("counts don't balance: %+v", c)
	}
	return r
}

func (r *recording) text() string { return strings.Join(r.lines, "\n") }

// body frames events, one JSON object each.
func body(events ...string) []byte {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return []byte(b.String())
}

const (
	runStart = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runEnd   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// inRun frames events between the start and the end of a run.
func inRun(events ...string) []byte {
	return body(append(append([]string{runStart}, events...), runEnd)...)
}

// summary gives the updates in short, for comparing: each as its kind, its
// change and what it is about.
func (r *recording) summary() []string {
	var list []string
	for _, u := range r.updates {
		s := u["update"].(string)
		for _, name := range []string{"change", "kind", "end", "id", "toolCallId", "delta", "text", "late", "status"} {
			switch v := u[name].(type) {
			case string:
				if name == "text" && s[:9] != "reasoning" {
					continue
				}
				s += " " + v
			case bool:
				s += " " + name
			}
		}
		if state, ok := u["state"]; ok {
			s += " " + string(appendJSON(nil, state))
		}
		list = append(list, s)
	}
	return list
}
