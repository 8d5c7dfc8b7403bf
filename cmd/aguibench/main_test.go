package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.sse")
	cases := []struct {
		name   string
		args   []string
		stdin  string
		status int
		says   string // in the diagnostics
	}{
		{"a run that failed is no fault", []string{"updates"}, sse(runBegins, `{"type":"RUN_ERROR","message":"no"}`), exitOK, ""},
		{"no JSON at all is none either", []string{"updates", "--input", "sse"}, "data: {\n\n", exitOK, ""},
		{"unknown command", []string{"upgrade"}, "", exitUsage, `unknown command "upgrade"`},
		{"unknown flag", []string{"updates", "--loud"}, "", exitUsage, "-loud"},
		{"unknown flag of the bare command", []string{"--loud"}, "", exitUsage, "-loud"},
		{"flag without its value", []string{"updates", "--chunk"}, "", exitUsage, "chunk"},
		{"no number", []string{"updates", "--chunk", "x"}, "", exitUsage, "chunk"},
		{"negative chunk", []string{"updates", "--chunk", "-1"}, "", exitUsage, "--chunk"},
		{"unknown rules", []string{"updates", "--rules", "strict"}, "", exitUsage, `"strict"`},
		{"unknown input", []string{"updates", "--input", "xml"}, "", exitUsage, `"xml"`},
		{"two files", []string{"updates", "a", "b"}, "", exitUsage, "one FILE"},
		{"unreadable file", []string{"updates", missing}, "", exitFault, missing},
		{"a folder", []string{"updates", dir}, "", exitFault, dir},
		{"no fixture", []string{"updates", "--input", "fixture"}, `{"name":"x"}`, exitFault, "no stream"},
		{"seeds that are none", []string{"updates"}, `{"stream":[],"input":{"messages":{}}}`, exitFault, "messages"},
		{"run: unreadable file", []string{"run", missing}, "", exitFault, missing},
		{"bare: unreadable file", []string{missing}, "", exitFault, missing},
		{"run: unwritable result", []string{"run", "--total", "1", "--json", filepath.Join(dir, "no", "x")}, "", exitFault, "x"},
		{"run: unknown workload", []string{"run", "--workload", "chess"}, "", exitUsage, `"chess"`},
		{"run: workload and file", []string{"run", "--workload", "chat", missing}, "", exitUsage, "not both"},
		{"run: no runs", []string{"run", "--runs", "0"}, "", exitUsage, "--runs"},
		{"run: no total", []string{"run", "--total", "0"}, "", exitUsage, "--total"},
		{"run: no time", []string{"run", "--duration", "0s"}, "", exitUsage, "--duration"},
		{"run: no rate", []string{"run", "--rate", "-1"}, "", exitUsage, "--rate"},
		{"run: too many tokens", []string{"run", "--workload", "chat", "--tokens", "999999999999"}, "", exitUsage, "tokens"},
		{"help", []string{"help"}, "", exitOK, ""},
		{"help of a command", []string{"help", "updates"}, "", exitOK, ""},
		{"help of none", []string{"help", "upgrade"}, "", exitUsage, `"upgrade"`},
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

func TestFlagsStandAnywhere(t *testing.T) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.Bool("trace", false, "")
	set.Int("chunk", 0, "")
	set.String("send", "", "")
	cases := []struct {
		name                  string
		args, flags, operands []string
	}{
		{"before", []string{"--chunk", "7", "--trace", "a"}, []string{"--chunk", "7", "--trace"}, []string{"a"}},
		{"behind", []string{"a", "--trace", "-chunk", "7"}, []string{"--trace", "-chunk", "7"}, []string{"a"}},
		{"between", []string{"a", "--trace", "b"}, []string{"--trace"}, []string{"a", "b"}},
		{"with an equals sign", []string{"a", "--chunk=7", "b"}, []string{"--chunk=7"}, []string{"a", "b"}},
		{"a switch said off", []string{"--trace=false", "a"}, []string{"--trace=false"}, []string{"a"}},
		{"a dash is an operand", []string{"-", "--trace"}, []string{"--trace"}, []string{"-"}},
		{"a dash as a value", []string{"--send", "-", "a"}, []string{"--send", "-"}, []string{"a"}},
		{"two dashes as a value", []string{"--send", "--", "--trace"}, []string{"--send", "--", "--trace"}, nil},
		{"two dashes end the flags", []string{"--trace", "--", "--chunk", "-"}, []string{"--trace"}, []string{"--chunk", "-"}},
		{"a value that is missing", []string{"a", "--chunk"}, []string{"--chunk"}, []string{"a"}},
		{"an unknown one is left to be refused", []string{"--odd", "a"}, []string{"--odd"}, []string{"a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			flags, operands := permute(set, c.args)
			if diff := cmp.Diff(c.flags, flags); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.operands, operands); diff != "" {
				t.Errorf("operands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	cases := map[string][]string{
		"updates": {"input", "chunk", "rules", "verify", "stream", "adopt-input", "send", "full", "trace", "snapshot"},
		"run": {"runs", "total", "duration", "shards", "workload", "seed", "tokens", "chunk", "rules", "rate", "check", "json",
			"hist", "quiet", "cpuprofile", "memprofile", "trace-file"},
		"compare": {"workload", "tokens", "seed", "for", "json", "cpuprofile", "memprofile", "trace-file"},
	}
	for name, flags := range cases {
		t.Run(name, func(t *testing.T) {
			status, out, _ := call(t, "", name, "--help")
			if status != exitOK {
				t.Errorf("exit status %d", status)
			}
			for _, f := range flags {
				if !strings.Contains(out, "--"+f+" ") {
					t.Errorf("help has no --%s", f)
				}
			}
			if lines := strings.Count(out, "\n  --"); lines != len(flags) {
				t.Errorf("help lists %d flags, want %d", lines, len(flags))
			}
		})
	}
}

// brokenWriter takes nothing.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutputThatCannotBeWrittenIsAFault(t *testing.T) {
	var diagnostics strings.Builder
	status := dispatch([]string{"updates"}, streams{strings.NewReader(ofRun()), brokenWriter{}, &diagnostics})
	if status != exitFault || diagnostics.Len() == 0 {
		t.Errorf("exit status %d, diagnostics %q", status, diagnostics.String())
	}
}
