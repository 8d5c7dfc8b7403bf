package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// trace shows the event as it reaches the stores, when somebody looks.
func (m *machine) trace(o *op) {
	if m.opt.Trace == nil {
		return
	}
	m.buildTrace(o)
	m.showTrace()
}

func (m *machine) showTrace() {
	if m.opt.Trace != nil {
		m.opt.Trace(m.traceBuf)
	}
}

func (m *machine) buildTrace(o *op) {
	if m.opt.Trace == nil {
		return
	}
	b := append(m.traceBuf[:0], `{"type":`...)
	b = decode.AppendQuotedString(b, o.typ.String())
	if o.made {
		b = m.traceMade(b, o)
	} else {
		b = m.traceWire(b)
	}
	m.traceBuf = append(b, '}')
}

// traceMade writes an event that was not on the wire: expanded from a chunk, or translated.
func (m *machine) traceMade(b []byte, o *op) []byte {
	str := func(name string, v []byte, has bool) {
		if has {
			b = decode.AppendQuotedString(append(b, ','), name)
			b = decode.AppendQuoted(append(b, ':'), v)
		}
	}
	str(idField[o.typ].String(), o.id, o.hasID)
	switch o.typ {
	case decode.ToolCallStart:
		str("toolCallName", o.name, o.hasName)
		str("parentMessageId", o.parent, o.hasPar)
	case decode.TextMessageStart:
		str("role", []byte(o.role.String()), o.hasRole)
		str("name", o.name, o.hasName)
	case decode.ReasoningMessageStart:
		str("role", []byte("reasoning"), true)
	}
	if o.hasDelta {
		b = append(b, `,"delta":`...)
		quoted := append(append([]byte{'"'}, o.delta...), '"')
		b = state.NormalizeJSON(b, quoted)
	}
	str("subagentRunId", o.tag, o.tagged)
	if o.meta != nil {
		b = append(b, `,"metadata":`...)
		b = state.NormalizeJSON(b, o.meta)
	}
	if o.raw != nil {
		b = append(b, `,"rawEvent":`...)
		b = state.NormalizeJSON(b, o.raw)
	}
	return b
}

// traceWire writes the wire event as the boundary left it.
func (m *machine) traceWire(b []byte) []byte {
	ev := &m.ev
	for f := range decode.NumFields {
		if f == decode.FieldType || !ev.Has(f) || !ev.Type.Describes(f) {
			continue
		}
		b = decode.AppendQuotedString(append(b, ','), f.String())
		b = append(b, ':')
		switch {
		case f == decode.FieldMessages:
			b = state.AppendMessages(b, m.payload.messages)
		case f == decode.FieldContent && ev.Type == decode.ToolCallResult && ev.Kind(f) == decode.Array:
			b = state.AppendParts(b, m.payload.parts)
		case f == decode.FieldOutcome:
			b = m.payload.outcome.AppendJSON(b)
		case f == decode.FieldInput && m.payload.input != nil:
			b = m.payload.input.AppendJSON(b)
		case f == decode.FieldUsage:
			b = appendUsage(b, m.payload.usage)
		case f == decode.FieldDelta && ev.Type == decode.StateDelta, f == decode.FieldPatch:
			b = m.tracePatch(b, ev.Raw(f))
		default:
			b = state.NormalizeJSON(b, ev.Raw(f))
		}
	}
	return b
}

// tracePatch leaves out the operations that the boundary dropped.
func (m *machine) tracePatch(b, raw []byte) []byte {
	unknown := m.patch.Unknown()
	if len(unknown) == 0 {
		return state.NormalizeJSON(b, raw)
	}
	b = append(b, '[')
	first := true
	decode.Elements(raw, func(i int, value []byte) bool {
		if len(unknown) > 0 && unknown[0].Index == i {
			unknown = unknown[1:]
			return true
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = state.NormalizeJSON(b, value)
		return true
	})
	return append(b, ']')
}

func appendUsage(b []byte, list []TokenUsage) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}
