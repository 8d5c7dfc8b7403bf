package bench

import (
	"fmt"
	"testing"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/state"
)

// BenchmarkPatch parses a patch and applies it; a patch is an event.
func BenchmarkPatch(b *testing.B) {
	const replace = `[{"op":"replace","path":"/meta/version","value":17}]`
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20} {
		b.Run(fmt.Sprintf("replace/document=%dKiB", size>>10), func(b *testing.B) {
			benchmarkPatches(b, recordsDocument(size), replace)
		})
	}
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("append/items=%d", n), func(b *testing.B) {
			benchmarkPatches(b, arrayDocument(n), `[{"op":"add","path":"/items/-","value":17}]`, fmt.Sprintf(`[{"op":"remove","path":"/items/%d"}]`, n))
		})
	}
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("member/members=%d", n), func(b *testing.B) {
			benchmarkPatches(b, objectDocument(n), fmt.Sprintf(`[{"op":"replace","path":"/member-%d","value":17}]`, n/2))
		})
	}
	b.Run("test+replace+add", func(b *testing.B) {
		benchmarkPatches(b, recordsDocument(1<<10), `[{"op":"test","path":"/meta/title","value":"Plan"},`+
			`{"op":"replace","path":"/meta/version","value":18},{"op":"add","path":"/meta/note","value":"x"}]`)
	})
	b.Run("move+copy", func(b *testing.B) {
		benchmarkPatches(b, recordsDocument(1<<10), `[{"op":"copy","from":"/meta","path":"/spare"},`+
			`{"op":"move","from":"/spare","path":"/other"},{"op":"remove","path":"/other"}]`)
	})
}

// benchmarkPatches applies patches that together leave the document's shape as it was.
func benchmarkPatches(b *testing.B, document string, patches ...string) {
	b.Helper()
	d := state.NewDocument(new(state.Pool))
	if err := d.Set([]byte(document)); err != nil {
		b.Fatal(err)
	}
	work := Work{Events: int64(len(patches))}
	texts := make([][]byte, len(patches))
	for i, text := range patches {
		texts[i] = []byte(text)
		work.Bytes += int64(len(text))
	}
	var p state.Patch
	report(b, work, func() error {
		for _, text := range texts {
			if err := p.Parse(text); err != nil {
				return err
			}
			if err := d.Apply(&p); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkState is the state workload through a Stream, by the size of its document; the snapshots weigh in.
func BenchmarkState(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("document=%dKiB", size>>10), func(b *testing.B) {
			body, work := oneBody(b, "state", workload.Options{Seed: 1, Tokens: brief(500, 20), StateBytes: size})
			var d deltas
			report(b, work, func() error { return d.engine(Body{Bytes: body}, nil) })
		})
	}
}
