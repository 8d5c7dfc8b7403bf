package plain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/workload"
)

// TestChunkingChangesNothing feeds valid and broken streams whole, byte by byte
// and in random pieces: the same lines, the same stores, the same counts.
func TestChunkingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	every := map[string]Options{
		"loud":    {},
		"spec":    {Spec: true, AdoptInput: true},
		"off":     {NoVerify: true},
		"session": {StopAtDone: true},
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for _, name := range workload.Names() {
		for seed := range seeds {
			valid, err := workload.Body(name, workload.Options{Seed: seed, Tokens: 5, Runs: 1 + int(seed), Chunks: seed == 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range append([]string{""}, workload.Mutations()...) {
				text := workload.Mutate(kind, valid, seed)
				if len(text) > 16<<10 {
					continue
				}
				for rules, opts := range every {
					t.Run(fmt.Sprintf("%s/%d/%s/%s", name, seed, kind, rules), func(t *testing.T) {
						whole := record(t, opts, text, 0)
						var cuts []int
						for range 20 {
							cuts = append(cuts, random.IntN(len(text)+1))
						}
						slices.Sort(cuts)
						for _, r := range []*recording{record(t, opts, text, 1), recordCuts(t, opts, text, cuts)} {
							if diff := cmp.Diff(whole.lines, r.lines); diff != "" {
								t.Errorf("lines (-whole +pieces):\n%s", diff)
							}
							if diff := cmp.Diff(whole.counts, r.counts); diff != "" {
								t.Errorf("counts (-whole +pieces):\n%s", diff)
							}
						}
						if kind == "" && rules != "session" {
							if len(whole.counts.Errors) > 0 || len(whole.warnings) > 0 {
								t.Errorf("a valid stream gives errors %v, warnings %v", whole.counts.Errors, whole.warnings)
							}
						}
					})
				}
			}
		}
	}
}

// FuzzPipeline looks for panics, for lines that are no JSON and for counts that
// don't balance, whatever comes in whatever pieces.
func FuzzPipeline(f *testing.F) {
	f.Add(inRun(textStart("m"), textDelta("m", `\ud83d`), textEnd("m")), uint8(3), uint8(0))
	f.Add(inRun(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/-","value":1}]}`, snapshotOf(`[]`)), uint8(1), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, chunk, bits uint8) {
		opts := Options{Spec: bits&1 > 0, NoVerify: bits&2 > 0, AdoptInput: bits&4 > 0, StopAtDone: bits&8 > 0}
		whole := record(t, opts, text, 0)
		if diff := cmp.Diff(whole.lines, record(t, opts, text, int(chunk)).lines); diff != "" {
			t.Errorf("lines (-whole +chunks of %d):\n%s", chunk, diff)
		}
	})
}
