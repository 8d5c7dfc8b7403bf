package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aguistream/aguistream/bench"
)

const aboutCompare = `
Takes the same bytes apart in four ways by turns, in this process and on one goroutine, 64 KiB at a time and without
mailboxes: floor only splits them into lines; unmarshal decodes each frame once into one struct by encoding/json, and
does nothing else; plain is the plain reference pipeline; engine is a Stream with everything. The handlers of the last
two read every delta, and their stores are compared. A generated workload is a dozen streams of consecutive seeds.
Turns are short and ratios are medians over many, so that a busy machine does little to them.

Exit status: 0; 1 when a file could not be written or the stores differ; 2 for wrong usage.`

type compareFlags struct {
	bench.CompareOptions
	seed   uint64
	tokens int
	json   string
	profiles
}

func compare(c *invocation) error {
	f, err := parseCompare(c)
	if err != nil {
		return err
	}
	if f.Bodies, err = bench.CompareBodies(f.Workload, f.seed, f.tokens); err != nil {
		return usageError{err}
	}
	out, err := c.create(f.json)
	if err != nil {
		return err
	}
	stop, err := f.start()
	if err != nil {
		return err
	}
	ctx, release := interruptible()
	result, err := bench.Compare(ctx, f.CompareOptions)
	release()
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	return c.reportComparison(f.json, result, out)
}

func parseCompare(c *invocation) (*compareFlags, error) {
	f := new(compareFlags)
	flags := c.flagSet(aboutCompare)
	flags.StringVar(&f.Workload, "workload", "mixed", "bodies to compare on, by `NAME`: "+strings.Join(bench.Workloads(), ", ")+" (default mixed)")
	flags.IntVar(&f.tokens, "tokens", 0, "about `N` content events a generated run (default 200)")
	flags.Uint64Var(&f.seed, "seed", 1, "first seed `N` of a generated workload (default 1)")
	flags.DurationVar(&f.For, "for", bench.DefaultAlternation, "time all rows together for `D` (default 10s)")
	flags.StringVar(&f.json, "json", "", "also write the result as JSON to `FILE` (-: to standard output, and nothing else there)")
	f.flags(flags)
	operands, err := c.parse()
	switch {
	case err != nil:
		return nil, err
	case len(operands) > 0:
		return nil, misuse("takes no operand, but got %q", operands[0])
	case !slices.Contains(bench.Workloads(), f.Workload):
		return nil, misuse("--workload: %q is none of %s", f.Workload, strings.Join(bench.Workloads(), ", "))
	case f.tokens < 0:
		return nil, misuse("--tokens: %d is less than 0", f.tokens)
	case f.For < time.Millisecond:
		return nil, misuse("--for: %v is less than 1ms", f.For)
	}
	return f, nil
}

func (c *invocation) reportComparison(name string, r *bench.Comparison, out io.WriteCloser) error {
	text := c.out
	if name == "-" {
		text = c.err
	}
	err := r.WriteTable(text)
	if out != nil {
		err = errors.Join(err, r.WriteJSON(out), out.Close())
	}
	if err == nil && !r.Equal {
		err = errors.New("the stores of plain and engine differ")
	}
	return err
}
