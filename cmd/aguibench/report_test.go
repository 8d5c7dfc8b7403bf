package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/bench/load"
	"github.com/aguistream/aguistream/bench/serve"
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

// loadResult loads an agent for a moment and gives the result's file.
func loadResult(t *testing.T, args ...string) (file string, result *load.Result) {
	t.Helper()
	body := sse(runBegins, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hi"}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":" there"}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":""}`)
	agent, err := serve.New(serve.Options{Bodies: []serve.Body{{Name: "one", Runs: [][]byte{[]byte(body)}}}, Pace: 100, Fault: serve.ErrorEvent, FaultRate: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(agent)
	defer server.Close()
	defer agent.Stop()
	file = filepath.Join(t.TempDir(), "load.json")
	all := append([]string{"load", server.URL, "--duration", "300ms", "--quiet", "--json", file}, args...)
	if status, _, diagnostics := call(t, "", all...); status != exitOK && !strings.Contains(diagnostics, "missed") {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	return file, result
}

// tableRows parses the page and gives the rows of its tables, each with bars between its cells.
func tableRows(t *testing.T, page string) []string {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(page))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var rows []string
	var row strings.Builder
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "tr" {
				row.Reset()
			}
		case xml.CharData:
			row.Write(token)
		case xml.EndElement:
			switch token.Name.Local {
			case "td", "th":
				row.WriteByte('|')
			case "tr":
				rows = append(rows, row.String())
			}
		}
	}
}

func TestReportDrawsLoads(t *testing.T) {
	open, paced := loadResult(t, "--rate", "40", "--slo", "p99<1m,errors<0.1%", "--message", "<Plan> & pack")
	fixed, kept := loadResult(t, "--runs", "3")
	status, page, diagnostics := call(t, "", "report", open, fixed)
	if status != exitOK || diagnostics != "" {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	rows := tableRows(t, page)
	has := func(row string) {
		t.Helper()
		for _, r := range rows {
			if strings.HasPrefix(r, row) {
				return
			}
		}
		t.Errorf("no row begins with %q", row)
	}
	for _, r := range []*load.Result{paced, kept} {
		if r.RunsDone < 3 || r.Errors["run"] == 0 || len(r.Timeline) < 3 {
			t.Fatalf("%d runs done, errors %v, %d samples", r.RunsDone, r.Errors, len(r.Timeline))
		}
		has("target|" + r.URL + "|")
		has(fmt.Sprintf("runs begun|%d|", r.RunsStarted))
		has(fmt.Sprintf("success|%d|", r.Ends["success"]))
		has(fmt.Sprintf("failed|%d|", r.Ends["failed"]))
		has(fmt.Sprintf("run|%d|", r.Errors["run"]))
		has(fmt.Sprintf("events|%d|", r.Events))
		if !strings.Contains(page, "Load of "+r.URL) {
			t.Errorf("no section for %s", r.URL)
		}
	}
	has("mode|open loop: 40 runs begun a second, whatever the server does, at most 10,000 in flight|")
	has("mode|fixed: 3 runs in flight, each followed by the next|")
	has("message|<Plan> & pack|")
	has("p99<1m|" + paced.SLO[0].Got + "|met|")
	has("errors<0.1%|" + paced.SLO[1].Got + "|MISSED|")
	for _, name := range []string{"first event|", "first token|", "event gap|", "whole run|", "service|", "file descriptors|", "CPU|"} {
		has(name)
	}
	if n := strings.Count(page, "<svg"); n != 10 {
		t.Errorf("%d pictures, want five of each load", n)
	}
	if found := regexp.MustCompile(`(?i)<script|<link|<img|<image|@import|url\(|src=|href=`).FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	if !strings.Contains(page, "prefers-color-scheme: dark") || !strings.Contains(page, `content="light dark"`) {
		t.Error("the page doesn't follow the reader's setting")
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
		{"no result", []string{"-"}, "{}", exitFault, "standard input: not a result"},
		{"a result of something else", []string{"-"}, `{"schema":1,"command":"serve"}`, exitFault, `standard input: a result of "serve"`},
		{"a load that can't be", []string{"-"}, `{"schema":1,"command":"load","rate":-1}`, exitFault, "standard input: rate is -1"},
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
