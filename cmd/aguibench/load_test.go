package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestServeAndLoadUsage(t *testing.T) {
	const url = "http://127.0.0.1:1/"
	missing := filepath.Join(t.TempDir(), "missing.sse")
	cases := []struct {
		name   string
		args   []string
		status int
		says   string // in the diagnostics
	}{
		{"serve: unreadable file", []string{"serve", missing}, exitFault, missing},
		{"serve: no address", []string{"serve", "--listen", "127.0.0.1:99999"}, exitFault, "99999"},
		{"serve: no pace", []string{"serve", "--pace", "-1"}, exitUsage, "--pace"},
		{"serve: too much jitter", []string{"serve", "--jitter", "2"}, exitUsage, "--jitter"},
		{"serve: unknown fault", []string{"serve", "--fail", "explode"}, exitUsage, `"explode"`},
		{"serve: no share", []string{"serve", "--fail", "cut", "--fail-rate", "110%"}, exitUsage, "--fail-rate"},
		{"serve: a share of nothing", []string{"serve", "--fail-rate", "0.5"}, exitUsage, "--fail"},
		{"serve: unknown workload", []string{"serve", "--workload", "chess"}, exitUsage, `"chess"`},
		{"serve: workload and file", []string{"serve", "--workload", "chat", missing}, exitUsage, "not both"},
		{"serve: no keep-alive", []string{"serve", "--keep-alive", "-1s"}, exitUsage, "less than 0"},
		{"load: no URL", []string{"load"}, exitUsage, "one URL"},
		{"load: two URLs", []string{"load", url, url}, exitUsage, "one URL"},
		{"load: no http", []string{"load", "ftp://127.0.0.1/"}, exitUsage, "ftp"},
		{"load: no rate", []string{"load", url, "--rate", "0"}, exitUsage, "--rate"},
		{"load: a negative rate", []string{"load", url, "--rate", "-5"}, exitUsage, "-5"},
		{"load: no runs", []string{"load", url, "--runs", "0"}, exitUsage, "--runs"},
		{"load: no time", []string{"load", url, "--duration", "0s"}, exitUsage, "--duration"},
		{"load: a long ramp", []string{"load", url, "--duration", "1s", "--ramp", "1m"}, exitUsage, "ramp"},
		{"load: unknown rules", []string{"load", url, "--rules", "strict"}, exitUsage, `"strict"`},
		{"load: no goals", []string{"load", url, "--slo", "p99"}, exitUsage, "--slo"},
		{"load: unwritable result", []string{"load", url, "--json", filepath.Join(missing, "x")}, exitFault, "x"},
		{"load: nobody there", []string{"load", url, "--duration", "200ms", "--quiet"}, exitFault, "no event"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, _, diagnostics := call(t, "", c.args...)
			if status != c.status || !strings.Contains(diagnostics, c.says) {
				t.Errorf("exit status %d, want %d; diagnostics %q, want them to name %q", status, c.status, diagnostics, c.says)
			}
		})
	}
}

func TestHelpOfServeAndLoadNamesEveryFlag(t *testing.T) {
	cases := map[string][]string{
		"serve": {"listen", "workload", "seed", "tokens", "pace", "jitter", "keep-alive", "fail", "fail-rate", "fail-delay", "write-limit",
			"drain", "quiet"},
		"load": {"rate", "runs", "duration", "ramp", "drain", "message", "rules", "header-limit", "idle-limit", "slo", "json", "quiet",
			"cpuprofile", "memprofile", "trace-file"},
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
