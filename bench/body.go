package bench

import (
	"fmt"
	"io"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/testdata/captures"
)

// Body is one recorded or generated event stream.
type Body struct {
	Name  string
	Bytes []byte
	Input *Input // its seeds, if it has any
}

// ReadBody reads a source, of whatever kind its content tells.
func ReadBody(name string, r io.Reader) (Body, error) {
	in, err := OpenInput(r, AutoInput)
	if err != nil {
		return Body{}, fmt.Errorf("%s: %w", name, err)
	}
	text, err := io.ReadAll(in.Body)
	if err != nil {
		return Body{}, fmt.Errorf("%s: %w", name, err)
	}
	return Body{Name: name, Bytes: text, Input: in}, nil
}

// CapturesWorkload is the name under which the recorded bodies go.
const CapturesWorkload = "captures"

// Workloads lists the names that WorkloadBodies knows.
func Workloads() []string { return append([]string{CapturesWorkload}, workload.Names()...) }

// Bounds of a generated set: many unlike streams, as far as memory goes.
const (
	bodiesOfWorkload = 64
	bytesOfWorkload  = 64 << 20
)

// WorkloadBodies gives the bodies of a workload, one run each: the captures as they are, or streams generated from
// seed and the seeds that follow it, with about the given number of tokens (0: the workload's default).
func WorkloadBodies(name string, seed uint64, tokens int) ([]Body, error) {
	var bodies []Body
	if name == CapturesWorkload {
		for _, n := range captures.Names() {
			bodies = append(bodies, Body{Name: n, Bytes: captures.Body(n)})
		}
		return bodies, nil
	}
	total := 0
	for i := range uint64(bodiesOfWorkload) {
		text, err := workload.Body(name, workload.Options{Seed: seed + i, Tokens: tokens})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, Body{Name: fmt.Sprintf("%s, seed %d", name, seed+i), Bytes: text})
		if total += len(text); total > bytesOfWorkload {
			break
		}
	}
	return bodies, nil
}
