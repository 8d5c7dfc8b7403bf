package engine

import (
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// op is an event as the verifier and the stores see it: taken from the wire, or made from a chunk or a retired shape.
// Its slices borrow the frame, the scratch buffer or a lane.
type op struct {
	typ      decode.Type
	made     bool // not the wire event itself: the trace is written from here
	id       []byte
	hasID    bool
	tag      []byte // subagentRunId
	tagged   bool
	delta    []byte // JSON string body, without quotes
	plain    bool   // delta holds no escape and is ASCII
	hasDelta bool
	meta     []byte // JSON object; nil when absent
	raw      []byte // rawEvent; kept only for the trace
	role     state.Role
	hasRole  bool
	name     []byte // name, toolCallName
	hasName  bool
	parent   []byte // parentMessageId
	hasPar   bool
}

// idField is the member that names what an event is about.
var idField = [decode.NumTypes]decode.Field{
	decode.TextMessageStart: decode.FieldMessageID, decode.TextMessageContent: decode.FieldMessageID,
	decode.TextMessageEnd: decode.FieldMessageID, decode.TextMessageChunk: decode.FieldMessageID,
	decode.ToolCallStart: decode.FieldToolCallID, decode.ToolCallArgs: decode.FieldToolCallID,
	decode.ToolCallEnd: decode.FieldToolCallID, decode.ToolCallChunk: decode.FieldToolCallID,
	decode.ToolCallResult:   decode.FieldMessageID,
	decode.ActivitySnapshot: decode.FieldMessageID, decode.ActivityDelta: decode.FieldMessageID,
	decode.ReasoningStart: decode.FieldMessageID, decode.ReasoningEnd: decode.FieldMessageID,
	decode.ReasoningMessageStart: decode.FieldMessageID, decode.ReasoningMessageContent: decode.FieldMessageID,
	decode.ReasoningMessageEnd: decode.FieldMessageID, decode.ReasoningMessageChunk: decode.FieldMessageID,
	decode.ReasoningEncryptedValue: decode.FieldEntityID,
	decode.StepStarted:             decode.FieldStepName, decode.StepFinished: decode.FieldStepName,
	decode.SubagentStarted: decode.FieldSubagentRunID, decode.SubagentFinished: decode.FieldSubagentRunID,
	decode.SubagentError: decode.FieldSubagentRunID,
}

// load reads the members that the rules look at.
func (m *machine) load(ev *decode.Event, o *op) {
	*o = op{typ: ev.Type}
	if f := idField[ev.Type]; ev.Has(f) && f != decode.FieldType {
		o.id, o.hasID = m.str(f), true
	}
	if ev.Has(decode.FieldSubagentRunID) && idField[ev.Type] != decode.FieldSubagentRunID {
		o.tag, o.tagged = m.str(decode.FieldSubagentRunID), true
	}
	if ev.Has(decode.FieldMetadata) {
		o.meta = ev.Raw(decode.FieldMetadata)
	}
	switch ev.Type {
	case decode.TextMessageContent, decode.ToolCallArgs, decode.ReasoningMessageContent, decode.ThinkingTextMessageContent:
		m.loadDelta(ev, o)
	case decode.TextMessageStart, decode.TextMessageChunk:
		m.loadDelta(ev, o)
		if ev.Has(decode.FieldRole) {
			o.role, o.hasRole = state.ParseRole(m.str(decode.FieldRole))
		}
		if ev.Has(decode.FieldName) {
			o.name, o.hasName = m.str(decode.FieldName), true
		}
	case decode.ReasoningMessageChunk:
		m.loadDelta(ev, o)
	case decode.ToolCallStart, decode.ToolCallChunk:
		m.loadDelta(ev, o)
		if ev.Has(decode.FieldToolCallName) {
			o.name, o.hasName = m.str(decode.FieldToolCallName), true
		}
		if ev.Has(decode.FieldParentMessageID) {
			o.parent, o.hasPar = m.str(decode.FieldParentMessageID), true
		}
	}
}

func (m *machine) loadDelta(ev *decode.Event, o *op) {
	raw := ev.Raw(decode.FieldDelta)
	if len(raw) < 2 || !ev.Type.Describes(decode.FieldDelta) {
		return
	}
	o.delta, o.hasDelta, o.plain = raw[1:len(raw)-1], true, ev.IsPlain(decode.FieldDelta)
}
