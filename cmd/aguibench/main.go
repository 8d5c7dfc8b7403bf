// Command aguibench loads the aguistream engine and measures it, and shows what a recorded AG-UI event stream does.
//
//	aguibench                      thousands of runs at once, from the recorded streams that are built in
//	aguibench updates FILE         what one body does, a JSON object a line
//	aguibench serve                an AG-UI agent over HTTP, for tests and load
//	aguibench load URL             an AG-UI agent under load, measured
//	aguibench watch URL|FILE       a run for a person to read, in the terminal or as plain text
//	aguibench compare              the engine against simpler pipelines on the same bytes
//	aguibench report FILE...       results as one HTML page
//	aguibench help [COMMAND]
//
// Exit status: 0; 1 when something could not be opened, read or written, or a check failed; 2 for wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// Exit statuses.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2
)

// streams are what a command reads and writes, so that tests can stand in.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one word of the command line.
type command struct {
	name, operands, brief string
	run                   func(c *invocation) error
}

func commands() []command {
	return []command{
		{"run", "[FILE ...]", "thousands of runs at once through the engine; what the bare command does", run},
		{"updates", "[FILE | -]", "print what one recorded body does, a JSON object a line", updates},
		{"serve", "[FILE ...]", "be an AG-UI agent over HTTP, for tests and load", serveAgent},
		{"load", "URL", "put an AG-UI agent under load and measure it", loadAgent},
		{"watch", "URL|FILE", "show a run to a person, in a terminal or as plain text", watchRun},
		{"compare", "", "time the engine against a line splitter, encoding/json and the plain pipeline", compare},
		{"report", "FILE...", "turn results of run, compare and load into one HTML page", reportResults},
	}
}

func main() {
	os.Exit(dispatch(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// dispatch runs the command that args name and returns the exit status.
func dispatch(args []string, std streams) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		return help(args[1:], std)
	}
	for _, c := range commands() {
		if c.name == name {
			return start(c, args[1:], std)
		}
	}
	if name != "" && name[0] != '-' && !looksLikeFile(name) {
		fmt.Fprintf(std.err, "aguibench: unknown command %q\n", name)
		usageHint(std.err, "")
		return exitUsage
	}
	return start(commands()[0], args, std)
}

// looksLikeFile tells an operand of the bare command from a mistyped command.
func looksLikeFile(name string) bool {
	if strings.ContainsAny(name, `./\`) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

func start(c command, args []string, std streams) int {
	inv := &invocation{streams: std, command: c, args: args}
	err := c.run(inv)
	var wrong usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		inv.help(std.out)
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(std.err, "aguibench %s: %v\n", c.name, err)
		usageHint(std.err, c.name)
		return exitUsage
	}
	fmt.Fprintf(std.err, "aguibench %s: %v\n", c.name, err)
	return exitFault
}

func usageHint(w io.Writer, name string) {
	fmt.Fprintln(w, strings.TrimRight("run 'aguibench help "+name, " ")+"' for usage")
}

func help(args []string, std streams) int {
	if len(args) > 0 {
		for _, c := range commands() {
			if c.name == args[0] {
				return start(c, []string{"-h"}, std)
			}
		}
		fmt.Fprintf(std.err, "aguibench help: unknown command %q\n", args[0])
		return exitUsage
	}
	fmt.Fprint(std.out, "aguibench loads the aguistream engine and shows what AG-UI event streams do.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(std.out, "  %-34s %s\n", "aguibench "+c.name+" [flags] "+c.operands, c.brief)
	}
	fmt.Fprint(std.out, "\nThe bare command is run. 'aguibench help COMMAND' lists a command's flags; they may stand before or after operands.\n"+
		"Exit status: 0; 1 when something could not be opened, read or written, or a check failed; 2 for wrong usage.\n")
	return exitOK
}
