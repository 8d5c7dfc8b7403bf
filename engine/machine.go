package engine

import (
	"errors"
	"io"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// phase is where a stream stands between its runs (rules 1-6).
type phase uint8

const (
	idle     phase = iota // no run yet
	running               // between RUN_STARTED and the terminal event
	finished              // after RUN_FINISHED: RUN_STARTED or a late RUN_ERROR may come
	errored               // after RUN_ERROR: only RUN_STARTED may come
)

// machine is one stream's whole pipeline: bytes in, updates out. It is not safe for concurrent use; whoever owns it
// (a Session, a Stream on the caller's goroutine, a shard) calls it from one goroutine at a time.
//
// An event passes, in this order and each in the file of that name: frame (decode), event (decode), boundary, chunk
// normalizer, verifier, stores, updates.
type machine struct {
	// What nearly every event touches comes first and together: with thousands of streams, each line of it is cold.

	*desk
	sink    sink
	num     int64 // wire events met
	phase   phase
	spec    bool
	closed  bool
	stopped bool // the reader of the updates has gone: the event at hand is the last
	started bool // a RUN_STARTED was accepted in this stream
	ended   bool // there is a last run that is over
	seeded  bool // the state was seeded or published: echoed input no longer sets it
	counts  Counts
	lim     Limits
	framer  decode.Framer
	short   shortcuts

	store *state.Store
	doc   *state.Document
	subs  *state.Subagents
	pool  *Pool
	opt   habits

	closeErr        error
	threadID, runID string               // of the last RUN_STARTED
	request         *state.RunAgentInput // what was asked for; nil where others make the requests
	interrupts      []Interrupt
	pendingCalls    []string // of the last run that ended (rule 117)
	lastEnd         RunEnd

	rules rulebook // the verifier's memory of the run
	lanes lanes    // the chunk normalizer's
	think thinking // the boundary's: retired thought events
}

// sink is where updates go; it counts those that it hands on.
type sink interface{ deliver(u Update) }

// updates holds the one of each variant that is lent out again and again.
type updates struct {
	message   MessageUpdate
	messages  MessagesUpdate
	state     StateUpdate[Raw]
	reasoning ReasoningUpdate
	interrupt InterruptUpdate
	subagent  SubagentUpdate
	err       ErrorUpdate
	done      Done
}

// Counts are a stream's own figures. Events = Applied + Skipped + Failed, once the bytes that came are all taken.
type Counts struct {
	Events   int64 // frames met
	Applied  int64 // reached the stores
	Skipped  int64 // refused, warned away, or without effect by rule
	Failed   int64 // ended the run otherwise than by its own word
	Updates  int64 // delivered
	Warnings int64 // with or without a hook
	Errors   Tally[ErrorKind]
}

// fate is what became of the current event.
type fate uint8

const (
	applied fate = iota
	skipped
	failed
)

// newMachine readies a machine from the pool. The error is a KindConfig for seeds that are no use.
func newMachine(pool *Pool, opt StreamOptions, to sink) (*machine, error) {
	m := pool.take()
	m.opt, m.lim, m.spec, m.sink = opt.habits(), opt.Limits.withDefaults(), opt.Rules == Spec, to
	m.framer.Limit = m.lim.FrameBytes
	m.store.MaxMessages = m.lim.Messages
	m.store.MaxMessageBytes = m.lim.MessageBytes
	m.store.MaxActivityBytes = m.lim.StateBytes
	m.limitDoc(m.doc)
	if err := m.seed(opt.Messages, opt.State); err != nil {
		pool.put(m)
		return nil, err
	}
	return m, nil
}

func (m *machine) limitDoc(d *state.Document) {
	d.MaxBytes = m.lim.StateBytes
	d.MaxOps = m.lim.PatchOps
	d.MaxCopyBytes = m.lim.PatchCopy
}

// write takes the next bytes of the stream and handles every event that they complete. It returns what closed the
// stream, if anything did.
func (m *machine) write(chunk []byte) error {
	if m.closed {
		return m.closeErr
	}
	if m.framer.Hold(chunk) {
		return nil
	}
	m.framer.Feed(chunk)
	for !m.closed && !m.stopped {
		if m.short.n > 0 {
			rest, at := m.framer.Rest()
			if m.repeat(rest, at) {
				continue
			}
		}
		f, ok := m.framer.Next()
		if !ok {
			break
		}
		m.frame(f)
	}
	if err := m.framer.Err(); err != nil && !m.closed && !m.stopped {
		m.fail(m.frameError(err))
	}
	m.clear()
	return m.closeErr
}

// clear lets go of what the last event lay in, so that an idle stream pins nobody's memory. Where the short way was taken
// nothing lies there.
func (m *machine) clear() {
	if m.ev.Frame == nil {
		return
	}
	m.ev.Frame = nil
	m.op, m.payload = op{}, payload{}
}

// finish is the end of the bytes (semantics, section 4).
func (m *machine) finish() {
	if m.closed {
		return
	}
	if f, ok := m.framer.Finish(); ok {
		m.frame(f)
		m.clear()
	}
	if m.closed || m.stopped {
		return
	}
	if err := m.framer.Err(); err != nil {
		m.fail(m.frameError(err))
		return
	}
	switch {
	case m.phase == running:
		m.fail(&Error{Kind: KindProtocol, Offset: m.framer.Offset(), Reason: ErrTruncated.Error(), Err: ErrTruncated})
	case !m.ended:
		m.fail(&Error{Kind: KindProtocol, Offset: m.framer.Offset(), Reason: "the stream ended before RUN_STARTED", Err: ErrTruncated})
	}
	m.close(ErrClosed)
}

// abort is the end by a broken transport. An *Error of a kind that there isn't is a cause like any other.
func (m *machine) abort(cause error) {
	if m.closed {
		return
	}
	var known *Error
	if errors.As(cause, &known) && known != nil && known.Kind >= KindProtocol && known.Kind <= KindConfig {
		m.fail(known)
		return
	}
	if cause == nil || cause == error((*Error)(nil)) { //nolint:errorlint // a nil *Error itself, which has no text
		cause = io.ErrUnexpectedEOF
	}
	m.fail(&Error{Kind: KindTransport, Offset: m.framer.Offset(), Reason: cause.Error(), Err: cause})
}

// closeBytes is the end of the bytes, clean or by a broken transport.
func (m *machine) closeBytes(err error) {
	if err == nil {
		m.finish()
		return
	}
	m.abort(err)
}

func (m *machine) close(err error) {
	m.closed = true
	if m.closeErr == nil {
		m.closeErr = err
	}
}

// frame takes one frame through the whole pipeline.
func (m *machine) frame(f decode.Frame) {
	m.num++
	m.counts.Events++
	m.fate, m.nulls = applied, false
	m.scratch = m.scratch[:0]
	ev := &m.ev
	ev.Number, ev.Offset = m.num, f.Offset
	m.line = f.Line
	if err := ev.Decode(f.Data, m.lim.Depth); err != nil {
		m.fail(m.decodeError(err))
	} else {
		m.unlearn(ev.Type)
		sound := m.boundary(ev)
		if len(m.noted) > 0 {
			m.tell()
		}
		if sound {
			m.normalize(ev)
		}
		if len(m.rules.names) > m.lim.IDBytes && !m.closed {
			m.fail(m.limitError(&state.LimitError{What: "bytes of a run's ids", Limit: int64(m.lim.IDBytes)}))
		}
	}
	m.settle()
}

// settle counts what became of the current event.
func (m *machine) settle() {
	switch m.fate {
	case applied:
		m.counts.Applied++
	case skipped:
		m.counts.Skipped++
	case failed:
		m.counts.Failed++
	}
}

// send delivers one update.
func (m *machine) send(u Update) { m.sink.deliver(u) }

// skip marks the current event as without effect.
func (m *machine) skip() {
	if m.fate == applied {
		m.fate = skipped
	}
}

// report delivers an error that doesn't end the run.
func (m *machine) report(err *Error) {
	m.counts.Errors.n[err.Kind]++
	if m.totals != nil {
		m.totals.errors[err.Kind].Add(1)
	}
	m.up.err.Err = err
	m.send(&m.up.err)
}

// fail reports an error that ends the run, and the stream with it. Between runs there is no run to end: the error
// stands alone.
func (m *machine) fail(err *Error) {
	m.fate = failed
	m.report(err)
	if m.phase == running || !m.ended {
		m.end(RunEnd{Kind: Failed, Message: err.Error(), Err: err})
	}
	m.close(err)
}

// end delivers the run's Done.
func (m *machine) end(e RunEnd) {
	m.store.Flush()
	m.lastEnd, m.ended = e, true
	if m.totals != nil {
		m.totals.ends[e.Kind].Add(1)
	}
	m.up.done.End = e
	m.send(&m.up.done)
	if m.opt.StopAtDone {
		m.close(ErrClosed)
	}
}

// violate handles a broken rule (semantics, section 6). Nothing of the event was applied.
func (m *machine) violate(reason string) {
	m.skip()
	err := m.errorHere(KindProtocol, reason)
	if !m.spec {
		m.report(err)
		return
	}
	m.fail(err)
}

// errorHere is an error at the current event.
func (m *machine) errorHere(kind ErrorKind, reason string) *Error {
	return &Error{Kind: kind, Event: m.num, EventType: m.typeName(), Offset: m.ev.Offset, Reason: reason}
}

func (m *machine) typeName() string {
	if m.ev.Type == decode.Unknown {
		return string(m.ev.TypeName())
	}
	return m.ev.Type.String()
}

// decodeError turns what the decoder says into an Error that says where.
func (m *machine) decodeError(err error) *Error {
	var d *decode.Error
	if !errors.As(err, &d) {
		return &Error{Kind: KindDecode, Event: m.num, Offset: m.ev.Offset, Reason: err.Error(), Err: err}
	}
	e := &Error{Kind: KindJSON, Event: m.num, EventType: d.Type, Offset: m.ev.Offset, Reason: d.Error(), Err: err}
	if d.Kind == decode.KindDecode {
		e.Kind = KindDecode
	}
	return e
}

// frameError turns what the framer says into an Error: there is no event yet, and the place is the framer's.
func (m *machine) frameError(err error) *Error {
	e := &Error{Kind: KindDecode, Offset: m.framer.Offset(), Reason: err.Error(), Err: err}
	var d *decode.Error
	if errors.As(err, &d) {
		placeless := *d
		e.Offset, placeless.Offset = d.Offset, 0
		e.Reason = placeless.Error()
	}
	return e
}

// limitError turns a store's limit into the error that ends the run.
func (m *machine) limitError(err error) *Error {
	e := m.errorHere(KindDecode, err.Error())
	e.Err = err
	return e
}

// warn tells the hook of something put up with at the current event.
func (m *machine) warn(text, path string) {
	m.counts.Warnings++
	if m.opt.Warn != nil {
		m.opt.Warn(Warning{Text: text, Event: m.num, Type: m.typeName(), Path: path})
	}
}

// str returns a string member's text, valid until the next event.
func (m *machine) str(f decode.Field) []byte { return m.ev.Str(f, &m.scratch) }
