package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/aguistream/aguistream/bench"
)

const aboutRun = `
Runs thousands of AG-UI streams at once through the sharded engine, in this process, and prints what that gave: from
the recorded streams that are built in, from FILEs (event streams, events as JSON, conformance files; - is standard
input), or from a seeded generator. An interrupt (Ctrl-C) ends it with the summary so far.

Exit status: 0 whatever the runs did; 1 when a file could not be opened, read or written, when counts did not balance,
or when --check found stores that differ; 2 for wrong usage.`

// most bounds counts that are kept in memory.
const mostRuns = 1_000_000

type runFlags struct {
	bench.RunOptions
	workload, rules string
	seed            uint64
	tokens          int
	json            string
	hist, quiet     bool
	profiles        profiles
}

func run(c *invocation) error {
	f, operands, err := parseRun(c)
	if err != nil {
		return err
	}
	if f.Bodies, err = c.bodies(f, operands); err != nil {
		return err
	}
	if f.Workload = f.workload; len(operands) > 0 {
		f.Workload = strings.Join(operands, ", ")
	}
	if !f.quiet && isTerminal(c.err) {
		f.Live = c.err
	}
	out, err := c.create(f.json)
	if err != nil {
		return err
	}
	stop, err := f.profiles.start()
	if err != nil {
		return err
	}
	ctx, release := interruptible()
	result, err := bench.Run(ctx, f.RunOptions)
	release()
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	return c.report(f, result, out)
}

func parseRun(c *invocation) (*runFlags, []string, error) {
	f := new(runFlags)
	flags := c.flagSet(aboutRun)
	flags.IntVar(&f.Runs, "runs", bench.DefaultRuns, "keep `N` runs in flight at once (default 2000)")
	flags.Int64Var(&f.Total, "total", 0, "stop after `N` runs")
	flags.DurationVar(&f.Duration, "duration", 0, "start no more runs after `D` (default 10s, unless --total is given)")
	flags.IntVar(&f.Shards, "shards", 0, "`N` workers (default: one per available CPU)")
	flags.StringVar(&f.workload, "workload", bench.CapturesWorkload, "bodies to feed, by `NAME`: "+strings.Join(bench.Workloads(), ", ")+" (default captures)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed `N` of a generated workload (default 1)")
	flags.IntVar(&f.tokens, "tokens", 0, "about `N` content events a generated run (default 200)")
	flags.IntVar(&f.Chunk, "chunk", 0, "`N` bytes a write (default: about one event, as an HTTP body would come)")
	flags.StringVar(&f.rules, "rules", "loud", "rule `SET`: loud or spec (default loud)")
	flags.Float64Var(&f.Rate, "rate", 0, "start `N` runs a second, by spacing the writes of all that are in flight (0: as fast as it goes)")
	flags.BoolVar(&f.Check, "check", false, "compare every run's stores with those of the plain reference pipeline")
	flags.StringVar(&f.json, "json", "", "also write the result as JSON to `FILE` (-: to standard output, and nothing else there)")
	flags.BoolVar(&f.hist, "hist", false, "also print the latency histogram")
	flags.BoolVar(&f.quiet, "quiet", false, "no live line")
	f.profiles.flags(flags)
	operands, err := c.parse()
	if err != nil {
		return nil, nil, err
	}
	if f.RunOptions.Rules, err = parseRules(f.rules); err != nil {
		return nil, nil, err
	}
	err = f.judge(c, operands)
	return f, operands, err
}

// judge finds flags that make no sense.
func (f *runFlags) judge(c *invocation, operands []string) error {
	switch {
	case f.Runs < 1 || f.Runs > mostRuns:
		return misuse("--runs: %d is out of 1..%d", f.Runs, mostRuns)
	case c.given("total") && f.Total < 1:
		return misuse("--total: %d is less than 1", f.Total)
	case c.given("duration") && f.Duration <= 0:
		return misuse("--duration: %v is no time", f.Duration)
	case f.Shards < 0 || c.given("shards") && f.Shards == 0 || f.Shards > 1<<12:
		return misuse("--shards: %d is out of 1..%d", f.Shards, 1<<12)
	case f.Chunk < 0 || f.Chunk > maxChunk:
		return misuse("--chunk: %d is out of 0..%d", f.Chunk, maxChunk)
	case f.Rate < 0 || math.IsNaN(f.Rate) || math.IsInf(f.Rate, 0):
		return misuse("--rate: %v is no rate", f.Rate)
	case !slices.Contains(bench.Workloads(), f.workload):
		return misuse("--workload: %q is none of %s", f.workload, strings.Join(bench.Workloads(), ", "))
	case len(operands) > 0 && c.given("workload"):
		return misuse("takes --workload or FILEs, not both")
	case f.tokens < 0:
		return misuse("--tokens: %d is less than 0", f.tokens)
	}
	return nil
}

// bodies are those of the files, or of the workload.
func (c *invocation) bodies(f *runFlags, files []string) ([]bench.Body, error) {
	if len(files) == 0 {
		bodies, err := bench.WorkloadBodies(f.workload, f.seed, f.tokens)
		if err != nil {
			return nil, usageError{err}
		}
		return bodies, nil
	}
	var bodies []bench.Body
	for _, name := range files {
		b, err := c.body(name)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, b)
	}
	return bodies, nil
}

func (c *invocation) body(name string) (bench.Body, error) {
	file, err := c.open(name)
	if err != nil {
		return bench.Body{}, err
	}
	defer file.Close()
	return bench.ReadBody(nameOf(name), file)
}

// create opens the file for the JSON result before the run, so that a wrong name costs no time. It is nil for none.
func (c *invocation) create(name string) (io.WriteCloser, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return nopCloser{c.out}, nil
	}
	return os.Create(name)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// report prints the result. The summary makes way when standard output is for JSON alone.
func (c *invocation) report(f *runFlags, r *bench.Result, out io.WriteCloser) error {
	text := c.out
	if f.json == "-" {
		text = c.err
	}
	err := r.WriteSummary(text)
	if f.hist {
		err = errors.Join(err, r.WriteHistogram(text))
	}
	if out != nil {
		err = errors.Join(err, r.WriteJSON(out), out.Close())
	}
	switch {
	case err != nil:
		return err
	case !r.Balanced:
		return fmt.Errorf("the counts of %d streams do not balance", r.Unbalanced)
	case r.Mismatches > 0:
		return fmt.Errorf("%d of %d stores differ from the plain pipeline's", r.Mismatches, r.Checked)
	}
	return nil
}

// interruptible is a context that the first interrupt ends; the second one ends the process as usual.
func interruptible() (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// isTerminal tells whether somebody looks at w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
