package engine_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before they are committed")

const golden = "../testdata/golden"

// Each capture gives the updates, warnings and stores in its golden file, however the bytes are cut.
func TestGoldenBodies(t *testing.T) {
	for _, name := range captures.Names() {
		t.Run(name, func(t *testing.T) {
			body := captures.Body(name)
			got := goldenText(t, body, whole)
			path := filepath.Join(golden, name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			for _, cut := range []struct {
				name string
				cuts func(int) int
			}{{"byte by byte", bytewise}, {"random", randomCuts(3)}, {"other random", randomCuts(4)}} {
				if diff := cmp.Diff(got, goldenText(t, body, cut.cuts)); diff != "" {
					t.Errorf("%s (-whole +cut):\n%s", cut.name, diff)
				}
			}
			if raceDetector || testing.Short() {
				return
			}
			for _, at := range cutPoints(len(body)) {
				n := 0
				twoPieces := func(left int) int {
					if n++; n == 1 {
						return at
					}
					return left
				}
				if got != goldenText(t, body, twoPieces) {
					t.Fatalf("cut at byte %d gives other lines", at)
				}
			}
		})
	}
}

// cutPoints are the places to cut a body in two: all of a small one, else some.
func cutPoints(n int) []int {
	step := 1
	if n > 16<<10 {
		step = n/199 | 1
	}
	var points []int
	for at := 1; at < n; at += step {
		points = append(points, at)
	}
	return points
}

func goldenText(t *testing.T, body []byte, cuts func(int) int) string {
	t.Helper()
	var b bytes.Buffer
	out := feed(t, body, engine.StreamOptions{AdoptInput: true}, cuts)
	for _, l := range out.Lines {
		b.WriteString(l + "\n")
	}
	b.WriteString("\n")
	for _, l := range out.Stores {
		b.WriteString(l + "\n")
	}
	return b.String()
}
