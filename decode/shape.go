package decode

// want is the set of kinds that a described member may have, a bit each.
type want uint8

const (
	wantString  want = 1 << String
	wantInteger want = 1 << Number // Check looks at the value as well
	wantObject  want = 1 << Object
	wantArray   want = 1 << Array
	wantBool    want = 1<<True | 1<<False
	wantContent      = wantString | wantArray
	wantAny     want = 1<<String | 1<<Number | 1<<Object | 1<<Array | 1<<True | 1<<False | 1<<Null
	wantValue        = wantAny &^ (1 << Null)
)

func (w want) String() string {
	switch w {
	case wantString:
		return "a string"
	case wantInteger:
		return "an integer"
	case wantObject:
		return "an object"
	case wantArray:
		return "an array"
	case wantBool:
		return "true or false"
	case wantContent:
		return "a string or an array"
	}
	return "a value other than null"
}

type described struct {
	field    Field
	want     want
	required bool
}

func must(f Field, w want) described { return described{f, w, true} }
func may(f Field, w want) described  { return described{f, w, false} }

// envelope is what every event has beside its own members; tag is for the events that can be attributed to a subagent.
var (
	envelope = []described{
		must(FieldType, wantString),
		may(FieldTimestamp, wantInteger),
		may(FieldRawEvent, wantValue),
		may(FieldMetadata, wantObject),
	}
	tag = may(FieldSubagentRunID, wantString)
)

// members is AG-UI 1.1's schema of the events' own members (protocol 1.2, retired types 1.4).
var members = [NumTypes][]described{
	TextMessageStart: {tag, must(FieldMessageID, wantString), may(FieldRole, wantString), may(FieldName, wantString)},

	TextMessageContent: {tag, must(FieldMessageID, wantString), must(FieldDelta, wantString)},

	TextMessageEnd: {tag, must(FieldMessageID, wantString)},

	TextMessageChunk: {tag, may(FieldMessageID, wantString), may(FieldRole, wantString), may(FieldDelta, wantString),
		may(FieldName, wantString)},

	ToolCallStart: {tag, must(FieldToolCallID, wantString), must(FieldToolCallName, wantString),
		may(FieldParentMessageID, wantString)},

	ToolCallArgs: {tag, must(FieldToolCallID, wantString), must(FieldDelta, wantString)},

	ToolCallEnd: {tag, must(FieldToolCallID, wantString)},

	ToolCallChunk: {tag, may(FieldToolCallID, wantString), may(FieldToolCallName, wantString),
		may(FieldParentMessageID, wantString), may(FieldDelta, wantString)},

	ToolCallResult: {tag, must(FieldMessageID, wantString), must(FieldToolCallID, wantString),
		must(FieldContent, wantContent), may(FieldRole, wantString)},

	StateSnapshot: {tag, must(FieldSnapshot, wantAny)},

	StateDelta: {tag, must(FieldDelta, wantArray)},

	MessagesSnapshot: {must(FieldMessages, wantArray)},

	ActivitySnapshot: {tag, must(FieldMessageID, wantString), must(FieldActivityType, wantString),
		must(FieldContent, wantObject), may(FieldReplace, wantBool)},

	ActivityDelta: {tag, must(FieldMessageID, wantString), must(FieldActivityType, wantString),
		must(FieldPatch, wantArray)},

	Raw: {tag, must(FieldEvent, wantAny), may(FieldSource, wantString)},

	Custom: {tag, must(FieldName, wantString), must(FieldValue, wantAny)},

	RunStarted: {must(FieldThreadID, wantString), must(FieldRunID, wantString), may(FieldProtocolVersion, wantString),
		may(FieldParentRunID, wantString), may(FieldInput, wantObject)},

	RunFinished: {must(FieldThreadID, wantString), must(FieldRunID, wantString), may(FieldResult, wantValue),
		may(FieldOutcome, wantObject), may(FieldUsage, wantArray)},

	RunError: {must(FieldMessage, wantString), may(FieldCode, wantString), may(FieldUsage, wantArray)},

	StepStarted: {tag, must(FieldStepName, wantString)},

	StepFinished: {tag, must(FieldStepName, wantString)},

	ReasoningStart: {tag, must(FieldMessageID, wantString)},

	ReasoningMessageStart: {tag, must(FieldMessageID, wantString), must(FieldRole, wantString)},

	ReasoningMessageContent: {tag, must(FieldMessageID, wantString), must(FieldDelta, wantString)},

	ReasoningMessageEnd: {tag, must(FieldMessageID, wantString)},

	ReasoningMessageChunk: {tag, may(FieldMessageID, wantString), may(FieldDelta, wantString)},

	ReasoningEnd: {tag, must(FieldMessageID, wantString)},

	ReasoningEncryptedValue: {tag, must(FieldSubtype, wantString), must(FieldEntityID, wantString),
		must(FieldEncryptedValue, wantString), may(FieldEncryptedValueType, wantString)},

	SubagentStarted: {must(FieldSubagentRunID, wantString), must(FieldName, wantString),
		may(FieldDescription, wantString), may(FieldParentSubagentRunID, wantString),
		may(FieldParentToolCallID, wantString), may(FieldParentMessageID, wantString)},

	SubagentFinished: {must(FieldSubagentRunID, wantString), may(FieldResult, wantValue),
		may(FieldOutcome, wantObject)},

	SubagentError: {must(FieldSubagentRunID, wantString), must(FieldMessage, wantString), may(FieldCode, wantString)},

	ThinkingStart: {tag, may(FieldTitle, wantString)},

	ThinkingEnd: {tag},

	ThinkingTextMessageStart: {tag},

	ThinkingTextMessageContent: {tag, must(FieldDelta, wantString)},

	ThinkingTextMessageEnd: {tag},
}

// shape is one type's description as sets, for Check.
type shape struct {
	required FieldSet
	optional FieldSet
	refused  [numKinds]FieldSet // for each kind, the described members that may not be of it
	role     string             // what `role` must be, if it is fixed
}

var shapes = buildShapes()

func buildShapes() (all [NumTypes]shape) {
	for t := Unknown + 1; t < NumTypes; t++ {
		s := &all[t]
		for _, list := range [][]described{envelope, members[t]} {
			for _, d := range list {
				if d.required {
					s.required |= 1 << d.field
				} else {
					s.optional |= 1 << d.field
				}
				for k := String; k < numKinds; k++ {
					if d.want>>k&1 == 0 {
						s.refused[k] |= 1 << d.field
					}
				}
			}
		}
	}
	all[ReasoningMessageStart].role = "reasoning"
	all[ToolCallResult].role = "tool"
	return all
}

// wanted gives what a described member of a type may be.
func wanted(t Type, f Field) want {
	for _, list := range [][]described{envelope, members[t]} {
		for _, d := range list {
			if d.field == f {
				return d.want
			}
		}
	}
	return wantAny
}
