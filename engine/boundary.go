package engine

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// payload holds what the boundary decoded of an event's nested members, for the stores to take.
type payload struct {
	messages []*Message
	parts    []state.Part
	outcome  state.Outcome
	hasOut   bool
	usage    []TokenUsage
	input    *state.RunAgentInput
}

// boundary is the first stage: retired shapes, null optionals, unknown material, malformed fields (sections 1.4, 6.1
// and 6.2 of the protocol). It says whether the event goes on.
func (m *machine) boundary(ev *decode.Event) bool {
	if ev.Type == decode.Unknown {
		return m.unknownType(ev)
	}
	if nulls := ev.NullOptionals(); nulls != 0 {
		m.dropNulls(ev, nulls)
	}
	if m.spec {
		ev.Unknown(func(name []byte) {
			m.note("unknown property "+strconv.Quote(string(name))+" stripped", "/"+pointerToken(string(name)))
		})
	}
	if err := ev.CheckBut(m.lateFields(ev)); err != nil {
		return m.refuse(m.decodeError(err))
	}
	switch ev.Type {
	case decode.TextMessageStart, decode.TextMessageChunk:
		return m.boundRole(ev)
	case decode.ReasoningEncryptedValue:
		return m.boundSubtype(ev)
	case decode.StateDelta:
		return m.boundPatch(ev, decode.FieldDelta)
	case decode.ActivityDelta:
		return m.boundPatch(ev, decode.FieldPatch)
	case decode.MessagesSnapshot, decode.ToolCallResult, decode.RunStarted, decode.RunFinished, decode.RunError, decode.SubagentFinished:
		if err := m.boundPayload(ev); err != nil {
			return m.refuse(m.payloadError(err))
		}
	}
	return true
}

// pointerToken escapes a member name for a path (RFC 6901, section 3).
func pointerToken(name string) string {
	var b []byte
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '~':
			b = append(b, '~', '0')
		case '/':
			b = append(b, '~', '1')
		default:
			b = append(b, name[i])
		}
	}
	return string(b)
}

func (m *machine) unknownType(ev *decode.Event) bool {
	if !m.spec {
		return m.refuse(m.errorHere(KindJSON, "unknown event type "+strconv.Quote(string(ev.TypeName()))))
	}
	m.note("unknown event type "+string(ev.TypeName())+" dropped", "")
	m.skip()
	return false
}

func (m *machine) dropNulls(ev *decode.Event, nulls decode.FieldSet) {
	m.nulls = true
	for f := range decode.NumFields {
		if nulls.Has(f) {
			m.note("null in the optional field "+f.String()+" read as absent", "/"+f.String())
			ev.Drop(f)
		}
	}
}

// lateFields are those whose shape is judged when the event is applied: under Loud a patch of the wrong shape is a patch
// that fails, not a broken stream.
func (m *machine) lateFields(ev *decode.Event) decode.FieldSet {
	if m.spec || !ev.Has(patchField[ev.Type]) {
		return 0
	}
	return 1 << patchField[ev.Type]
}

// patchField is where an event has its patch; FieldType stands for nowhere.
var patchField = [decode.NumTypes]decode.Field{decode.StateDelta: decode.FieldDelta, decode.ActivityDelta: decode.FieldPatch}

func (m *machine) boundRole(ev *decode.Event) bool {
	if !ev.Has(decode.FieldRole) {
		return true
	}
	role, ok := state.ParseRole(m.str(decode.FieldRole))
	if ok && role.TextRole() {
		return true
	}
	what := "unknown role " + strconv.Quote(string(m.str(decode.FieldRole)))
	if !m.spec {
		return m.refuse(m.errorHere(KindJSON, "role: "+what))
	}
	m.note(what+" stripped", "/role")
	ev.Drop(decode.FieldRole)
	return true
}

func (m *machine) boundSubtype(ev *decode.Event) bool {
	s := string(m.str(decode.FieldSubtype))
	if s == "message" || s == "tool-call" {
		return true
	}
	what := "unknown subtype " + strconv.Quote(s)
	if !m.spec {
		return m.refuse(m.errorHere(KindJSON, "subtype: "+what))
	}
	m.note(what+": event dropped", "/subtype")
	m.skip()
	return false
}

// patchFailed reports a patch that was not applied; the run goes on.
func (m *machine) patchFailed(target, reason string, cause error) {
	m.skip()
	e := m.errorHere(KindPatch, reason)
	e.Target, e.Err = target, cause
	m.report(e)
}

