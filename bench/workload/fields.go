package workload

import "strings"

// fields of an event type by how the 1.1 schema describes them: names parted by spaces. Marked `?` are
// those that may hold any JSON; a wrong kind can't be made for them.
type fields struct {
	required, optional string
	unowned            bool // takes no subagentRunId as attribution
}

var described = map[string]fields{
	"TEXT_MESSAGE_START":        {required: "messageId", optional: "role name"},
	"TEXT_MESSAGE_CONTENT":      {required: "messageId delta"},
	"TEXT_MESSAGE_END":          {required: "messageId"},
	"TEXT_MESSAGE_CHUNK":        {optional: "messageId role delta name"},
	"TOOL_CALL_START":           {required: "toolCallId toolCallName", optional: "parentMessageId"},
	"TOOL_CALL_ARGS":            {required: "toolCallId delta"},
	"TOOL_CALL_END":             {required: "toolCallId"},
	"TOOL_CALL_CHUNK":           {optional: "toolCallId toolCallName parentMessageId delta"},
	"TOOL_CALL_RESULT":          {required: "messageId toolCallId content", optional: "role"},
	"STATE_SNAPSHOT":            {required: "snapshot?"},
	"STATE_DELTA":               {required: "delta"},
	"MESSAGES_SNAPSHOT":         {required: "messages", unowned: true},
	"ACTIVITY_SNAPSHOT":         {required: "messageId activityType content", optional: "replace"},
	"ACTIVITY_DELTA":            {required: "messageId activityType patch"},
	"RAW":                       {required: "event?", optional: "source"},
	"CUSTOM":                    {required: "name value?"},
	"RUN_STARTED":               {required: "threadId runId", optional: "protocolVersion parentRunId input", unowned: true},
	"RUN_FINISHED":              {required: "threadId runId", optional: "result? outcome usage", unowned: true},
	"RUN_ERROR":                 {required: "message", optional: "code usage", unowned: true},
	"STEP_STARTED":              {required: "stepName"},
	"STEP_FINISHED":             {required: "stepName"},
	"REASONING_START":           {required: "messageId"},
	"REASONING_MESSAGE_START":   {required: "messageId role"},
	"REASONING_MESSAGE_CONTENT": {required: "messageId delta"},
	"REASONING_MESSAGE_END":     {required: "messageId"},
	"REASONING_MESSAGE_CHUNK":   {optional: "messageId delta"},
	"REASONING_END":             {required: "messageId"},
	"REASONING_ENCRYPTED_VALUE": {required: "subtype entityId encryptedValue", optional: "encryptedValueType"},
	"SUBAGENT_STARTED":          {required: "subagentRunId name", optional: "description parentSubagentRunId parentToolCallId parentMessageId", unowned: true},
	"SUBAGENT_FINISHED":         {required: "subagentRunId", optional: "result? outcome", unowned: true},
	"SUBAGENT_ERROR":            {required: "subagentRunId message", optional: "code", unowned: true},
}

// typed strips the marked ones from a list of fields, and the marks from the rest when any is true.
func typed(list string, any bool) []string {
	var names []string
	for _, name := range strings.Fields(list) {
		bare, free := strings.CutSuffix(name, "?")
		if !free || any {
			names = append(names, bare)
		}
	}
	return names
}

// optionals are the optional fields of a type, envelope and owner among them.
func (f fields) optionals() []string {
	names := append(typed(f.optional, true), "timestamp", "rawEvent", "metadata")
	if !f.unowned {
		names = append(names, "subagentRunId")
	}
	return names
}
