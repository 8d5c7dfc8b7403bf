package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/bench/serve"
)

const aboutServe = `
Is an AG-UI agent over HTTP, for tests and load: it answers each POST of a RunAgentInput with a recorded run (those that
are built in, or FILEs) or a generated one, in turn, as an event stream with the request's threadId and runId. A path
names one body: POST /cpk-text, say. A request with resume entries gets what continues the run that asked. GET /healthz
says how it is. Its first line is "listening on http://HOST:PORT/".

SIGTERM or Ctrl-C closes it: no more requests are taken, live runs may go on for --drain, those that are left then end in
a RUN_ERROR. A second signal ends it at once.

Faults (--fail): refuse (503), cut (the connection ends in the midst of a frame), stall (no byte comes any more), error
(RUN_ERROR), garbage (a frame that is no JSON), slow-header (the header comes after --fail-delay).

Exit status: 0; 1 when a file could not be read or the address not be had; 2 for wrong usage.`

type serveFlags struct {
	serve.Options
	listen, workload, fault, share string
	seed                           uint64
	tokens                         int
	drain                          time.Duration
	quiet                          bool
}

func serveAgent(c *invocation) error {
	f, files, err := parseServe(c)
	if err != nil {
		return err
	}
	if f.Bodies, err = c.serveBodies(f, files); err != nil {
		return err
	}
	agent, err := serve.New(f.Options)
	if err != nil {
		return err
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	server, err := serve.Listen(ctx, f.listen, agent)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(c.out, "listening on "+server.URL()); err != nil {
		return err
	}
	select {
	case <-server.Done():
	case <-ctx.Done():
	}
	release() // the next signal is the last
	if live := agent.Stats().Live; !f.quiet && live > 0 {
		fmt.Fprintf(c.err, "closing: %d live runs have %v\n", live, f.drain)
	}
	stopped, err := server.Close(f.drain)
	if !f.quiet {
		s := agent.Stats()
		fmt.Fprintf(c.err, "%d runs: %d whole, %d made to fail, %d left by their clients, %d given up as too slow, %d stopped; %d events, %d requests rejected\n",
			s.Runs, s.Done, s.Faults, s.Left, s.Slow, stopped, s.Events, s.Rejected)
	}
	return err
}

func parseServe(c *invocation) (*serveFlags, []string, error) {
	f := new(serveFlags)
	flags := c.flagSet(aboutServe)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "listen at `ADDR` (default 127.0.0.1:0, any free port)")
	flags.StringVar(&f.workload, "workload", bench.CapturesWorkload, "runs to answer with, by `NAME`: "+strings.Join(bench.Workloads(), ", ")+" (default captures)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed `N` of a generated workload (default 1)")
	flags.IntVar(&f.tokens, "tokens", 0, "about `N` content events a generated run (default 200)")
	flags.Float64Var(&f.Pace, "pace", serve.DefaultPace, "send `N` tokens a second a run; 0: as fast as it goes (default 50)")
	flags.Float64Var(&f.Jitter, "jitter", 0, "let a token's time be off by up to `SHARE` of the time between two (default 0)")
	flags.DurationVar(&f.KeepAlive, "keep-alive", 0, "send a comment when a stream was silent for `D` (default: none)")
	flags.StringVar(&f.fault, "fail", "", "make runs fail by `MODE`: "+strings.Join(serve.Faults(), ", "))
	flags.StringVar(&f.share, "fail-rate", "1", "let only that `SHARE` of the runs fail, 0.1 or 10% (default 1)")
	flags.DurationVar(&f.Delay, "fail-delay", serve.DefaultFaultDelay, "how late a slow header comes, `D` (default 10s)")
	flags.DurationVar(&f.WriteLimit, "write-limit", serve.DefaultWriteLimit, "give up a client that takes nothing for `D` (default 10s)")
	flags.DurationVar(&f.drain, "drain", 5*time.Second, "let live runs go on for `D` when closing (default 5s)")
	flags.BoolVar(&f.quiet, "quiet", false, "no figures at the end")
	files, err := c.parse()
	if err != nil {
		return nil, nil, err
	}
	return f, files, f.judge(c, files)
}

// judge finds flags that make no sense, and reads those that are words.
func (f *serveFlags) judge(c *invocation, files []string) (err error) {
	if f.fault != "" {
		if f.Fault, err = serve.ParseFault(f.fault); err != nil {
			return misuse("--fail: %v", err)
		}
	}
	if f.FaultRate, err = parseShare(f.share); err != nil {
		return misuse("--fail-rate: %v", err)
	}
	switch {
	case c.given("fail-rate") && f.Fault == serve.NoFault:
		return misuse("--fail-rate: there is no --fail")
	case f.Pace < 0 || math.IsNaN(f.Pace) || math.IsInf(f.Pace, 0):
		return misuse("--pace: %v is no rate", f.Pace)
	case !(f.Jitter >= 0 && f.Jitter <= 1):
		return misuse("--jitter: %v is out of 0..1", f.Jitter)
	case f.KeepAlive < 0 || f.drain < 0:
		return misuse("a time is less than 0")
	case f.Delay <= 0:
		return misuse("--fail-delay: %v is no time", f.Delay)
	case f.WriteLimit <= 0:
		return misuse("--write-limit: %v is no time", f.WriteLimit)
	case f.tokens < 0:
		return misuse("--tokens: %d is less than 0", f.tokens)
	case len(files) > 0 && c.given("workload"):
		return misuse("takes --workload or FILEs, not both")
	}
	return nil
}

// parseShare reads a share of a whole: 0.1, or 10%.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, fmt.Errorf("%q is no share from 0 to 1", text)
	}
	return v, nil
}

func (c *invocation) serveBodies(f *serveFlags, files []string) ([]serve.Body, error) {
	if len(files) == 0 {
		bodies, err := serve.Generated(f.workload, f.seed, f.tokens)
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
	return serve.Recorded(bodies), nil
}