// boundPatch parses the event's patch (protocol 2.8; rule 88). Under Loud what is wrong with it waits until it is applied.
func (m *machine) boundPatch(ev *decode.Event, f decode.Field) bool {
	m.badPatch = nil
	err := m.patch.Parse(ev.Raw(f))
	if !m.spec {
		if unknown := m.patch.Unknown(); err == nil && len(unknown) > 0 {
			err = fmt.Errorf("operation %d: unknown op %q", unknown[0].Index, unknown[0].Op)
		}
		m.badPatch = err
		return true
	}
	if err != nil {
		e := m.errorHere(KindJSON, f.String()+": "+err.Error())
		e.Err = err
		return m.refuse(e)
	}
	for _, u := range m.patch.Unknown() {
		m.note("unknown patch operation "+strconv.Quote(u.Op)+" dropped", "/"+f.String()+"/"+strconv.Itoa(u.Index))
	}
	return true
}

// applyPatch patches a document of the event's, all or nothing; false when it failed, and said so.
func (m *machine) applyPatch(doc *state.Document) bool {
	err := m.badPatch
	switch {
	case err != nil:
	case m.ev.Type == decode.ActivityDelta:
		err = doc.ApplyObject(&m.patch)
	default:
		err = doc.Apply(&m.patch)
	}
	if err != nil {
		target := "state"
		if m.ev.Type == decode.ActivityDelta {
			target = "activity " + strconv.Quote(string(m.op.id))
		}
		m.patchFailed(target, err.Error(), err)
		return false
	}
	return true
}

// boundPayload decodes the nested members that have a shape of their own.
func (m *machine) boundPayload(ev *decode.Event) (err error) {
	p := &m.payload
	*p = payload{}
	m.enf.Loud, m.enf.Pool = !m.spec, m.pool.messages()
	if m.enf.Warn == nil {
		m.enf.Warn = m.desk.notePath
	}
	switch ev.Type {
	case decode.MessagesSnapshot:
		p.messages, err = m.enf.Messages(ev.Raw(decode.FieldMessages), "/messages")
	case decode.ToolCallResult:
		if ev.Kind(decode.FieldContent) == decode.Array {
			p.parts, err = m.enf.Parts(ev.Raw(decode.FieldContent), "/content")
		}
	case decode.RunStarted:
		if ev.Has(decode.FieldInput) && (m.spec || m.opt.AdoptInput) {
			p.input, err = m.enf.Input(ev.Raw(decode.FieldInput), "/input")
		}
	case decode.RunFinished:
		if ev.Has(decode.FieldOutcome) {
			p.outcome, p.hasOut, err = m.enf.RunOutcome(ev.Raw(decode.FieldOutcome), "/outcome")
		}
	case decode.SubagentFinished:
		if ev.Has(decode.FieldOutcome) {
			p.outcome, p.hasOut, err = m.enf.SubagentOutcome(ev.Raw(decode.FieldOutcome), "/outcome")
		}
	}
	if err == nil && ev.Has(decode.FieldUsage) {
		p.usage, err = m.enf.Usage(ev.Raw(decode.FieldUsage), "/usage")
	}
	if err == nil && ev.Has(decode.FieldOutcome) && !p.hasOut {
		ev.Drop(decode.FieldOutcome)
	}
	return err
}

func (m *machine) payloadError(err error) *Error {
	if errors.As(err, new(*state.LimitError)) {
		return m.limitError(err)
	}
	e := m.errorHere(KindJSON, err.Error())
	e.Err = err
	return e
}

// note keeps what was put up with until all of the event is known to be sound: of one that is malformed the error alone
// speaks.
func (d *desk) note(text, path string) { d.noted = append(d.noted, Warning{Text: text, Path: path}) }

// notePath is note for the enforcer.
func (d *desk) notePath(path, text string) { d.note(text, path) }

// tell gives the warnings that were noted.
func (m *machine) tell() {
	defer m.forget() // be it that the hook panics: the desk is other streams' too
	for _, w := range m.noted {
		m.warn(w.Text, w.Path)
	}
}

// forget drops what was noted, its text too.
func (m *machine) forget() {
	clear(m.noted)
	m.noted = m.noted[:0]
}

// refuse ends the run at a malformed event.
func (m *machine) refuse(e *Error) bool {
	m.forget()
	m.fail(e)
	return false
}
