package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	watchText = `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`
	watchHi   = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi \u001b[31mred"}`
	watchOver = `{"type":"TEXT_MESSAGE_END","messageId":"m"}`
	watchEnd  = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

func TestWatchStatus(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	missing := filepath.Join(t.TempDir(), "missing.sse")
	cases := []struct {
		name   string
		args   []string
		stdin  string
		status int
		says   string
	}{
		{"a run that failed is no fault", []string{"watch", "-"}, sse(runBegins, `{"type":"RUN_ERROR","message":"no"}`), exitOK, ""},
		{"nothing to watch", []string{"watch"}, "", exitUsage, "one URL or FILE"},
		{"two files", []string{"watch", "a", "b"}, "", exitUsage, "one URL or FILE"},
		{"unreadable file", []string{"watch", missing}, "", exitFault, missing},
		{"unknown rules", []string{"watch", "-", "--rules", "strict"}, "", exitUsage, `"strict"`},
		{"unknown input", []string{"watch", "-", "--input", "xml"}, "", exitUsage, `"xml"`},
		{"no pace", []string{"watch", "-", "--pace", "-1"}, "", exitUsage, "--pace"},
		{"a pace for an agent", []string{"watch", refusing.URL, "--pace", "5"}, "", exitUsage, "--pace"},
		{"an agent that refuses", []string{"watch", refusing.URL}, "", exitFault, "could not be read"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, _, diagnostics := call(t, c.stdin, c.args...)
			if status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			if c.says == "" && diagnostics != "" || !strings.Contains(diagnostics, c.says) {
				t.Errorf("diagnostics %q, want them to name %q", diagnostics, c.says)
			}
		})
	}
}

func TestWatchPrintsPlainText(t *testing.T) {
	body := sse(runBegins, watchText, watchHi, watchOver, watchEnd)
	cases := []struct {
		name string
		args []string
		want string
	}{
		{"grouped", nil, "assistant\n  Hi ␛[31mred\nrun success\n"},
		{"in order", []string{"--in-order"}, "assistant m\n  Hi ␛[31mred\nrun success\n"},
		{"with a message first", []string{"--send", "hello"}, "you\n  hello\nassistant\n  Hi ␛[31mred\nrun success\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, body, append([]string{"watch", "-"}, c.args...)...)
			if status != exitOK || diagnostics != "" {
				t.Errorf("exit status %d, diagnostics %q", status, diagnostics)
			}
			if diff := cmp.Diff(c.want, out); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWatchTellsURLsFromFiles(t *testing.T) {
	cases := []struct {
		operand string
		want    bool
	}{
		{"http://h/", true}, {"HTTPS://h", true}, {"run.sse", false}, {"-", false}, {"ftp://h/", false}, {"http.sse", false},
	}
	for _, c := range cases {
		if got := isURL(c.operand); got != c.want {
			t.Errorf("isURL(%q) = %v", c.operand, got)
		}
	}
}
