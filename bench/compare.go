package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aguistream/aguistream/bench/workload"
)

// CompareOptions shape Compare. Only Bodies must be given.
type CompareOptions struct {
	Workload string // name for the reports
	Bodies   []Body
	For      time.Duration // all rows together; 0: DefaultAlternation
	Slice    time.Duration // of one row at a time; 0: DefaultSlice
}

// Row is what one of the four pipelines did.
type Row struct {
	Pipeline        string  `json:"pipeline"`
	Events          int64   `json:"events"`
	Bytes           int64   `json:"bytes"`
	Seconds         float64 `json:"seconds"`
	EventsPerSecond float64 `json:"eventsPerSecond"` // events by seconds
	MBPerSecond     float64 `json:"mbPerSecond"`     // 10^6 bytes
	AllocsPerEvent  float64 `json:"allocsPerEvent"`
	// MedianNanosPerEvent is the median over the rounds.
	MedianNanosPerEvent float64 `json:"medianNanosPerEvent"`
}

// Ratios are medians over the rounds of the quotients within a round, which may differ a little from the quotients of
// the rows' totals.
type Ratios struct {
	EngineToPlain     float64 `json:"engineToPlain"`
	EngineToUnmarshal float64 `json:"engineToUnmarshal"`
	EngineToFloor     float64 `json:"engineToFloor"`
	PlainToUnmarshal  float64 `json:"plainToUnmarshal"`
}

// Comparison is what a Compare found. Its JSON is the one that the command line promises, schema 1.
type Comparison struct {
	Schema        int      `json:"schema"`
	Command       string   `json:"command"`
	Env           Env      `json:"env"`
	Workload      string   `json:"workload"`
	Bodies        int      `json:"bodies"`
	BytesPerEvent float64  `json:"bytesPerEvent"`
	EventsPerBody float64  `json:"eventsPerBody"`
	Rounds        int      `json:"rounds"`
	Equal         bool     `json:"equal"` // the stores of plain and engine, of every body
	Rows          []Row    `json:"rows"`
	Ratio         Ratios   `json:"ratio"`
	Differences   []string `json:"differences,omitempty"` // the first stores that differed
}

// comparedBodies is how many seeds a generated workload takes: one seed is one producer's style.
const comparedBodies = 12

// CompareBodies gives the bodies of a workload for a comparison: a dozen seeds beginning with seed, or all captures.
func CompareBodies(name string, seed uint64, tokens int) ([]Body, error) {
	if name == CapturesWorkload {
		return WorkloadBodies(name, seed, tokens)
	}
	var bodies []Body
	for i := range uint64(comparedBodies) {
		text, err := workload.Body(name, workload.Options{Seed: seed + i, Tokens: tokens})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, Body{Name: fmt.Sprintf("%s, seed %d", name, seed+i), Bytes: text})
	}
	return bodies, nil
}

// Compare takes the same bodies apart in four ways by turns, on this goroutine and without mailboxes, 64 KiB at a
// time: floor only finds the lines; unmarshal decodes each frame once into one struct by encoding/json and does nothing
// else; plain is the plain reference pipeline; engine is a Stream with everything, whose streams share a Pool as those of
// a shard do. The handlers of the last two read every delta, and their stores are compared, before the timing.
//
// When ctx is over it returns what was measured so far, or an error if that is nothing.
func Compare(ctx context.Context, opt CompareOptions) (*Comparison, error) {
	if len(opt.Bodies) == 0 {
		return nil, errors.New("no bodies to compare on")
	}
	c := &Comparison{Schema: 1, Command: "compare", Env: ThisEnv(), Workload: opt.Workload, Bodies: len(opt.Bodies)}
	units, err := MeasureBodies(opt.Bodies)
	if err != nil {
		return nil, err
	}
	if c.Differences, err = differingStores(opt.Bodies); err != nil {
		return nil, err
	}
	c.Equal = len(c.Differences) == 0
	all := totalWork(units)
	c.BytesPerEvent = ratio(float64(all.Bytes), float64(all.Events))
	c.EventsPerBody = ratio(float64(all.Events), float64(len(opt.Bodies)))
	scores, err := Alternate(ctx, Contestants(opt.Bodies), AlternateOptions{Units: units, For: opt.For, Slice: opt.Slice})
	if err != nil {
		return nil, err
	}
	c.take(scores)
	return c, nil
}

