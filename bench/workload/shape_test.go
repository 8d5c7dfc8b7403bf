package workload

import (
	"bytes"
	"encoding/json"
	"testing"
)

// shape is what a body looks like from outside.
type shape struct {
	events, bytes, long int // long: frames over 200 bytes
	types               map[string]int
}

func measure(t testing.TB, bodies ...[]byte) shape {
	t.Helper()
	sh := shape{types: map[string]int{}}
	for _, body := range bodies {
		sh.bytes += len(body)
		for _, ev := range Events(body) {
			var head struct{ Type string }
			if err := json.Unmarshal(ev, &head); err != nil {
				t.Fatalf("%v in %s", err, ev)
			}
			sh.events++
			sh.types[head.Type]++
			if len("data: \n\n")+len(ev) > 200 {
				sh.long++
			}
		}
	}
	return sh
}

func mustBody(t testing.TB, name string, o Options) []byte {
	t.Helper()
	body, err := Body(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func (sh shape) share(prefix string) float64 {
	n := 0
	for typ, count := range sh.types {
		if bytes.HasPrefix([]byte(typ), []byte(prefix)) {
			n += count
		}
	}
	return 100 * float64(n) / float64(sh.events)
}

func TestMixedShape(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options Options
		least   float64 // bytes an event; chunks leave ids out
	}{
		{"short runs", Options{}, 95},
		{"long run", Options{Tokens: 5000}, 95},
		{"several runs", Options{Runs: 4}, 95},
		{"chunks", Options{Chunks: true}, 75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var bodies [][]byte
			for seed := range uint64(60) {
				tt.options.Seed = seed
				bodies = append(bodies, mustBody(t, "mixed", tt.options))
			}
			sh := measure(t, bodies...)
			within(t, "bytes an event", float64(sh.bytes)/float64(sh.events), tt.least, 105)
			within(t, "% over 200 bytes", 100*float64(sh.long)/float64(sh.events), 0, 3)
			within(t, "% text", sh.share("TEXT_"), 83, 87)
			within(t, "% state", sh.share("STATE_"), 4, 6)
			within(t, "% tools", sh.share("TOOL_"), 2, 6)
			within(t, "% reasoning", sh.share("REASONING_"), 2, 6)
			within(t, "% subagents", sh.share("SUBAGENT_"), 0.3, 3)
		})
	}
}

func TestMixedShapeOfEachSeed(t *testing.T) {
	for seed := range uint64(30) {
		sh := measure(t, mustBody(t, "mixed", Options{Seed: seed, Runs: 4}))
		within(t, "bytes an event", float64(sh.bytes)/float64(sh.events), 93, 107)
		within(t, "% over 200 bytes", 100*float64(sh.long)/float64(sh.events), 0, 3)
		within(t, "% text", sh.share("TEXT_"), 80, 90)
		within(t, "% state", sh.share("STATE_"), 4, 6)
	}
}

func within(t *testing.T, what string, got, lo, hi float64) {
	t.Helper()
	t.Logf("%s: %.2f", what, got)
	if got < lo || got > hi {
		t.Errorf("%s: got %.2f, want %.2f..%.2f", what, got, lo, hi)
	}
}
