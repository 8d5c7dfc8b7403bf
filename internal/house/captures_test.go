package house_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/testdata/captures"
)

// Patterns such as ./... pass over a folder called testdata, so the captures
// are tested from here.
const capturesFolder = "../../testdata/captures"

func TestCaptureNamesAreTheFolders(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(capturesFolder, "*.sse"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, path := range paths {
		want = append(want, strings.TrimSuffix(filepath.Base(path), ".sse"))
	}
	slices.Sort(want)
	if len(want) == 0 {
		t.Fatal("the folder holds no capture")
	}
	if diff := cmp.Diff(want, captures.Names()); diff != "" {
		t.Errorf("names (-folder +embedded):\n%s", diff)
	}
}

func TestEveryCaptureIsWhole(t *testing.T) {
	for _, name := range captures.Names() {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(capturesFolder, name+".sse"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(body, captures.Body(name)) {
				t.Error("the embedded body is not the file's")
			}
			if !bytes.Contains(body, []byte("data:")) {
				t.Error("the body has no data line")
			}
			var reference struct {
				Outcome    string   `json:"outcome"`
				EventTypes []string `json:"eventTypes"`
			}
			if err := json.Unmarshal(captures.Reference(name), &reference); err != nil {
				t.Fatalf("reference: %v", err)
			}
			if reference.Outcome == "" {
				t.Error("the reference names no outcome")
			}
			if len(reference.EventTypes) == 0 {
				t.Error("the reference delivered no event")
			}
		})
	}
}

func TestCaptureBodyIsTheCallersOwn(t *testing.T) {
	name := captures.Names()[0]
	first := captures.Body(name)
	clear(first)
	if bytes.Equal(first, captures.Body(name)) {
		t.Error("writing into a body changed the next one")
	}
}

func TestAbsentCaptureIsNil(t *testing.T) {
	if got := captures.Body("no-such-capture"); got != nil {
		t.Errorf("Body = %q, want nil", got)
	}
	if got := captures.Reference("no-such-capture"); got != nil {
		t.Errorf("Reference = %q, want nil", got)
	}
}
