package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// ProtocolVersion is the version of AG-UI that this package speaks and that its requests declare.
const ProtocolVersion = "1.1"

// runStarted opens a run with a fresh verifier and normalizer (rules 2, 3 and 9); the stores live on.
func (m *machine) runStarted() {
	ev := &m.ev
	if m.phase == running && m.verify() {
		m.violate("RUN_STARTED while run " + strconv.Quote(m.runID) + " is still active")
		return
	}
	thread, run := string(m.str(decode.FieldThreadID)), string(m.str(decode.FieldRunID))
	if m.started && thread != m.threadID {
		m.warn("threadId "+strconv.Quote(thread)+" differs from "+strconv.Quote(m.threadID)+" of the run before", "/threadId")
	}
	m.compareRequest(thread, run)
	if ev.Has(decode.FieldProtocolVersion) {
		m.checkVersion(string(m.str(decode.FieldProtocolVersion)))
	}
	m.phase, m.started = running, true
	m.threadID, m.runID = thread, run
	m.rules.reset()
	m.lanes.reset()
	m.think.reset()
	m.interrupts = nil
	m.trace(&m.op)
	if m.opt.AdoptInput && m.payload.input != nil {
		m.adopt(m.payload.input)
	}
}

// compareRequest warns when a Session's run answers to other ids than the request's.
func (m *machine) compareRequest(thread, run string) {
	if m.request == nil {
		return
	}
	if thread != m.request.ThreadID {
		m.warn("threadId "+strconv.Quote(thread)+" differs from the request's "+strconv.Quote(m.request.ThreadID), "/threadId")
	}
	if run != m.request.RunID {
		m.warn("runId "+strconv.Quote(run)+" differs from the request's "+strconv.Quote(m.request.RunID), "/runId")
	}
}

// checkVersion holds rules 156-158: a newer or unreadable declaration is a warning.
func (m *machine) checkVersion(v string) {
	major, minor, ok := parseVersion(v)
	ours, oursMinor, _ := parseVersion(ProtocolVersion)
	switch {
	case !ok:
		m.warn("unreadable protocolVersion "+strconv.Quote(v)+"; this build speaks "+ProtocolVersion, "/protocolVersion")
	case major > ours || major == ours && minor > oursMinor:
		m.warn("protocolVersion "+v+" is newer than "+ProtocolVersion+", which this build speaks", "/protocolVersion")
	}
}

func parseVersion(v string) (major, minor uint64, ok bool) {
	a, b, found := strings.Cut(v, ".")
	if !found {
		return 0, 0, false
	}
	major, err1 := strconv.ParseUint(a, 10, 32)
	minor, err2 := strconv.ParseUint(b, 10, 32)
	return major, minor, err1 == nil && err2 == nil
}

// adopt takes over what RUN_STARTED.input echoes (semantics, section 4).
func (m *machine) adopt(in *state.RunAgentInput) {
	added := false
	for _, msg := range in.Messages {
		if m.store.Find([]byte(msg.ID)) != nil {
			continue
		}
		if err := m.store.Insert(msg); err != nil {
			m.fail(m.limitError(err))
			return
		}
		added = true
	}
	if added {
		m.sendMessages()
	}
	if in.State == nil || m.seeded {
		return
	}
	if err := m.doc.Set(in.State); err != nil {
		m.fail(m.limitError(err))
		return
	}
	m.seeded = true
	m.sendState()
}

// runFinished ends a run as its outcome says (rules 7, 116, 117, 119, 120).
func (m *machine) runFinished(o *op) {
	if open := m.openThings(); open != "" && m.verify() {
		m.violate("RUN_FINISHED while these are open: " + open)
		if m.closed {
			return
		}
		m.fate = applied
	}
	thread, run := m.str(decode.FieldThreadID), m.str(decode.FieldRunID)
	if m.phase == running && string(thread) != m.threadID {
		m.warn("threadId "+strconv.Quote(string(thread))+" differs from RUN_STARTED's "+strconv.Quote(m.threadID), "/threadId")
	}
	if m.phase == running && string(run) != m.runID {
		m.warn("runId "+strconv.Quote(string(run))+" differs from RUN_STARTED's "+strconv.Quote(m.runID), "/runId")
	}
	e := RunEnd{Kind: Success, Usage: m.payload.usage}
	if m.ev.Has(decode.FieldResult) {
		e.Result = state.NormalizeJSON(nil, m.ev.Raw(decode.FieldResult))
	}
	out := &m.payload.outcome
	switch {
	case m.payload.hasOut && out.Type == "interrupt":
		e.Kind = Interrupted
		if e.Interrupts = m.distinct(out.Interrupts); m.closed {
			return
		}
	case m.payload.hasOut && out.Type == "cancelled":
		e.Kind = Cancelled
	default:
		e.PendingToolCallIDs = m.pending()
		if m.payload.hasOut {
			m.comparePending(out.PendingToolCallIDs, e.PendingToolCallIDs)
		}
	}
	m.trace(o)
	m.interrupts = e.Interrupts
	for i := range m.interrupts {
		m.up.interrupt.Interrupt = &m.interrupts[i]
		m.send(&m.up.interrupt)
	}
	m.pendingCalls = e.PendingToolCallIDs
	if e.Kind != Success {
		m.pendingCalls = m.pending()
	}
	m.phase = finished
	m.end(e)
}

// distinct keeps the first of interrupts that share an id: two are a violation.
func (m *machine) distinct(list []Interrupt) []Interrupt {
	if m.opt.NoVerify {
		return list
	}
	seen := make(map[string]struct{}, len(list))
	kept := list[:0]
	for _, in := range list {
		if _, ok := seen[in.ID]; ok {
			m.violate("RUN_FINISHED: two interrupts with the id " + strconv.Quote(in.ID))
			if m.closed {
				return nil
			}
			m.fate = applied
			continue
		}
		seen[in.ID] = struct{}{}
		kept = append(kept, in)
	}
	return kept
}

// comparePending warns when an outcome lists other calls than the stream's own tally (A20), in whatever order.
func (m *machine) comparePending(said, tally []string) {
	if len(said) == 0 {
		return
	}
	if !slices.Equal(said, tally) && !slices.Equal(slices.Sorted(slices.Values(said)), slices.Sorted(slices.Values(tally))) {
		m.warn("pendingToolCallIds names other calls than the stream left unanswered", "/outcome/pendingToolCallIds")
	}
}

// runError ends a run as failed, or turns one that has finished into a failed one (rules 5, 6, 8 and 121).
func (m *machine) runError() {
	if m.phase == errored {
		m.violate(m.checkPhase(&m.op))
		return
	}
	e := m.errorHere(KindRun, string(m.str(decode.FieldMessage)))
	if m.ev.Has(decode.FieldCode) {
		e.Code, e.HasCode = string(m.str(decode.FieldCode)), true
	}
	end := RunEnd{Kind: Failed, Message: e.Reason, Code: e.Code, HasCode: e.HasCode, Usage: m.payload.usage, Err: e}
	m.trace(&m.op)
	late := m.phase == finished
	m.phase = errored
	m.lanes.reset()
	if late {
		e.Late = true
		m.report(e)
		m.lastEnd = end
		return
	}
	m.pendingCalls = m.pending()
	m.report(e)
	m.end(end)
}
