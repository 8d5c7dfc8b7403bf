package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// promised are the members of the run result that scripts rely on.
var promised = []string{"schema", "command", "env", "inFlight", "runs", "events", "bytes", "updates", "seconds",
	"eventsPerSecond", "eventsPerSecondPerCore", "mbPerSecond", "allocsPerEvent", "bytesAllocatedPerEvent", "latencyMicros",
	"peakRSSBytes", "gcCPUFraction", "ends", "errors", "balanced", "checked", "mismatches"}

func TestRunWritesItsResult(t *testing.T) {
	status, out, diagnostics := call(t, "", "--total", "60", "--runs", "50", "--check", "--quiet", "--hist", "--json", "-")
	if status != exitOK {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("standard output holds more than the JSON: %v\n%s", err, out)
	}
	for _, name := range promised {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	want := map[string]any{"schema": 1.0, "command": "run", "inFlight": 50.0, "runs": 60.0, "balanced": true, "checked": 60.0, "mismatches": 0.0}
	for name, v := range want {
		if diff := cmp.Diff(v, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, text := range []string{"balanced", "all equal", "latency, from write to handler"} {
		if !strings.Contains(diagnostics, text) {
			t.Errorf("the summary doesn't say %q:\n%s", text, diagnostics)
		}
	}
}

func TestRunTakesFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	body := file("body.sse", ofRun(`{"type":"STATE_SNAPSHOT","snapshot":[1]}`))
	lines := file("lines.ndjson", runBegins+"\n"+runEnds+"\n")
	fixture := file("fixture.json", `{"stream":[`+runBegins+`,`+runEnds+`],"input":{"state":7,"messages":[{"id":"u","role":"user","content":"q"}]}}`)
	result, profile := filepath.Join(dir, "result.json"), filepath.Join(dir, "cpu")

	status, out, diagnostics := call(t, "", body, "--total", "30", lines, fixture, "--check", "--json", result, "--cpuprofile", profile)
	if status != exitOK {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	if !strings.Contains(out, "30 stores compared with the plain pipeline's: all equal") {
		t.Errorf("summary:\n%s", out)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Events int64
		Ends   map[string]int64
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Events != 70 || got.Ends["success"] != 30 {
		t.Errorf("result %s", text)
	}
	if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
}
