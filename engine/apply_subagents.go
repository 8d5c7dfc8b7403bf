package engine

import (
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// stepStarted and stepFinished hold rule 20. A step leaves nothing behind (rule 104).
func (m *machine) stepStarted(o *op) {
	s := step{m.stepOwner(o), stringOf(o.id)}
	r := &m.rules
	at, known := r.stepAt[s]
	if known && r.stepOpen[at] {
		if m.verify() {
			m.violate("STEP_STARTED: step " + strconv.Quote(s.name) + " is already open")
			return
		}
		m.attribute(o)
		m.trace(o)
		return
	}
	m.attribute(o)
	if !known {
		at = int32(len(r.stepOpen))
		r.stepOpen = append(r.stepOpen, false)
		s.name = r.name(o.id)
		put(&r.stepAt, s, at) // new ones only: to write over an entry is to write over its key, too
	}
	r.stepOpen[at] = true
	r.openSteps++
	m.trace(o)
}

func (m *machine) stepFinished(o *op) {
	s := step{m.stepOwner(o), stringOf(o.id)}
	r := &m.rules
	at, known := r.stepAt[s]
	open := known && r.stepOpen[at]
	if !open && m.verify() {
		m.violate("STEP_FINISHED: step " + strconv.Quote(s.name) + " was not started")
		return
	}
	if open {
		r.openSteps--
		r.stepOpen[at] = false
	}
	m.attribute(o)
	m.trace(o)
}

func (m *machine) stepOwner(o *op) uint32 {
	if !o.tagged {
		return parentOwner
	}
	return m.rules.intern(o.tag)
}

// markEnded is a subagent that was announced and has ended in this run.
const markEnded = markChunk

// subagentStarted announces an invocation (rules 30, 34 and 101).
func (m *machine) subagentStarted(o *op) {
	i, a := m.subs.Find(o.id)
	if a != nil && a.Mark.Run == m.rules.run && m.verify() {
		what := " is already active"
		if a.Mark.Flags&markEnded != 0 {
			what = " has already ended in this run"
		}
		m.violate("SUBAGENT_STARTED: subagent " + strconv.Quote(a.ID) + what)
		return
	}
	if m.ev.Has(decode.FieldParentSubagentRunID) {
		parent := m.str(decode.FieldParentSubagentRunID)
		if _, p := m.subs.Find(parent); p == nil || p.Mark.Run != m.rules.run {
			m.warn("parentSubagentRunId "+strconv.Quote(string(parent))+" was not announced in this run", "/parentSubagentRunId")
		}
	}
	own := &m.rules.owners[m.rules.intern(o.id)]
	if own.attributed && (a == nil || a.Mark.Run != m.rules.run) {
		m.warn("subagent "+strconv.Quote(own.id)+" is announced after events of its own", "/subagentRunId")
	}
	change := SubagentStarted
	if a == nil && len(m.subs.List()) >= m.lim.Messages {
		m.fail(m.limitError(&state.LimitError{What: "subagents of a thread", Limit: int64(m.lim.Messages)}))
		return
	}
	if a == nil {
		i, a = m.subs.Add(o.id)
	} else if a.Status == state.Suspended {
		change = SubagentResumed
	}
	if name := m.str(decode.FieldName); a.Name != string(name) {
		a.Name = a.Own(name)
	}
	m.setOpt(a, &a.Description, decode.FieldDescription)
	m.setOpt(a, &a.ParentSubagentRunID, decode.FieldParentSubagentRunID)
	m.setOpt(a, &a.ParentToolCallID, decode.FieldParentToolCallID)
	m.setOpt(a, &a.ParentMessageID, decode.FieldParentMessageID)
	a.Status, a.Result, a.InterruptIDs, a.Message, a.Code = state.Running, nil, nil, "", state.OptString{}
	if !m.rules.isOpen(&a.Mark) {
		m.rules.active++
	}
	a.Mark = state.Mark{Run: m.rules.run, Flags: markOpen, Slot: noLane}
	m.trace(o)
	m.sendSubagent(i, a, change)
}

func (m *machine) setOpt(a *Subagent, to *state.OptString, f decode.Field) {
	if !m.ev.Has(f) {
		return
	}
	if v := m.str(f); !to.Present || to.Value != string(v) {
		*to = state.Some(a.Own(v))
	}
}

// subagentEnded is SUBAGENT_FINISHED or SUBAGENT_ERROR (rules 31, 38 and 101).
func (m *machine) subagentEnded(o *op) {
	i, a := m.subs.Find(o.id)
	if a == nil || !m.rules.isOpen(&a.Mark) && m.verify() {
		if m.opt.NoVerify {
			m.skip()
			return
		}
		m.violate(o.typ.String() + ": subagent " + strconv.Quote(string(o.id)) + " is not active")
		return
	}
	if m.rules.isOpen(&a.Mark) {
		m.rules.active--
	}
	a.Mark = state.Mark{Run: m.rules.run, Flags: markEnded, Slot: noLane}
	a.Result, a.InterruptIDs, a.Message, a.Code = nil, nil, "", state.OptString{}
	change := SubagentFinished
	if o.typ == decode.SubagentError {
		change, a.Status = SubagentFailed, state.Failed
		a.Message = a.Own(m.str(decode.FieldMessage))
		m.setOpt(a, &a.Code, decode.FieldCode)
	} else {
		a.Status = state.Finished
		if m.ev.Has(decode.FieldResult) {
			a.SetResult(m.ev.Raw(decode.FieldResult))
		}
		if m.payload.hasOut && m.payload.outcome.Type == "suspended" {
			change, a.Status = SubagentSuspended, state.Suspended
			a.SetInterruptIDs(m.payload.outcome.InterruptIDs)
		}
	}
	m.trace(o)
	m.sendSubagent(i, a, change)
}

func (m *machine) sendSubagent(i int, a *Subagent, change SubagentChange) {
	m.up.subagent = SubagentUpdate{Index: i, ID: a.ID, Change: change, Subagent: a}
	m.send(&m.up.subagent)
}
