//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serving runs the command until stop, which gives its exit status and diagnostics.
func serving(t *testing.T, args ...string) (url string, stop func() (int, string)) {
	t.Helper()
	out, in := io.Pipe()
	var diagnostics strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- dispatch(append([]string{"serve"}, args...), streams{strings.NewReader(""), in, &diagnostics})
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("no first line; exit status %d, %s", <-status, diagnostics.String())
	}
	url, ok := strings.CutPrefix(lines.Text(), "listening on ")
	if !ok || !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/") {
		t.Fatalf("first line %q", lines.Text())
	}
	stopped := false
	stop = func() (int, string) {
		stopped = true
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case s := <-status:
			return s, diagnostics.String()
		case <-time.After(10 * time.Second):
			t.Fatal("it doesn't close")
		}
		return 0, ""
	}
	t.Cleanup(func() {
		if !stopped {
			stop()
		}
	})
	return url, stop
}

func TestServeUntilTold(t *testing.T) {
	url, stop := serving(t, "--pace", "0")
	res, err := http.Post(url+"ts-nulls", "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(text), `"runId":"r"`) {
		t.Errorf("%q, %v", text, err)
	}
	if status, diagnostics := stop(); status != exitOK || !strings.Contains(diagnostics, "1 runs: 1 whole") {
		t.Errorf("exit status %d, %q", status, diagnostics)
	}
}

// A run that is live at SIGTERM has the drain's time, and then the server's last word.
func TestServeDrains(t *testing.T) {
	url, stop := serving(t, "--pace", "2", "--drain", "300ms", "--quiet")
	res, err := http.Post(url+"cpk-text", "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text := make(chan string)
	go func() {
		all, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		text <- string(all)
	}()
	if status, diagnostics := stop(); status != exitOK || diagnostics != "" {
		t.Errorf("exit status %d, %q", status, diagnostics)
	}
	if got := <-text; !strings.Contains(got, "RUN_STARTED") || !strings.Contains(got, "shutting down") {
		t.Errorf("%q", got)
	}
}

func TestServeAnswersFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.sse")
	if err := os.WriteFile(file, []byte(sse(runBegins, `{"type":"RUN_ERROR","message":"mine"}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := serving(t, file, "--pace", "0")
	for _, path := range []string{"", "mine"} {
		res, err := http.Post(url+path, "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(text), `"message":"mine"`) {
			t.Errorf("/%s: %q", path, text)
		}
	}
}

func TestLoadAgainstServe(t *testing.T) {
	url, _ := serving(t, "--workload", "chat", "--tokens", "10", "--pace", "100", "--quiet")
	short := []string{"load", url, "--runs", "5", "--duration", "300ms", "--quiet"}
	cases := []struct {
		name   string
		args   []string
		status int
		says   string // in the diagnostics
	}{
		{"no goals", nil, exitOK, ""},
		{"goals that are met", []string{"--slo", "p99<10s,errors<0.1%"}, exitOK, ""},
		{"a goal that is missed", []string{"--slo", "p99<10s,run.p50<1ms"}, exitFault, "missed: run.p50<1ms ("},
		{"at a rate", []string{"--rate", "20"}, exitOK, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, "", append(short, c.args...)...)
			if status != c.status || !strings.Contains(diagnostics, c.says) || c.says == "" && diagnostics != "" {
				t.Errorf("exit status %d, diagnostics %q", status, diagnostics)
			}
			if !strings.Contains(out, "bounded by") {
				t.Errorf("summary:\n%s", out)
			}
		})
	}
	t.Run("JSON alone on standard output", func(t *testing.T) {
		_, out, _ := call(t, "", append(short, "--json", "-")...)
		var result struct {
			Schema   int
			Command  string
			RunsDone int
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil || result.Command != "load" || result.Schema != 1 || result.RunsDone < 5 {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("JSON in a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "result.json")
		call(t, "", append(short, "--json", file)...)
		if text, err := os.ReadFile(file); err != nil || !json.Valid(text) {
			t.Errorf("%v: %s", err, text)
		}
	})
}
