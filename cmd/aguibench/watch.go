package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/bench/watch"
	"github.com/aguistream/aguistream/engine"
)

const aboutWatch = `
Shows a run to a person: text as it streams, tool calls, state changes, subagents, reasoning, errors, and how it ended.
URL (http or https) is asked for a run; FILE is a recorded body, with all runs in it; - is standard input.

Each message, tool call and subagent is one block. In a terminal those that are open are drawn again as they grow; what
is done scrolls off. Elsewhere blocks are printed without colour when they are done, in the order in which they end.
With --in-order all is printed as it comes, and nothing is drawn again.

When a run of a URL ends with questions (interrupts) and standard input is a terminal, they are asked one by one, and
the run is resumed with the answers: JSON is sent as it is, other text as a string, nothing or n declines.
An interrupt (Ctrl-C) cancels the run. NO_COLOR in the environment is --no-color.

Exit status: 0 whatever the run did, cancelled ones too; 1 when it could not be opened or read; 2 for wrong usage.`

type watchFlags struct {
	input, rules     string
	send             string
	hasSend          bool
	pace             float64
	inOrder, noColor bool
	kind             bench.InputKind
	ruleSet          engine.Rules
	operand          string
	isURL            bool
}

func watchRun(c *invocation) error {
	f, err := parseWatch(c)
	if err != nil {
		return err
	}
	ctx, release := interruptible()
	defer release()
	v := watch.NewView(c.viewOptions(f))
	defer onStop(v)()
	if f.isURL {
		return watch.Agent(ctx, v, engine.HTTP(f.operand), watch.AgentOptions{
			ThreadID: "watch-" + strings.ToLower(rand.Text()), Rules: f.ruleSet, Send: f.send, HasSend: f.hasSend, Answer: c.answers(v),
		})
	}
	body, err := c.open(f.operand)
	if err != nil {
		return err
	}
	defer body.Close()
	opt := watch.FileOptions{Input: f.kind, Rules: f.ruleSet, Send: f.send, HasSend: f.hasSend, Pace: f.pace}
	if err := watch.File(ctx, v, body, opt); err != nil {
		return fmt.Errorf("%s: %w", nameOf(f.operand), err)
	}
	return nil
}

func parseWatch(c *invocation) (*watchFlags, error) {
	f := new(watchFlags)
	flags := c.flagSet(aboutWatch)
	flags.StringVar(&f.send, "send", "", "URL: ask this `TEXT`; FILE: push a user message with it first")
	flags.BoolVar(&f.inOrder, "in-order", false, "print what comes as it comes; never draw again")
	flags.StringVar(&f.rules, "rules", "loud", "rule `SET`: loud or spec")
	flags.BoolVar(&f.noColor, "no-color", false, "no colours and weights")
	flags.Float64Var(&f.pace, "pace", 0, "FILE: show `N` events a second (0: as fast as it goes)")
	flags.StringVar(&f.input, "input", "auto", "FILE: `KIND` of input: auto (by content), sse, events or fixture")
	operands, err := c.parse()
	if err != nil {
		return nil, err
	}
	if len(operands) != 1 {
		return nil, misuse("takes one URL or FILE, not %d", len(operands))
	}
	f.operand, f.hasSend = operands[0], c.given("send")
	f.isURL = isURL(f.operand)
	if f.ruleSet, err = parseRules(f.rules); err != nil {
		return nil, err
	}
	if f.kind, err = bench.ParseInputKind(f.input); err != nil {
		return nil, misuse("--input: %w", err)
	}
	switch {
	case f.pace < 0 || math.IsNaN(f.pace) || math.IsInf(f.pace, 0):
		return nil, misuse("--pace: %v is no rate", f.pace)
	case f.isURL && (c.given("pace") || c.given("input")):
		return nil, misuse("--pace and --input are for a FILE: an agent sets its own pace")
	}
	return f, nil
}

func isURL(operand string) bool {
	scheme, _, found := strings.Cut(operand, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// viewOptions finds out what the output can do. Colours need a terminal, and so does drawing again; one that is called
// dumb can do neither.
func (c *invocation) viewOptions(f *watchFlags) watch.Options {
	opt := watch.Options{Out: c.out, InOrder: f.inOrder}
	fd, ok := terminal(c.out)
	if !ok || os.Getenv("TERM") == "dumb" {
		return opt
	}
	opt.Color = !f.noColor && os.Getenv("NO_COLOR") == ""
	opt.Size = func() (columns, rows int) {
		columns, rows, err := term.GetSize(fd)
		if err != nil {
			return 0, 0
		}
		return columns, rows
	}
	return opt
}

// terminal is the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	file, isFile := stream.(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// answers asks at the terminal; nil when standard input is none. The question goes where it is seen.
func (c *invocation) answers(v *watch.View) func(context.Context, string) (string, error) {
	fd, ok := terminal(c.in)
	if !ok {
		return nil
	}
	_, shown := terminal(c.out)
	in := bufio.NewReader(c.in)
	return func(ctx context.Context, prompt string) (string, error) {
		dropTyped(fd)
		if shown {
			v.Ask(prompt)
		} else {
			fmt.Fprint(c.err, prompt, " ")
		}
		return readLine(ctx, in)
	}
}

// readLine reads a line, or gives up when the context ends. The read then stays behind, until the process ends.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type typed struct {
		line string
		err  error
	}
	got := make(chan typed, 1)
	go func() {
		line, err := in.ReadString('\n')
		if err == io.EOF && line != "" {
			err = nil
		}
		got <- typed{line, err}
	}()
	select {
	case t := <-got:
		return t.line, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
