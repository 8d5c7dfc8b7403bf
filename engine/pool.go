package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// Pool is what the streams of one goroutine share: the room in which an event is worked on, and what streams that were
// released left for the next ones: what thousands of them hold at once, of which half of what lies unused for long goes.
// An Engine has one a shard. A Pool is not safe for concurrent use; the zero value is ready.
type Pool struct {
	stores state.Pool
	desk   desk
	idle   []*machine
	low    int // fewest of them since the epoch began
	puts   int // since then
	// plain leaves messages to the garbage collector: who holds one that a snapshot dropped holds what it was.
	plain bool
}

// What a Pool keeps: machines beyond idleMachines, half of those that lay idle for a whole epoch, and scratch beyond
// keptScratch bytes, are left to the garbage collector. Of a machine that is kept, what a peer made large is let go.
const (
	idleMachines = 16 << 10
	idleEpoch    = 16 << 10 // streams put back
	keptScratch  = 64 << 10
)

// desk is the room in which the current event of a stream is worked on. Nothing on it outlives the event, so the streams
// of a goroutine take turns at one desk.
type desk struct {
	ev      decode.Event
	scratch []byte // unescaped strings of the current event; their slices live until the next event
	op      op
	patch   state.Patch
	// badPatch is what is wrong with the event's patch, where that is found out before it is applied (Loud).
	badPatch error
	payload  payload
	enf      state.Enforcer
	noted    []Warning // of the current event's shape
	fate     fate
	nulls    bool    // the event had null members, which were dropped
	line     bool    // the event lay on one line (decode.Frame)
	busy     bool    // an event is being worked on, or may be: nobody else's may be laid here
	totals   *totals // of the shard; nil for a Pool of the caller's
	up       updates
	ids      [][]byte // of a snapshot's messages
	traceBuf []byte
}

// home is a machine and its stores. They lie side by side: with thousands of streams each of them is cold when its turn
// comes, and what costs is the number of places to go to.
type home struct {
	machine
	store state.Store
	doc   state.Document
	subs  state.Subagents
}

// take gives an empty machine.
func (p *Pool) take() *machine {
	if n := len(p.idle); n > 0 {
		m := p.idle[n-1]
		p.idle[n-1], p.idle = nil, p.idle[:n-1]
		p.low = min(p.low, n-1)
		return m
	}
	h := &home{store: *state.NewStore(p.messages()), doc: *state.NewDocument(&p.stores)}
	m := &h.machine
	m.pool, m.desk, m.store, m.doc, m.subs = p, &p.desk, &h.store, &h.doc, &h.subs
	m.lanes.init()
	m.rules.init()
	return m
}

func (p *Pool) messages() *state.Pool {
	if p.plain {
		return nil
	}
	return &p.stores
}

// put takes a machine back, whose stores go to the next streams. Nothing that was lent from it is valid any more.
func (p *Pool) put(m *machine) {
	m.short.forget()
	m.store.Reset()
	m.doc.Reset()
	m.subs.Reset()
	if p.puts++; p.puts >= idleEpoch {
		p.trim()
	}
	if len(p.idle) >= idleMachines {
		return
	}
	m.short.shrink()
	if cap(p.desk.scratch) > keptScratch {
		p.desk.scratch = nil
	}
	if cap(p.desk.traceBuf) > keptScratch {
		p.desk.traceBuf = nil
	}
	m.rules.reset()
	m.lanes.reset()
	m.think.reset()
	m.think.minted = 0 // the count is a stream's
	m.framer.Reset()
	*m = machine{
		pool: p, desk: m.desk, store: m.store, doc: m.doc, subs: m.subs,
		framer: m.framer, rules: m.rules, lanes: m.lanes, think: m.think, short: m.short,
	}
	p.idle = append(p.idle, m)
}

// trim lets half of the machines go that nobody needed since the epoch began: a burst is forgotten, a steady load keeps
// its own.
func (p *Pool) trim() {
	keep := p.idle[:copy(p.idle, p.idle[(p.low+1)/2:])]
	clear(p.idle[len(keep):])
	p.idle = keep
	p.low, p.puts = len(keep), 0
}
