package main

import (
	"fmt"
	"io"
	"os"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
)

const aboutUpdates = `
Reads one recorded body and prints what it does, a JSON object a line: updates, warnings in their place and, if asked
for, events and the stores at the end. Without FILE, or with -, it reads standard input.

Exit status: 0 whatever the runs did; 1 when the input could not be opened or read; 2 for wrong usage.`

// maxChunk bounds --chunk, since that much is held.
const maxChunk = 1 << 30

func updates(c *invocation) error {
	flags := c.flagSet(aboutUpdates)
	var opt bench.UpdatesOptions
	input := flags.String("input", "auto", "`KIND` of input: auto (by content), sse (an event stream), events (a JSON array, or an event a line) or fixture (a conformance file)")
	flags.IntVar(&opt.Chunk, "chunk", 0, "feed `N` bytes at a time (0: as read)")
	rules := flags.String("rules", "loud", "rule `SET`: loud or spec")
	verify := flags.Bool("verify", true, "hold the stream to the ordering and ownership rules")
	flags.BoolVar(&opt.Stream, "stream", false, "go on after the first terminal event: several runs in one stream")
	flags.BoolVar(&opt.AdoptInput, "adopt-input", false, "take over the messages and state that RUN_STARTED.input echoes")
	flags.StringVar(&opt.Send, "send", "", "push a user message with this `TEXT` first")
	flags.BoolVar(&opt.Full, "full", false, "message updates carry the message, subagent updates the entry")
	flags.BoolVar(&opt.Trace, "trace", false, "also print each event as it reaches the stores")
	flags.BoolVar(&opt.Snapshot, "snapshot", false, "end with a line that shows the stores")
	operands, err := c.parse()
	if err != nil {
		return err
	}
	opt.NoVerify, opt.HasSend = !*verify, c.given("send")
	if opt.Input, err = bench.ParseInputKind(*input); err != nil {
		return misuse("--input: %w", err)
	}
	if opt.Rules, err = parseRules(*rules); err != nil {
		return err
	}
	if opt.Chunk < 0 || opt.Chunk > maxChunk {
		return misuse("--chunk: %d is out of 0..%d", opt.Chunk, maxChunk)
	}
	if len(operands) > 1 {
		return misuse("takes one FILE, not %d", len(operands))
	}
	name := "-"
	if len(operands) == 1 {
		name = operands[0]
	}
	body, err := c.open(name)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := bench.Updates(c.out, body, opt); err != nil {
		return fmt.Errorf("%s: %w", nameOf(name), err)
	}
	return nil
}

func parseRules(name string) (engine.Rules, error) {
	switch name {
	case "loud":
		return engine.Loud, nil
	case "spec":
		return engine.Spec, nil
	}
	return 0, misuse("--rules: %q is neither loud nor spec", name)
}

// open opens an operand; - is standard input.
func (c *invocation) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.in), nil
	}
	return os.Open(name) // its error names the file
}

func nameOf(operand string) string {
	if operand == "-" {
		return "standard input"
	}
	return operand
}
