package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeProgram runs the README's first program and holds what it prints to what the README says it does.
func TestReadmeProgram(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```go\n")
	program, rest, ok := strings.Cut(rest, "```\n")
	if !ok || !strings.HasPrefix(program, "package main") {
		t.Fatal("the README's first Go block is no program")
	}
	_, rest, _ = strings.Cut(rest, "prints\n\n")
	var want []string
	for line := range strings.SplitSeq(rest, "\n") {
		printed, indented := strings.CutPrefix(line, "    ")
		if !indented {
			break
		}
		want = append(want, printed)
	}

	dir, err := os.MkdirTemp(top, ".readme-") // inside the module, so that it finds its imports
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", filepath.Join(dir, "main.go"))
	cmd.Dir = top
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		got = append(got, strings.TrimRight(line, " \n"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-README +printed):\n%s", diff)
	}
}
