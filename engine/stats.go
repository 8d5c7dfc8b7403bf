package engine

import (
	"strconv"
	"sync/atomic"

	"github.com/aguistream/aguistream/shard"
)

// Stats are an engine's figures at a glance; taking them stops nothing. All but the first three are totals since New, of
// streams that are over as well. They encode as JSON.
type Stats struct {
	Streams int // open
	Runs    int // live by Run
	Queued  int // calls of Run that wait for their turn

	Events   int64 // frames met; like Updates and Warnings up to date after each piece that a shard took
	Updates  int64 // delivered
	Warnings int64 // with or without a hook
	Errors   Tally[ErrorKind]
	Ends     Tally[EndKind] // runs by how they ended; a late RUN_ERROR doesn't count again
	Busy     int64          // calls of Run that were refused with ErrBusy

	Shards shard.Stats
}

// Stats returns the engine's figures.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	n := len(e.live)
	e.mu.Unlock()
	runs, queued := e.turns.count()
	st := Stats{Streams: n, Runs: runs, Queued: queued, Busy: e.busy.Load(), Shards: e.set.Stats()}
	for i := range e.totals {
		e.totals[i].addTo(&st)
	}
	return st
}

// totals are what the streams of one shard came to. That shard alone writes them, and never for each event.
type totals struct {
	events, updates, warnings atomic.Int64
	errors                    [tallyRoom]atomic.Int64
	ends                      [Cancelled + 1]atomic.Int64
	_                         [128]byte // what two shards write lies apart
}

func (t *totals) addTo(st *Stats) {
	st.Events += t.events.Load()
	st.Updates += t.updates.Load()
	st.Warnings += t.warnings.Load()
	for k := range t.errors {
		st.Errors.n[k] += t.errors[k].Load()
	}
	for k := range t.ends {
		st.Ends.n[k] += t.ends[k].Load()
	}
}

// shift is a stretch of work on one stream: while it lasts the desk is the stream's.
type shift struct {
	m                         *machine
	events, updates, warnings int64
}

func (m *machine) begin() shift {
	m.desk.busy = true
	return shift{m, m.counts.Events, m.counts.Updates, m.counts.Warnings}
}

func (s shift) end() {
	d, c := s.m.desk, &s.m.counts
	d.busy = false
	if d.totals == nil || c.Events == s.events && c.Updates == s.updates && c.Warnings == s.warnings {
		return
	}
	d.totals.events.Add(c.Events - s.events)
	d.totals.updates.Add(c.Updates - s.updates)
	d.totals.warnings.Add(c.Warnings - s.warnings)
}

// AppendPrometheus appends the figures in Prometheus's text exposition format (version 0.0.4), names begun with the
// prefix and an underscore. Every kind of error and end has its line from the beginning, and so has every shard.
func (st Stats) AppendPrometheus(dst []byte, prefix string) []byte {
	p := exposition{dst, prefix}
	p.family("streams", "gauge", "Streams open.").value("", "", int64(st.Streams))
	p.family("runs", "gauge", "Runs live by Run.").value("", "", int64(st.Runs))
	p.family("runs_queued", "gauge", "Calls of Run that wait for their turn.").value("", "", int64(st.Queued))
	p.family("runs_refused_total", "counter", "Calls of Run refused because the queue was full.").value("", "", st.Busy)
	p.family("events_total", "counter", "Wire events met.").value("", "", st.Events)
	p.family("updates_total", "counter", "Updates delivered.").value("", "", st.Updates)
	p.family("warnings_total", "counter", "Things put up with.").value("", "", st.Warnings)
	errors := p.family("errors_total", "counter", "Errors reported, by kind.")
	for k := KindProtocol; k <= KindConfig; k++ {
		errors.value("kind", k.String(), st.Errors.Of(k))
	}
	ends := p.family("runs_ended_total", "counter", "Runs ended, by how.")
	for k := Success; k <= Cancelled; k++ {
		ends.value("end", k.String(), st.Ends.Of(k))
	}
	for _, f := range shardFamilies {
		family := p.family(f.name, f.kind, f.help)
		for i, w := range st.Shards.Workers {
			family.value("shard", strconv.Itoa(i), f.value(w))
		}
	}
	return p.dst
}

var shardFamilies = []struct {
	name, kind, help string
	value            func(shard.WorkerStats) int64
}{
	{"shard_waiting_bytes", "gauge", "Bytes written and not taken yet.", func(w shard.WorkerStats) int64 { return w.Waiting }},
	{"shard_bytes_total", "counter", "Bytes taken.", func(w shard.WorkerStats) int64 { return count(w.Bytes) }},
	{"shard_dropped_bytes_total", "counter", "Bytes written to streams that took no more.", func(w shard.WorkerStats) int64 { return count(w.Dropped) }},
	{"shard_batches_total", "counter", "Pieces taken.", func(w shard.WorkerStats) int64 { return count(w.Batches) }},
	{"shard_wakeups_total", "counter", "Times a shard was woken.", func(w shard.WorkerStats) int64 { return count(w.Wakeups) }},
	{"shard_panics_total", "counter", "Panics recovered.", func(w shard.WorkerStats) int64 { return count(w.Panics) }},
}

func count(n uint64) int64 { return int64(n) } //nolint:gosec // no counter comes near the sign

// exposition is a text in the making.
type exposition struct {
	dst    []byte
	prefix string
}

type family struct {
	to   *exposition
	name string
}

func (p *exposition) family(name, kind, help string) family {
	name = p.prefix + "_" + name
	p.dst = append(p.dst, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
	return family{p, name}
}

// value appends a sample. Labels are names of ours, which need no escape.
func (f family) value(label, labelled string, n int64) {
	b := append(f.to.dst, f.name...)
	if label != "" {
		b = append(b, "{"+label+"=\""+labelled+"\"}"...)
	}
	b = strconv.AppendInt(append(b, ' '), n, 10)
	f.to.dst = append(b, '\n')
}
