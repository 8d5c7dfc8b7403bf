package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// invocation is one command being run: its flags, operands and streams.
type invocation struct {
	streams
	command command
	args    []string
	flags   *flag.FlagSet
	about   string // what its help says above the flags
}

// usageError is a mistake in how the command was called: exit status 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// flagSet begins the command's flags; about is the text of its help.
func (c *invocation) flagSet(about string) *flag.FlagSet {
	c.about = about
	c.flags = flag.NewFlagSet(c.command.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard) // start says it, once
	return c.flags
}

// parse reads the flags, wherever they stand, and returns the operands.
func (c *invocation) parse() ([]string, error) {
	flags, operands := permute(c.flags, c.args)
	err := c.flags.Parse(flags)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return operands, err
	}
	return nil, usageError{err}
}

// permute parts flags (with their values) from operands, so that they may be mixed: the flag package stops at the
// first operand. All that follows `--` is operands, and `-` is one.
func permute(set *flag.FlagSet, args []string) (flags, operands []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(operands, args[i+1:]...)
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			operands = append(operands, arg)
			continue
		}
		flags = append(flags, arg)
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if f := set.Lookup(name); f == nil || isBool(f) { // name=value isn't found either
			continue
		}
		if i++; i < len(args) {
			flags = append(flags, args[i])
		}
	}
	return flags, operands
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// given tells which flags were set on the command line.
func (c *invocation) given(name string) bool {
	set := false
	c.flags.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

func (c *invocation) help(w io.Writer) {
	usage, flags := "usage: aguibench "+c.command.name, 0
	c.flags.VisitAll(func(*flag.Flag) { flags++ })
	if flags > 0 {
		usage += " [flags]"
	}
	if c.command.operands != "" {
		usage += " " + c.command.operands
	}
	fmt.Fprintf(w, "%s\n\n%s\n", usage, strings.TrimSpace(c.about))
	if flags > 0 {
		fmt.Fprint(w, "\nFlags:\n")
	}
	c.flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(w, "  %-22s %s\n", name, text)
	})
}
