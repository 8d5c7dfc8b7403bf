package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareWritesItsResult(t *testing.T) {
	status, out, diagnostics := call(t, "", "compare", "--workload", "chat", "--tokens", "10", "--for", "1ms", "--json", "-")
	if status != exitOK {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	var got struct {
		Command, Workload string
		Equal             bool
		Rows              []struct{ Pipeline string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("standard output holds more than the JSON: %v\n%s", err, out)
	}
	if got.Command != "compare" || got.Workload != "chat" || !got.Equal || len(got.Rows) != 4 {
		t.Errorf("result %s", out)
	}
	for _, text := range []string{"floor", "unmarshal", "plain", "engine", "are equal"} {
		if !strings.Contains(diagnostics, text) {
			t.Errorf("the table doesn't say %q:\n%s", text, diagnostics)
		}
	}
}

func TestCompareWritesToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	status, out, diagnostics := call(t, "", "compare", "--tokens", "10", "--for", "1ms", "--json", file)
	if status != exitOK || diagnostics != "" {
		t.Fatalf("exit status %d: %s", status, diagnostics)
	}
	if !strings.Contains(out, "mixed: 12 bodies") {
		t.Errorf("the default is mixed, but the table says:\n%s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil || !json.Valid(text) {
		t.Errorf("result %q, %v", text, err)
	}
}

func TestCompareIsMisused(t *testing.T) {
	cases := []struct {
		name string
		args []string
		says string
	}{
		{"an operand", []string{"body.sse"}, "body.sse"},
		{"an unknown workload", []string{"--workload", "chess"}, `"chess"`},
		{"tokens below none", []string{"--tokens", "-1"}, "--tokens"},
		{"too many tokens", []string{"--tokens", "999999999999"}, "tokens"},
		{"no time", []string{"--for", "0s"}, "--for"},
		{"no duration", []string{"--for", "soon"}, "for"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, "", append([]string{"compare"}, c.args...)...)
			if status != exitUsage || out != "" || !strings.Contains(diagnostics, c.says) {
				t.Errorf("exit status %d, output %q, diagnostics %q", status, out, diagnostics)
			}
		})
	}
}
