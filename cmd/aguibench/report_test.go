package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReportDrawsResults(t *testing.T) {
	dir := t.TempDir()
	ran, compared := filepath.Join(dir, "run.json"), filepath.Join(dir, "compare.json")
	if status, _, diagnostics := call(t, "", "run", "--workload", "chat", "--tokens", "5", "--total", "20", "--runs", "10", "--quiet", "--json", ran); status != exitOK {
		t.Fatal(diagnostics)
	}
	if status, _, diagnostics := call(t, "", "compare", "--workload", "chat", "--tokens", "5", "--for", "1ms", "--json", compared); status != exitOK {
		t.Fatal(diagnostics)
	}
	status, page, diagnostics := call(t, "", "report", ran, compared)
	if status != exitOK || diagnostics != "" {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	if !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("the page is not whole")
	}
	if n := strings.Count(page, "<svg"); n != 3 {
		t.Errorf("%d pictures, want throughput, latency and pipelines", n)
	}
}

func TestReportTakesStandardInput(t *testing.T) {
	status, page, _ := call(t, `{"schema":1,"command":"run","workload":"chat","eventsPerSecond":5,"balanced":true}`, "report", "-")
	if status != exitOK || !strings.Contains(page, "standard input") {
		t.Errorf("exit status %d, page %.100s", status, page)
	}
}

func TestReportRefuses(t *testing.T) {
	cases := []struct {
		name   string
		args   []string
		stdin  string
		status int
		says   string
	}{
		{"no file", nil, "", exitUsage, "FILE"},
		{"an unknown flag", []string{"--dark", "x"}, "", exitUsage, "dark"},
		{"a missing file", []string{"missing.json"}, "", exitFault, "missing.json"},
		{"no result", []string{"-"}, "{}", exitFault, "not a result"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, c.stdin, append([]string{"report"}, c.args...)...)
			if status != c.status || out != "" || !strings.Contains(diagnostics, c.says) {
				t.Errorf("exit status %d, output %q, diagnostics %q", status, out, diagnostics)
			}
		})
	}
}
