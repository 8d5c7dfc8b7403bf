package engine

import (
	"errors"
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
	if m.spec && m.opt.Warn != nil {
		ev.Unknown(func(name []byte) {
			m.warn("unknown property "+strconv.Quote(string(name))+" stripped", "/"+pointerToken(string(name)))
		})
	}
	if err := ev.Check(); err != nil {
		return m.malformed(ev, err)
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
			m.fail(m.payloadError(err))
			return false
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
		m.fail(m.errorHere(KindJSON, "unknown event type "+strconv.Quote(string(ev.TypeName()))))
		return false
	}
	m.warn("unknown event type "+string(ev.TypeName())+" dropped", "/type")
	m.skip()
	return false
}

func (m *machine) dropNulls(ev *decode.Event, nulls decode.FieldSet) {
	for f := range decode.NumFields {
		if nulls.Has(f) {
			m.warn("null in the optional field "+f.String()+" read as absent", "/"+f.String())
			ev.Drop(f)
		}
	}
}

// malformed judges what Check found. Under Loud a patch of the wrong shape is a failed patch, not a broken stream.
func (m *machine) malformed(ev *decode.Event, err error) bool {
	var d *decode.Error
	if !m.spec && errors.As(err, &d) {
		for _, f := range [...]decode.Field{decode.FieldDelta, decode.FieldPatch} {
			isPatch := ev.Type == decode.StateDelta && f == decode.FieldDelta || ev.Type == decode.ActivityDelta && f == decode.FieldPatch
			if isPatch && d.Field == f.String() && ev.Has(f) {
				m.patchFailed(m.patchTarget(ev), "the patch is not an array", err)
				return false
			}
		}
	}
	m.fail(m.decodeError(err))
	return false
}

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
		m.fail(m.errorHere(KindJSON, "role: "+what))
		return false
	}
	m.warn(what+" stripped", "/role")
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
		m.fail(m.errorHere(KindJSON, "subtype: "+what))
		return false
	}
	m.warn(what+": event dropped", "/subtype")
	m.skip()
	return false
}

// patchTarget names what a patch event is about, for its errors.
func (m *machine) patchTarget(ev *decode.Event) string {
	if ev.Type == decode.StateDelta {
		return "state"
	}
	if ev.Kind(decode.FieldMessageID) != decode.String {
		return "activity"
	}
	return "activity " + strconv.Quote(string(m.str(decode.FieldMessageID)))
}

// patchFailed reports a patch that was not applied; the run goes on.
func (m *machine) patchFailed(target, reason string, cause error) {
	m.skip()
	e := m.errorHere(KindPatch, reason)
	e.Target, e.Err = target, cause
	m.report(e)
}

// boundPatch parses the event's patch (protocol 2.8; rule 88).
func (m *machine) boundPatch(ev *decode.Event, f decode.Field) bool {
	if err := m.patch.Parse(ev.Raw(f)); err != nil {
		if !m.spec {
			m.patchFailed(m.patchTarget(ev), err.Error(), err)
			return false
		}
		e := m.errorHere(KindJSON, f.String()+": "+err.Error())
		e.Err = err
		m.fail(e)
		return false
	}
	unknown := m.patch.Unknown()
	if len(unknown) == 0 {
		return true
	}
	if !m.spec {
		u := unknown[0]
		m.patchFailed(m.patchTarget(ev), "operation "+strconv.Itoa(u.Index)+": unknown op "+strconv.Quote(u.Op), nil)
		return false
	}
	for _, u := range unknown {
		m.warn("unknown patch operation "+strconv.Quote(u.Op)+" dropped", "/"+f.String()+"/"+strconv.Itoa(u.Index))
	}
	return true
}

// boundPayload decodes the nested members that have a shape of their own.
func (m *machine) boundPayload(ev *decode.Event) (err error) {
	p := &m.payload
	*p = payload{}
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
	e := m.errorHere(KindJSON, err.Error())
	e.Err = err
	return e
}
