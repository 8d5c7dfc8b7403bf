package workload

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/plain"
)

// reading is what the plain pipeline made of a body under the Spec rule set.
type reading struct {
	warnings []string
	errors   []string
	ends     []string // done updates
	failed   bool
	counts   plain.Counts
	stores   string
}

func read(body []byte) reading {
	var r reading
	p := plain.New(plain.Options{
		Spec: true,
		Update: func(u *plain.Update) {
			switch u.Kind {
			case "error":
				r.errors = append(r.errors, string(u.Line()))
			case "done":
				line := u.Line()
				r.ends = append(r.ends, string(line))
				r.failed = r.failed || parseEvent(line).str("end") == "failed"
			}
		},
		Warn: func(w plain.Warning) { r.warnings = append(r.warnings, string(w.Line())) },
	})
	p.Write(body)
	p.Close()
	r.counts = p.Counts()
	r.stores = string(p.Snapshot())
	return r
}

func TestEveryStreamIsValid(t *testing.T) {
	everyBody(t, 3, func(t *testing.T, body []byte) {
		r := read(body)
		for _, line := range append(r.errors, r.warnings...) {
			t.Fatalf("not valid: %s", line)
		}
		runs := 0
		for _, data := range Events(body) {
			if parseEvent(data).typ == "RUN_STARTED" {
				runs++
			}
		}
		if len(r.ends) != runs || r.failed {
			t.Fatalf("ends of %d runs: %q", runs, r.ends)
		}
		if r.counts.Failed+r.counts.Unread != 0 {
			t.Fatalf("counts %+v", r.counts)
		}
	})
}

func TestLongAndLargeStreamsAreValid(t *testing.T) {
	for _, tt := range []struct {
		name, workload string
		options        Options
	}{
		{"large state", "state", Options{StateBytes: 1 << 20, Tokens: 60, Runs: 2}},
		{"smallest state, long", "state", Options{StateBytes: MinStateBytes, Tokens: 2000, Runs: 6}},
		{"mixed, long", "mixed", Options{Tokens: 8000}},
		{"subagents, many runs", "subagents", Options{Tokens: 300, Runs: 15}},
		{"subagents in chunks, many runs", "subagents", Options{Tokens: 300, Runs: 15, Chunks: true}},
		{"tools in chunks, many runs", "tools", Options{Tokens: 300, Runs: 15, Chunks: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := read(mustBody(t, tt.workload, tt.options))
			for _, line := range append(r.errors, r.warnings...) {
				t.Fatalf("not valid: %s", line)
			}
			if got, want := len(r.ends), max(tt.options.Runs, 1); got != want {
				t.Errorf("%d ends of %d runs", got, want)
			}
		})
	}
}

// What a kind must bring about under the Spec rule set, whatever the seed. What is in none of the
// lists depends on what it happens to hit.
var (
	harmless = []string{"escaped-member-name", "spaced-json", "crlf", "cr", "no-space", "bom", "comments", "multi-line-data"}
	warned   = []string{
		"unknown-type", "unknown-property", "null-optional", "patch-missing-path", "patch-unknown-op", "patch-test-fails",
		"unknown-outcome", "foreign-terminal-ids",
	}
	fatal = []string{
		"drop-start", "drop-end", "wrong-owner", "chunk-without-id", "wrong-type-field", "missing-field", "null-required", "case-wrong-member",
		"bad-json", "empty-data", "not-object", "patch-malformed", "event-after-finish", "second-run-started", "late-run-error", "drop-terminal",
	}
)

func TestMutationsHaveTheirVerdict(t *testing.T) {
	bodies := [][]byte{
		mustBody(t, "mixed", Options{Seed: 3, Runs: 2, Tokens: 60}),
		mustBody(t, "subagents", Options{Seed: 1, Runs: 2, Tokens: 60}),
		mustBody(t, "tools", Options{Seed: 2, Runs: 2, Tokens: 60}),
	}
	for _, kind := range Mutations() {
		t.Run(kind, func(t *testing.T) {
			for _, body := range bodies {
				before := read(body)
				for seed := range uint64(6) {
					broken := Mutate(kind, body, seed)
					after := read(broken)
					noticed := len(after.errors) + len(after.warnings)
					switch {
					case slices.Contains(harmless, kind):
						if noticed > 0 {
							t.Fatalf("seed %d: noticed: %q", seed, append(after.errors, after.warnings...))
						}
						if diff := cmp.Diff(before.stores, after.stores); diff != "" {
							t.Fatalf("seed %d: stores (-before +after):\n%s", seed, diff)
						}
					case slices.Contains(warned, kind):
						if noticed == 0 || after.failed {
							t.Errorf("seed %d: errors %q, warnings %q", seed, after.errors, after.warnings)
						}
					case slices.Contains(fatal, kind):
						if len(after.errors) == 0 {
							t.Errorf("seed %d: no error; warnings %q", seed, after.warnings)
						}
					}
				}
			}
		})
	}
}
