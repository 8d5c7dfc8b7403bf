//go:build !race && !aguipoison

package bench

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// benchmarkLine is one that went well.
var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark.* ns/op.*\n`)

// TestBenchmarksWork runs every benchmark of the module once, so that none rots. Asking the go command for it leaves
// none out.
func TestBenchmarksWork(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs the benchmarks of all packages")
	}
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	run := exec.CommandContext(t.Context(), command, "test", "-short", "-run", "^$", "-bench", ".", "-benchtime", "1x", "./...")
	run.Dir = ".."
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, benchmarkLine.ReplaceAll(out, nil))
	}
	for _, name := range []string{"BenchmarkPipeline/mixed/engine", "BenchmarkFramer", "BenchmarkScanner", "BenchmarkUnescape",
		"BenchmarkEvent/RUN_STARTED", "BenchmarkPatch/", "BenchmarkEngineRuns", "BenchmarkEngineShards", "BenchmarkStreamChunks"} {
		if !strings.Contains(string(out), name) {
			t.Errorf("%s did not run", name)
		}
	}
}
