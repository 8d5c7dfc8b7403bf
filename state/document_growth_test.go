//go:build !race

package state

import (
	"fmt"
	"testing"
	"time"
)

// Each round is long enough for the clock; the best of several rounds leaves
// out what else the machine did.
func quickest(t *testing.T, l *patchLoop) time.Duration {
	const ops = 2000
	best := time.Duration(1 << 62)
	for range 12 {
		start := time.Now()
		for range ops {
			l.once(t)
		}
		best = min(best, time.Since(start))
	}
	return best
}

// A delta costs what it touches: at most twice as much on a large document as
// on a small one, caches included.
func TestPatchGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for _, c := range []struct {
		name         string
		small, large string
		patches      func(doc string) []string
	}{
		{
			"a member of a large state", wideJSON(1 << 10), wideJSON(1 << 20),
			func(string) []string { return []string{`[{"op":"replace","path":"/step","value":17}]`} },
		},
		{
			"the end of a long array", arrayJSON(10), arrayJSON(100_000),
			func(doc string) []string {
				items := 10
				if len(doc) > 1000 {
					items = 100_000
				}
				return []string{`[{"op":"add","path":"/items/-","value":17}]`, fmt.Sprintf(`[{"op":"remove","path":"/items/%d"}]`, items)}
			},
		},
		{
			"both ends of a long array", arrayJSON(10), arrayJSON(100_000),
			func(string) []string {
				return []string{`[{"op":"add","path":"/items/-","value":17}]`, `[{"op":"remove","path":"/items/0"}]`}
			},
		},
		{
			"a member of a wide object", objectJSON(10), objectJSON(10_000),
			func(string) []string { return []string{`[{"op":"replace","path":"/member-7","value":17}]`} },
		},
		{
			"a member more in a wide object", objectJSON(10), objectJSON(10_000),
			func(string) []string {
				return []string{`[{"op":"add","path":"/new","value":17}]`, `[{"op":"remove","path":"/new"}]`}
			},
		},
		{
			"a member that leaves the middle and comes back", objectJSON(10), objectJSON(10_000),
			func(string) []string {
				return []string{`[{"op":"remove","path":"/member-5"}]`, `[{"op":"add","path":"/member-5","value":17}]`}
			},
		},
		{
			"a failing patch", objectJSON(10), objectJSON(10_000),
			func(string) []string {
				return []string{`[{"op":"remove","path":"/member-5"},{"op":"add","path":"/x","value":[1]},{"op":"test","path":"/x","value":[1]},{"op":"move","from":"/x","path":"/member-5"},{"op":"replace","path":"/member-5","value":5}]`}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			const most = 2.0
			ratio := 0.0
			for range 5 {
				small := newPatchLoop(t, c.small, c.patches(c.small)...)
				large := newPatchLoop(t, c.large, c.patches(c.large)...)
				few, many := quickest(t, &small), quickest(t, &large)
				ratio = float64(many) / float64(few)
				if ratio <= most {
					t.Logf("ratio %.2f", ratio)
					return
				}
			}
			t.Errorf("%.2f times the cost on the large document, want at most %.1f", ratio, most)
		})
	}
}

func TestPatchAllocations(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		patches   []string
	}{
		{"scalars", wideJSON(1 << 10), []string{`[{"op":"replace","path":"/step","value":17}]`, `[{"op":"replace","path":"/status","value":"a text longer than the one before"}]`}},
		{"trees", wideJSON(1 << 10), []string{`[{"op":"add","path":"/records/-","value":{"id":"x","tags":["a","b"],"n":{"m":1.5}}},{"op":"remove","path":"/records/0"}]`}},
		{"a queue", arrayJSON(1000), []string{`[{"op":"add","path":"/items/-","value":17},{"op":"remove","path":"/items/0"}]`}},
		{"members that come and go", objectJSON(1000), []string{`[{"op":"add","path":"/new","value":17}]`, `[{"op":"remove","path":"/new"}]`, `[{"op":"remove","path":"/member-5"}]`, `[{"op":"add","path":"/member-5","value":5}]`}},
		{"moves and copies", `{"a":{"b":[1,2,3]},"c":{}}`, []string{`[{"op":"copy","from":"/a","path":"/c/a"},{"op":"move","from":"/c/a","path":"/d"},{"op":"test","path":"/d","value":{"b":[1.0,2,3]}},{"op":"remove","path":"/d"}]`}},
		{"escaped names", `{"a/b":{"~":1}}`, []string{`[{"op":"replace","path":"/a~1b/~0","value":"\u00e9\n"}]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newPatchLoop(t, c.doc)
			var p Patch
			var out []byte
			var texts [][]byte
			for _, text := range c.patches {
				texts = append(texts, []byte(text))
			}
			delta := func() {
				for _, text := range texts {
					if err := p.Parse(text); err != nil {
						t.Fatal(err)
					}
					if err := l.d.Apply(&p); err != nil {
						t.Fatal(err)
					}
				}
				out = l.d.AppendJSON(out[:0])
			}
			for range 5000 {
				delta()
			}
			if got := testing.AllocsPerRun(2000, delta); got != 0 {
				t.Errorf("%v allocations a round, want 0", got)
			}
		})
	}
}

func TestDocumentAllocations(t *testing.T) {
	text := []byte(wideJSON(8 << 10))
	d := NewDocument(new(Pool))
	var out []byte
	round := func() {
		if err := d.Set(text); err != nil {
			t.Fatal(err)
		}
		out = d.AppendJSON(out[:0])
		if _, ok := d.Lookup("/records/3/title"); !ok {
			t.Fatal("lost")
		}
		for range d.Root().Members() {
		}
		d.Reset()
	}
	round()
	if got := testing.AllocsPerRun(200, round); got != 0 {
		t.Errorf("%v allocations a round, want 0", got)
	}
}
