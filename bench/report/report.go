// Package report turns results of aguibench into one HTML page that needs nothing else: pictures are inline SVG, and
// their colours follow the reader's light or dark setting. Results of run and of compare are drawn together, so that they
// can be held against each other; each result of load has a section of its own.
//
//	var results report.Results
//	if err := results.Read("chat.json", file); err != nil { ... }
//	err := results.WriteHTML(os.Stdout)
package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aguistream/aguistream/bench"
)

// Results are what a page is about. The zero value is empty.
type Results struct {
	Runs        []Run
	Comparisons []Comparison
	Loads       []Load
}

// Run is a result of aguibench run.
type Run struct {
	Source string // the file it is from
	bench.Result
}

// Comparison is a result of aguibench compare.
type Comparison struct {
	Source string
	bench.Comparison
}

// schema is that of the results that are understood.
const schema = 1

// Read adds the results of one file, which holds one or several, one after another. It fails for what is none of run,
// compare or load.
func (r *Results) Read(source string, from io.Reader) error {
	dec := json.NewDecoder(from)
	for n := 0; ; n++ {
		var text json.RawMessage
		err := dec.Decode(&text)
		switch {
		case err == io.EOF && n > 0:
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: it is empty", source)
		case err != nil:
			return fmt.Errorf("%s: not JSON: %w", source, err)
		}
		if err := r.add(source, text); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
	}
}

func (r *Results) add(source string, text json.RawMessage) error {
	if !bytes.HasPrefix(text, []byte("{")) {
		return errors.New("not a result of aguibench")
	}
	var head struct {
		Schema  int    `json:"schema"`
		Command string `json:"command"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("not a result of aguibench: %w", err)
	}
	if head.Command == "" {
		return errors.New("not a result of aguibench: it has no command")
	}
	if head.Schema != schema {
		return fmt.Errorf("schema %d of a result, but only %d is understood", head.Schema, schema)
	}
	switch head.Command {
	case "run":
		run := Run{Source: source}
		if err := json.Unmarshal(text, &run.Result); err != nil {
			return fmt.Errorf("not a result of run: %w", err)
		}
		if err := run.sane(); err != nil {
			return err
		}
		r.Runs = append(r.Runs, run)
	case "compare":
		c := Comparison{Source: source}
		if err := json.Unmarshal(text, &c.Comparison); err != nil {
			return fmt.Errorf("not a result of compare: %w", err)
		}
		for i := range c.Rows {
			if err := sane("eventsPerSecond", c.Rows[i].EventsPerSecond); err != nil {
				return err
			}
		}
		r.Comparisons = append(r.Comparisons, c)
	case "load":
		l := Load{Source: source}
		if err := json.Unmarshal(text, &l.Result); err != nil {
			return fmt.Errorf("not a result of load: %w", err)
		}
		if err := (loadSection{&l}).sane(); err != nil {
			return err
		}
		r.Loads = append(r.Loads, l)
	default:
		return fmt.Errorf("a result of %q, but only those of run, compare and load are drawn", head.Command)
	}
	return nil
}

// least and most are beyond anything that can be measured, and far from where drawing breaks.
const (
	least = 1e-9
	most  = 1e15
)

func sane(name string, v float64) error {
	if v < 0 || v > most || v > 0 && v < least {
		return fmt.Errorf("%s is %v, which can't be", name, v)
	}
	return nil
}

// sane looks at what is drawn.
func (r *Run) sane() error {
	p := &r.LatencyMicros
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"eventsPerSecond", r.EventsPerSecond}, {"inFlight", float64(r.InFlight)}, {"shards", float64(r.Shards)}, {"rate", r.Rate},
		{"p50", p.P50}, {"p90", p.P90}, {"p99", p.P99}, {"p999", p.P999}, {"max", p.Max},
	} {
		if err := sane(f.name, f.value); err != nil {
			return err
		}
	}
	return nil
}
