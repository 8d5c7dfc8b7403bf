package decode

import (
	"iter"
	"math/bits"
)

// Type is an event type of AG-UI 1.1, or one of the five retired THINKING_* types of the 0.x line.
type Type uint8

// Unknown is a type that this package doesn't know; Event.TypeName tells its name.
const (
	Unknown Type = iota
	TextMessageStart
	TextMessageContent
	TextMessageEnd
	TextMessageChunk
	ToolCallStart
	ToolCallArgs
	ToolCallEnd
	ToolCallChunk
	ToolCallResult
	StateSnapshot
	StateDelta
	MessagesSnapshot
	ActivitySnapshot
	ActivityDelta
	Raw
	Custom
	RunStarted
	RunFinished
	RunError
	StepStarted
	StepFinished
	ReasoningStart
	ReasoningMessageStart
	ReasoningMessageContent
	ReasoningMessageEnd
	ReasoningMessageChunk
	ReasoningEnd
	ReasoningEncryptedValue
	SubagentStarted
	SubagentFinished
	SubagentError
	ThinkingStart
	ThinkingEnd
	ThinkingTextMessageStart
	ThinkingTextMessageContent
	ThinkingTextMessageEnd
	NumTypes
)

var typeNames = [NumTypes]string{
	TextMessageStart:           "TEXT_MESSAGE_START",
	TextMessageContent:         "TEXT_MESSAGE_CONTENT",
	TextMessageEnd:             "TEXT_MESSAGE_END",
	TextMessageChunk:           "TEXT_MESSAGE_CHUNK",
	ToolCallStart:              "TOOL_CALL_START",
	ToolCallArgs:               "TOOL_CALL_ARGS",
	ToolCallEnd:                "TOOL_CALL_END",
	ToolCallChunk:              "TOOL_CALL_CHUNK",
	ToolCallResult:             "TOOL_CALL_RESULT",
	StateSnapshot:              "STATE_SNAPSHOT",
	StateDelta:                 "STATE_DELTA",
	MessagesSnapshot:           "MESSAGES_SNAPSHOT",
	ActivitySnapshot:           "ACTIVITY_SNAPSHOT",
	ActivityDelta:              "ACTIVITY_DELTA",
	Raw:                        "RAW",
	Custom:                     "CUSTOM",
	RunStarted:                 "RUN_STARTED",
	RunFinished:                "RUN_FINISHED",
	RunError:                   "RUN_ERROR",
	StepStarted:                "STEP_STARTED",
	StepFinished:               "STEP_FINISHED",
	ReasoningStart:             "REASONING_START",
	ReasoningMessageStart:      "REASONING_MESSAGE_START",
	ReasoningMessageContent:    "REASONING_MESSAGE_CONTENT",
	ReasoningMessageEnd:        "REASONING_MESSAGE_END",
	ReasoningMessageChunk:      "REASONING_MESSAGE_CHUNK",
	ReasoningEnd:               "REASONING_END",
	ReasoningEncryptedValue:    "REASONING_ENCRYPTED_VALUE",
	SubagentStarted:            "SUBAGENT_STARTED",
	SubagentFinished:           "SUBAGENT_FINISHED",
	SubagentError:              "SUBAGENT_ERROR",
	ThinkingStart:              "THINKING_START",
	ThinkingEnd:                "THINKING_END",
	ThinkingTextMessageStart:   "THINKING_TEXT_MESSAGE_START",
	ThinkingTextMessageContent: "THINKING_TEXT_MESSAGE_CONTENT",
	ThinkingTextMessageEnd:     "THINKING_TEXT_MESSAGE_END",
}

// String gives the wire name, or "" for Unknown.
func (t Type) String() string {
	if t >= NumTypes {
		return ""
	}
	return typeNames[t]
}

// Field is a top-level member name that some event type uses.
type Field uint8

// The members, named after their wire names.
const (
	FieldType Field = iota
	FieldTimestamp
	FieldRawEvent
	FieldMetadata
	FieldSubagentRunID
	FieldMessageID
	FieldDelta
	FieldRole
	FieldName
	FieldToolCallID
	FieldToolCallName
	FieldParentMessageID
	FieldContent
	FieldSnapshot
	FieldMessages
	FieldActivityType
	FieldReplace
	FieldPatch
	FieldEvent
	FieldSource
	FieldValue
	FieldThreadID
	FieldRunID
	FieldProtocolVersion
	FieldParentRunID
	FieldInput
	FieldResult
	FieldOutcome
	FieldUsage
	FieldMessage
	FieldCode
	FieldStepName
	FieldSubtype
	FieldEntityID
	FieldEncryptedValue
	FieldEncryptedValueType
	FieldDescription
	FieldParentSubagentRunID
	FieldParentToolCallID
	FieldTitle
	NumFields
)

var fieldNames = [NumFields]string{
	FieldType:                "type",
	FieldTimestamp:           "timestamp",
	FieldRawEvent:            "rawEvent",
	FieldMetadata:            "metadata",
	FieldSubagentRunID:       "subagentRunId",
	FieldMessageID:           "messageId",
	FieldDelta:               "delta",
	FieldRole:                "role",
	FieldName:                "name",
	FieldToolCallID:          "toolCallId",
	FieldToolCallName:        "toolCallName",
	FieldParentMessageID:     "parentMessageId",
	FieldContent:             "content",
	FieldSnapshot:            "snapshot",
	FieldMessages:            "messages",
	FieldActivityType:        "activityType",
	FieldReplace:             "replace",
	FieldPatch:               "patch",
	FieldEvent:               "event",
	FieldSource:              "source",
	FieldValue:               "value",
	FieldThreadID:            "threadId",
	FieldRunID:               "runId",
	FieldProtocolVersion:     "protocolVersion",
	FieldParentRunID:         "parentRunId",
	FieldInput:               "input",
	FieldResult:              "result",
	FieldOutcome:             "outcome",
	FieldUsage:               "usage",
	FieldMessage:             "message",
	FieldCode:                "code",
	FieldStepName:            "stepName",
	FieldSubtype:             "subtype",
	FieldEntityID:            "entityId",
	FieldEncryptedValue:      "encryptedValue",
	FieldEncryptedValueType:  "encryptedValueType",
	FieldDescription:         "description",
	FieldParentSubagentRunID: "parentSubagentRunId",
	FieldParentToolCallID:    "parentToolCallId",
	FieldTitle:               "title",
}

// String gives the wire name.
func (f Field) String() string {
	if f >= NumFields {
		return ""
	}
	return fieldNames[f]
}

// FieldSet is a set of fields.
type FieldSet uint64

// Has tells whether f is in the set.
func (s FieldSet) Has(f Field) bool { return s>>f&1 != 0 }

// Fields gives the set's fields in the order of their constants.
func (s FieldSet) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(Field(bits.TrailingZeros64(uint64(s)))) {
				return
			}
		}
	}
}
