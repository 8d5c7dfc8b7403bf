package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/aguistream/aguistream/bench/load"
)

const aboutLoad = `
Puts an AG-UI agent at URL under load and measures it: runs arrive at a rate, whatever the server does, or a fixed number
is kept in flight. Each answer is read through the engine. Latency counts from the time that a run was meant to start.
An interrupt (Ctrl-C) ends it with the summary so far; 'aguibench report' draws what --json wrote.

--slo takes goals with commas between, 'p99<200ms,errors<0.1%': p50, p90, p99, p99.9, max or mean of the time to the
first event, or with firstToken., gap., run. or service. in front of another; errors as a share of the runs or a count;
events/s and runs/s.

Exit status: 0; 1 when a goal of --slo was missed, when the server gave no event at all, or when the result could not be
written; 2 for wrong usage.`

type loadFlags struct {
	load.Options
	rules, slo, json string
	ramp, drain      time.Duration
	quiet            bool
	goals            load.SLO
	profiles         profiles
}

func loadAgent(c *invocation) error {
	f, err := parseLoad(c)
	if err != nil {
		return err
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
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release) // the next one ends the process as usual
	result, err := load.Run(ctx, f.Options)
	release()
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	return c.reportLoad(f, result, out)
}

func (c *invocation) reportLoad(f *loadFlags, r *load.Result, out io.WriteCloser) error {
	met := true
	if f.goals != nil {
		r.SLO, met = f.goals.Judge(r)
	}
	text := c.out
	if f.json == "-" {
		text = c.err
	}
	err := r.WriteSummary(text)
	if out != nil {
		err = errors.Join(err, r.WriteJSON(out), out.Close())
	}
	switch {
	case err != nil:
		return err
	case !met:
		return errors.New("missed: " + strings.Join(missed(r.SLO), "; "))
	case r.Events == 0:
		return fmt.Errorf("%s: %w", r.URL, load.ErrNoAnswer)
	}
	return nil
}

func missed(verdicts []load.Verdict) []string {
	var list []string
	for _, v := range verdicts {
		if !v.Met {
			list = append(list, v.Goal+" ("+v.Got+")")
		}
	}
	return list
}

func parseLoad(c *invocation) (*loadFlags, error) {
	f := new(loadFlags)
	flags := c.flagSet(aboutLoad)
	flags.Float64Var(&f.Rate, "rate", 0, "begin `N` runs a second, whatever the server does")
	flags.IntVar(&f.Runs, "runs", 0, "keep `N` runs in flight (default 100); with --rate, the most that may be (default 10000)")
	flags.DurationVar(&f.Duration, "duration", load.DefaultDuration, "begin runs for `D` (default 10s)")
	flags.DurationVar(&f.ramp, "ramp", 0, "take `D` of that to grow to the full rate or number (default 0; for runs in flight 1ms each, at most a tenth of the duration)")
	flags.DurationVar(&f.drain, "drain", load.DefaultDrain, "let runs in flight at the end go on for `D` (default 10s)")
	flags.StringVar(&f.Message, "message", load.DefaultMessage, "what the user says, `TEXT` (default Hello)")
	flags.StringVar(&f.rules, "rules", "loud", "rule `SET`: loud or spec (default loud)")
	flags.DurationVar(&f.Limits.Header, "header-limit", 0, "wait `D` for an answer's header (default 1m)")
	flags.DurationVar(&f.Limits.Idle, "idle-limit", 0, "put up with `D` of silence (default 5m)")
	flags.StringVar(&f.slo, "slo", "", "hold the server to `GOALS`, as above; sets the exit status")
	flags.StringVar(&f.json, "json", "", "also write the result as JSON to `FILE` (-: to standard output, and nothing else there)")
	flags.BoolVar(&f.quiet, "quiet", false, "no live line")
	f.profiles.flags(flags)
	operands, err := c.parse()
	if err != nil {
		return nil, err
	}
	if len(operands) != 1 {
		return nil, misuse("takes one URL")
	}
	f.URL = operands[0]
	return f, f.judge(c)
}

func (f *loadFlags) judge(c *invocation) (err error) {
	if f.Options.Rules, err = parseRules(f.rules); err != nil {
		return err
	}
	if f.slo != "" {
		if f.goals, err = load.ParseSLO(f.slo); err != nil {
			return misuse("--slo: %v", err)
		}
	}
	switch {
	case c.given("rate") && f.Rate == 0:
		return misuse("--rate: 0 is no rate")
	case c.given("runs") && f.Runs == 0:
		return misuse("--runs: 0 is less than 1")
	case f.Duration <= 0:
		return misuse("--duration: %v is no time", f.Duration)
	case f.ramp < 0 || f.drain < 0 || f.Limits.Header < 0 || f.Limits.Idle < 0:
		return misuse("a time is less than 0")
	}
	f.Ramp, f.Drain = f.ramp, f.drain
	if c.given("ramp") && f.ramp == 0 {
		f.Ramp = -1
	}
	if f.drain == 0 {
		f.Drain = -1
	}
	if err := f.Options.Check(); err != nil {
		return usageError{err}
	}
	return nil
}
