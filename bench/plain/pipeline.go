// Package plain takes AG-UI event streams apart the plain way: each frame goes
// through encoding/json, payloads become map[string]any, and patches go to
// json-patch where it can be trusted. It follows the same semantics as the
// engine and shares no code with it, so that stores and updates of the two can
// be held against each other; and it is the baseline that the engine's speed
// is measured by.
package plain

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Options says how a stream is read. The zero value is the Loud rule set with
// verification on.
type Options struct {
	Spec       bool // the Spec rule set instead of Loud
	NoVerify   bool // verification off
	AdoptInput bool // take over messages and state that RUN_STARTED.input echoes
	StopAtDone bool // ignore all after the first Done, as a session does

	Messages json.RawMessage // messages held at first, a JSON array; may be nil
	State    json.RawMessage // the state at first; nil is {}

	// Update is given each update; it is lent until the function returns.
	// Without one no updates are built.
	Update func(*Update)
	// Warn is given each warning. May be nil.
	Warn func(Warning)
	// Trace is given each event as it reaches the stores, lent until the
	// function returns. May be nil.
	Trace func(event json.RawMessage)
}

// Warning is something worth a developer's look that changes no verdict.
type Warning struct {
	Text  string
	Event int64  // number of the event in the stream, from 1
	Type  string // its type
	Path  string // a JSON pointer into the event; empty when it is about the whole
}

// Line gives the warning as the command prints it.
func (w Warning) Line() []byte {
	o := newObject(nil)
	o.text("warning", w.Text)
	if w.Event > 0 {
		o.raw("event", fmt.Append(nil, w.Event))
	}
	if w.Type != "" {
		o.text("type", w.Type)
	}
	if w.Path != "" {
		o.text("path", w.Path)
	}
	return o.close()
}

// Counts tells what became of the wire events: Events is the sum of Applied,
// Skipped, Failed and Unread.
type Counts struct {
	Events  int64
	Applied int64 // they reached the stores
	Skipped int64 // warned away, refused, or without effect by rule
	Failed  int64 // what ended its run by an error of the stream
	Unread  int64 // what came after the stream was over
	Updates int64
	Errors  map[string]int64 // error updates by kind
}

// Pipeline reads one stream. It is not safe for concurrent use.
type Pipeline struct {
	opts    Options
	frames  framer
	wire    *reader
	strict  enforcer // for what the stream brings
	counts  Counts
	at      place
	warned  []Warning // of the event at hand, not told yet
	verdict *int64    // the count that the event at hand goes to
	update  Update
	piece   piece // the event at hand

	store     store
	state     []byte // JSON text
	stateSet  bool   // seeded or published
	subagents []*subagent
	subByID   map[string]*subagent
	thinking  thinking

	run        run
	inRun      bool
	runs       int  // runs that are over
	lateable   bool // the last run ended with RUN_FINISHED and nothing since
	threadID   string
	threadSeen bool
	runID      string
	// interrupts are those of the last interrupted run, until the next begins.
	interrupts []any

	stopped bool  // nothing more is read
	closed  error // why, when it was an error
}

// place is where an error is: number is 0 when no event is at hand.
type place struct {
	number    int64
	offset    int64
	hasOffset bool
	typ       string
}

// New makes a pipeline. Seeds that are malformed show as the error of the
// first Write.
func New(opts Options) *Pipeline {
	p := &Pipeline{opts: opts, wire: newReader(), store: newStore(), state: []byte("{}"), subByID: map[string]*subagent{}}
	p.counts.Errors = map[string]int64{}
	p.strict = enforcer{spec: opts.Spec, warn: func(path, text string) { p.warn(path, "%s", text) }}
	p.run.reset()
	if err := p.seed(); err != nil {
		p.stopped, p.closed = true, fmt.Errorf("config error: %w", err)
	}
	return p
}

func (p *Pipeline) seed() error {
	if len(p.opts.State) > 0 {
		v, err := parse(repairUTF8(p.opts.State))
		if err != nil {
			return err
		}
		p.state, p.stateSet = appendJSON(nil, v), true
	}
	if len(p.opts.Messages) == 0 {
		return nil
	}
	v, err := parse(repairUTF8(p.opts.Messages))
	if err != nil {
		return err
	}
	quiet := enforcer{spec: true, quietBinary: true, warn: func(string, string) {}}
	list, _, err := messageShapes(&quiet, v, "/messages")
	if err != nil {
		return err
	}
	for _, m := range list.([]any) {
		if m := newMessage(m.(map[string]any)); p.store.byID[m.id] == nil && !p.store.full() {
			p.store.add(m)
		}
	}
	return nil
}

