package serve

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/testdata/captures"
)

// render is a whole script for a request.
func render(s *script, thread, run string) []byte {
	var out []byte
	for i := range s.steps {
		st := &s.steps[i]
		if st.parts == nil {
			out = append(out, st.text...)
			continue
		}
		out = st.fill(out, decode.AppendQuotedString(nil, thread), decode.AppendQuotedString(nil, run))
	}
	return out
}

func TestIDsGoWhereTheRequestsBelong(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"both ends",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"b\"}\n\ndata: {\"runId\":\"b\",\"type\":\"RUN_FINISHED\",\"threadId\":\"a\"}\n\n",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\"}\n\ndata: {\"runId\":\"R\",\"type\":\"RUN_FINISHED\",\"threadId\":\"T\"}\n\n"},
		{"an echoed input",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"b\",\"input\":{\"threadId\":\"a\",\"runId\":\"b\",\"state\":{\"runId\":\"mine\"}}}\n\n",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\",\"input\":{\"threadId\":\"T\",\"runId\":\"R\",\"state\":{\"runId\":\"mine\"}}}\n\n"},
		{"a parent's run is another's",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"b\",\"parentRunId\":\"p\"}\n\n",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\",\"parentRunId\":\"p\"}\n\n"},
		{"other events stay byte for byte",
			": note\nid: 7\ndata:{\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":{\"runId\":\"b\"}}\n\n",
			": note\nid: 7\ndata:{\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":{\"runId\":\"b\"}}\n\n"},
		{"lines that are no data stay",
			": hello\n\nid: 1\nevent: x\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"b\"}\n\n",
			": hello\n\nid: 1\nevent: x\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\"}\n\n"},
		{"an event over several lines",
			"data: {\"type\":\"RUN_STARTED\",\ndata: \"threadId\":\"a\",\"runId\":\"b\",\"input\":{\ndata: \"threadId\":\"a\"}}\n\n",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\",\"input\":{\"threadId\":\"T\"}}\n\n"},
		{"CRLF",
			"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"a\",\"runId\":\"b\"}\r\n\r\n",
			"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"T\",\"runId\":\"R\"}\n\n"},
		{"runs before the one that was asked for keep theirs",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"1\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"a\",\"runId\":\"1\"}\n\n" +
				"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"2\"}\n\n",
			"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"1\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"T\",\"runId\":\"1\"}\n\n" +
				"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"T\",\"runId\":\"R\"}\n\n"},
		{"what is no JSON is none of ours", "data: {\"type\":\"RUN_STARTED\",\n\ndata: x", "data: {\"type\":\"RUN_STARTED\",\n\ndata: x"},
		{"a frame without its blank line", "data: {\"type\":\"RUN_ERROR\",\"message\":\"m\"}", "data: {\"type\":\"RUN_ERROR\",\"message\":\"m\"}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(render(newScript("", []byte(c.body)), "T", "R"))); diff != "" {
				t.Errorf("rendered (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIDsAreQuoted(t *testing.T) {
	s := newScript("", []byte("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"b\"}\n\n"))
	want := "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\\\"\\n\",\"runId\":\"\\\\\"}\n\n"
	if diff := cmp.Diff(want, string(render(s, "a\"\n", `\`))); diff != "" {
		t.Errorf("rendered (-want +got):\n%s", diff)
	}
}

// Rewriting touches the two events that carry ids, and leaves the number and order of all.
func TestCapturesKeepTheirEvents(t *testing.T) {
	for _, name := range captures.Names() {
		t.Run(name, func(t *testing.T) {
			recorded := captures.Body(name)
			want, got := workload.Events(recorded), workload.Events(render(newScript(name, recorded), "T", "R"))
			if len(want) != len(got) {
				t.Fatalf("%d events, want %d", len(got), len(want))
			}
			for i := range want {
				if typ := typeOf(want[i]); typ == decode.RunStarted || typ == decode.RunFinished {
					if !bytes.Contains(got[i], []byte(`"threadId":"T"`)) || !bytes.Contains(got[i], []byte(`"runId":"R"`)) {
						t.Errorf("event %d doesn't carry the request's ids: %s", i, got[i])
					}
					continue
				}
				if !bytes.Equal(want[i], got[i]) {
					t.Errorf("event %d: %s, want %s", i, got[i], want[i])
				}
			}
		})
	}
}

func TestWhatTakesATokensTime(t *testing.T) {
	s := newScript("", tokens(3))
	var waits []string
	for _, st := range s.steps {
		if st.token {
			waits = append(waits, string(st.text))
		}
	}
	if len(waits) != 3 || s.tokens != 3 || strings.Contains(strings.Join(waits, ""), "START") {
		t.Errorf("%d tokens: %q", s.tokens, waits)
	}
	if s.middle <= 0 || s.middle >= len(s.steps)-1 {
		t.Errorf("a run that is to fail does so at step %d of %d", s.middle, len(s.steps))
	}
}
