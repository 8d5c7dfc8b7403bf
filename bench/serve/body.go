package serve

import (
	"fmt"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/bench/workload"
)

// Body is what the agent has to say: one run, and those that continue it when it ended in an interrupt.
type Body struct {
	Name string
	Runs [][]byte
}

// Recorded makes Bodies of recorded ones.
func Recorded(bodies []bench.Body) []Body {
	var list []Body
	for _, b := range bodies {
		list = append(list, Body{b.Name, [][]byte{b.Bytes}})
	}
	return list
}

// Bounds of a generated set: many unlike threads, as far as memory goes.
const (
	generatedBodies = 64
	generatedBytes  = 64 << 20
	generatedRuns   = 8 // of one thread, at most
)

// Generated gives the bodies of a workload, or the captures under bench.CapturesWorkload: threads from seed and the
// seeds that follow it, with about the given number of tokens a run (0: the workload's default). A thread goes on as
// long as its runs end in interrupts.
func Generated(name string, seed uint64, tokens int) ([]Body, error) {
	if name == bench.CapturesWorkload {
		bodies, err := bench.WorkloadBodies(name, seed, tokens)
		return Recorded(bodies), err
	}
	var list []Body
	for i, total := uint64(0), 0; i < generatedBodies && total < generatedBytes; i++ {
		g, err := workload.New(name, workload.Options{Seed: seed + i, Tokens: tokens})
		if err != nil {
			return nil, err
		}
		b := Body{Name: fmt.Sprintf("%s-%d", name, seed+i)}
		for len(b.Runs) < generatedRuns {
			run := g.Next(nil)
			b.Runs = append(b.Runs, run)
			total += len(run)
			if len(newScript("", run).asked) == 0 {
				break
			}
		}
		list = append(list, b)
	}
	return list, nil
}