// Write reads a chunk of the stream; chunk is not kept. Once an error other
// than RUN_ERROR has ended the stream, Write ignores what comes and returns
// that error.
func (p *Pipeline) Write(chunk []byte) (int, error) {
	if err := p.frames.feed(chunk, p.frame); err != nil && !p.stopped {
		p.at = place{offset: p.frames.dataAt, hasOffset: true}
		p.fatal("decode", "SSE decode error: "+err.Error())
	}
	return len(chunk), p.closed
}

// Close tells that the bytes have ended. Its error is why the stream was
// closed, nil for a stream that ended as it should.
func (p *Pipeline) Close() error {
	p.frames.finish(p.frame)
	p.at = p.endOfBytes()
	switch {
	case p.stopped:
	case p.inRun:
		p.fatal("protocol", "protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR")
	case p.runs == 0:
		p.fatal("protocol", "protocol violation: the stream ended before RUN_STARTED")
	default:
		p.stopped = true
	}
	return p.closed
}

// CloseWithError tells that the transport broke. A frame that had no blank
// line yet is dropped.
func (p *Pipeline) CloseWithError(err error) {
	p.at = p.endOfBytes()
	if !p.stopped {
		p.fatal("transport", "transport error: "+err.Error())
	}
}

// endOfBytes is the place of an error that no event has made: where the bytes
// ended.
func (p *Pipeline) endOfBytes() place { return place{offset: p.frames.pos, hasOffset: true} }

// Counts gives what became of the events so far.
func (p *Pipeline) Counts() Counts { return p.counts }

// frame handles one wire event.
func (p *Pipeline) frame(data []byte, offset int64) {
	p.counts.Events++
	if p.stopped {
		p.counts.Unread++
		return
	}
	p.at = place{number: p.counts.Events, offset: offset, hasOffset: true}
	p.verdict = &p.counts.Skipped
	p.event(data)
	p.tellWarnings()
	*p.verdict++
}

func (p *Pipeline) event(data []byte) {
	data = repairUTF8(data)
	if err := p.wire.read(data); err != nil {
		p.at.typ = typeBefore(data)
		if errors.Is(err, errDepth) {
			p.fatal("decode", "SSE decode error: "+err.Error())
			return
		}
		p.fatal("json", "JSON error: "+err.Error())
		return
	}
	raw := p.wire.Type
	if len(raw) == 0 || raw[0] != '"' {
		p.fatal("json", "JSON error: the event has no type that is a string")
		return
	}
	name := unquote(raw)
	e := events[string(name)]
	if e == nil {
		p.at.typ = string(name)
		if p.opts.Spec {
			p.warn("", "unknown event type %s, dropped", name)
			return
		}
		p.fatal("json", fmt.Sprintf("JSON error: unknown event type %s", name))
		return
	}
	p.at.typ = e.name
	if err := p.check(e); err != nil {
		p.malformed(err)
		return
	}
	p.handle(e)
}

// malformed ends the stream at an event that is none. The error alone speaks
// of it: what was stripped of it before isn't told.
func (p *Pipeline) malformed(err error) {
	p.warned = nil
	p.fatal("json", "JSON error: "+p.at.typ+": "+err.Error())
}

func (p *Pipeline) warn(path, format string, args ...any) {
	if p.opts.Warn != nil {
		p.warned = append(p.warned, Warning{Text: fmt.Sprintf(format, args...), Event: p.at.number, Type: p.at.typ, Path: path})
	}
}

// tellWarnings gives the warnings of the event so far, before its updates.
func (p *Pipeline) tellWarnings() {
	for _, w := range p.warned {
		p.opts.Warn(w)
	}
	p.warned = nil
}

// violate reports a broken rule: Loud skips the event, Spec ends the stream.
func (p *Pipeline) violate(format string, args ...any) {
	text := "protocol violation: " + p.at.typ + ": " + fmt.Sprintf(format, args...)
	if p.opts.Spec {
		p.fatal("protocol", text)
		return
	}
	p.fail("protocol", text)
}

// fatal reports an error that closes the stream. Between runs there is no run
// to end.
func (p *Pipeline) fatal(kind, text string) {
	p.verdict = &p.counts.Failed
	p.stopped, p.closed = true, errors.New(text)
	p.fail(kind, text)
	if p.inRun || p.runs == 0 {
		p.done(ending{end: "failed", message: opt{text, true}})
	}
}
