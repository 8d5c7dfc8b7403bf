package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/testdata/captures"
)

// FuzzPipeline holds the engine to the plain pipeline on any bytes, in any chunking: it must not panic, and both must
// tell the same.
func FuzzPipeline(f *testing.F) {
	for i, name := range captures.Names() {
		if body := captures.Body(name); len(body) < 8<<10 {
			f.Add(body, uint64(i), uint8(i))
		}
	}
	for i, kind := range workload.Mutations() {
		body, err := workload.Body("mixed", workload.Options{Seed: uint64(i), Tokens: 6, Runs: 2, StateBytes: workload.MinStateBytes})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(workload.Mutate(kind, body, uint64(i)), uint64(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, cuts uint64, how uint8) {
		w := manners[int(how)%len(manners)]
		if diff := disagreement(t, body, w, randomCuts(cuts)); diff != "" {
			t.Errorf("%v (-plain +engine):\n%s", w, diff)
		}
	})
}
