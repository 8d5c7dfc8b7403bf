package main

import (
	"bufio"
	"errors"

	"github.com/aguistream/aguistream/bench/report"
)

const aboutReport = `
Turns results that 'aguibench run --json', 'aguibench compare --json' and 'aguibench load --json' wrote into one HTML page
on standard output, which needs nothing beside itself: throughput by workload and by runs in flight, latency, scaling, and
the engine against simpler pipelines; and for each load what was asked and what came of it, errors, latency, runs in flight
and events a second over time, what bounded it, and the verdicts of --slo. A FILE may hold several results, of any kind,
one after another; - is standard input.

    aguibench load URL --json load.json
    aguibench report *.json > report.html

Exit status: 0; 1 when a file could not be read or holds no such result; 2 for wrong usage.`

func reportResults(c *invocation) error {
	c.flagSet(aboutReport)
	files, err := c.parse()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return misuse("takes at least one FILE")
	}
	var results report.Results
	for _, name := range files {
		if err := c.readResult(&results, name); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(c.out)
	return errors.Join(results.WriteHTML(out), out.Flush())
}

func (c *invocation) readResult(results *report.Results, name string) error {
	file, err := c.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return results.Read(nameOf(name), file)
}