// take fills the figures in.
func (c *Comparison) take(scores []Score) {
	named := map[string]*Score{}
	for i := range scores {
		s := &scores[i]
		named[s.Name] = s
		c.Rounds = s.Rounds()
		c.Rows = append(c.Rows, Row{
			Pipeline: s.Name, Events: s.Work.Events, Bytes: s.Work.Bytes, Seconds: s.Elapsed.Seconds(),
			EventsPerSecond: s.EventsPerSecond(), MBPerSecond: s.MBPerSecond(),
			AllocsPerEvent: s.AllocsPerEvent(), MedianNanosPerEvent: s.MedianNanos(),
		})
	}
	floor, unmarshal, plain, engine := named[floorRow], named[unmarshalRow], named[plainRow], named[engineRow]
	c.Ratio = Ratios{
		EngineToPlain: engine.Speedup(plain), EngineToUnmarshal: engine.Speedup(unmarshal),
		EngineToFloor: engine.Speedup(floor), PlainToUnmarshal: plain.Speedup(unmarshal),
	}
}

// Row returns the row of a pipeline; nil when there is none.
func (c *Comparison) Row(pipeline string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Pipeline == pipeline {
			return &c.Rows[i]
		}
	}
	return nil
}

// WriteJSON writes the comparison as one line of JSON.
func (c *Comparison) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}

// WriteTable prints the comparison for people.
func (c *Comparison) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "workload    %s: %s, %.0f events each, %.1f bytes an event\n",
		c.Workload, counted(int64(c.Bodies), "body", "bodies"), c.EventsPerBody, c.BytesPerEvent)
	fmt.Fprintf(&b, "machine     %s, %s/%s, one goroutine, pieces of 64 KiB, %s\n\n",
		c.Env.Go, c.Env.OS, c.Env.Arch, counted(int64(c.Rounds), "round", "rounds"))
	fmt.Fprintf(&b, "%-10s %12s %10s %10s %13s %14s\n", "pipeline", "events/s", "MB/s", "ns/event", "allocs/event", "of the floor")
	floor := c.Row(floorRow)
	for i := range c.Rows {
		r := &c.Rows[i]
		fmt.Fprintf(&b, "%-10s %12s %10.1f %10.1f %13.4f %14s\n", r.Pipeline, short(r.EventsPerSecond), r.MBPerSecond,
			r.MedianNanosPerEvent, r.AllocsPerEvent, part(floor.MedianNanosPerEvent, r.MedianNanosPerEvent))
	}
	fmt.Fprintf(&b, "\nengine      %.2f x plain, %.2f x unmarshal, 1/%.2f of the floor; plain is %.2f x unmarshal (medians over rounds)\n",
		c.Ratio.EngineToPlain, c.Ratio.EngineToUnmarshal, ratio(1, c.Ratio.EngineToFloor), c.Ratio.PlainToUnmarshal)
	if c.Equal {
		fmt.Fprintln(&b, "stores      those of plain and engine are equal")
	} else {
		fmt.Fprintln(&b, "stores      those of plain and engine DIFFER:")
		for _, d := range c.Differences {
			fmt.Fprintf(&b, "  %s\n", d)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// part writes a quotient below one as a fraction.
func part(a, b float64) string {
	switch q := ratio(b, a); {
	case q == 0:
		return "-"
	case q < 1.005:
		return "1"
	default:
		return fmt.Sprintf("1/%.2f", q)
	}
}

// comparedTwice has the streams of the second time use what those of the first left in the pool.
const comparedTwice = 2

// differingStores takes every body through both pipelines and shows the first that differ.
func differingStores(bodies []Body) ([]string, error) {
	var found []string
	var read, expected deltas
	read.whole, expected.whole = true, true
	for range comparedTwice {
		for _, b := range bodies {
			difference, err := differingStore(b, &read, &expected)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name, err)
			}
			if difference != "" && len(found) < shownDifferences {
				found = append(found, difference)
			}
		}
	}
	return found, nil
}

// differingStore tells how what plain and engine make of a body differs: the stores, or the deltas that their handlers
// read. It is empty when they agree.
func differingStore(b Body, read, expected *deltas) (string, error) {
	read.buf, expected.buf = read.buf[:0], expected.buf[:0]
	p, err := expected.plain(b)
	if err != nil {
		return "", err
	}
	stores, err := read.engineStores(b)
	if err != nil {
		return "", err
	}
	r := &reel{Body: b, want: canonical(p.Snapshot())}
	if !r.same(stores) {
		return r.difference(stores), nil
	}
	if !bytes.Equal(read.buf, expected.buf) {
		return fmt.Sprintf("%s: the deltas that the handlers read differ: engine %d bytes, plain %d bytes", b.Name, len(read.buf), len(expected.buf)), nil
	}
	return "", nil
}
