package bench

import (
	"fmt"
	"testing"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/engine"
)

// BenchmarkPipeline is the rows of compare, by workload.
func BenchmarkPipeline(b *testing.B) {
	for _, name := range Workloads() {
		bodies, work := someBodies(b, name, brief(workload.DefaultTokens, 10))
		for _, c := range Contestants(bodies) {
			b.Run(name+"/"+c.Name, func(b *testing.B) {
				report(b, work, func() error { return do(c, [2]int{0, len(bodies)}, 1) })
			})
		}
	}
}

// BenchmarkStreamChunks is a Stream on the caller's goroutine, by how its bytes are cut.
func BenchmarkStreamChunks(b *testing.B) {
	body, work := oneBody(b, "mixed", workload.Options{Seed: 1, Tokens: brief(2000, 50)})
	for _, chunk := range chunkSizes {
		b.Run(fmt.Sprintf("chunk=%d", chunk), func(b *testing.B) {
			var d deltas
			report(b, work, func() error {
				s, err := engine.NewStream(&d, engine.StreamOptions{Pool: &d.pool})
				if err != nil {
					return err
				}
				defer s.Release()
				err = pieces(body, chunk, func(p []byte) error { _, err := s.Write(p); return err })
				if err != nil {
					return err
				}
				return s.Close()
			})
		})
	}
}
