package plain

import "strings"

// Kinds of the members of events. A small letter stands for a value that may
// not be null.
const (
	kindString  = 's'
	kindBool    = 'b'
	kindInteger = 'i'
	kindObject  = 'o'
	kindArray   = 'a'
	kindContent = 'c' // a string or an array of parts
	kindPatch   = 'p' // an array; what is wrong with it is for the patch to say
	kindAny     = 'j'
	kindNull    = 'J' // any value, null included
)

// event describes one type of event.
type event struct {
	name     string
	members  []int // bits, in the order they print
	kinds    [64]byte
	mask     uint64
	required uint64
}

// Types without subagentRunId in their row can't be attributed.
var events = table(`
TEXT_MESSAGE_START         | messageId:s | role:s name:s subagentRunId:s
TEXT_MESSAGE_CONTENT       | messageId:s delta:s | subagentRunId:s
TEXT_MESSAGE_END           | messageId:s | subagentRunId:s
TEXT_MESSAGE_CHUNK         | | messageId:s role:s delta:s name:s subagentRunId:s
TOOL_CALL_START            | toolCallId:s toolCallName:s | parentMessageId:s subagentRunId:s
TOOL_CALL_ARGS             | toolCallId:s delta:s | subagentRunId:s
TOOL_CALL_END              | toolCallId:s | subagentRunId:s
TOOL_CALL_CHUNK            | | toolCallId:s toolCallName:s parentMessageId:s delta:s subagentRunId:s
TOOL_CALL_RESULT           | messageId:s toolCallId:s content:c | role:s subagentRunId:s
STATE_SNAPSHOT             | snapshot:J | subagentRunId:s
STATE_DELTA                | delta:p | subagentRunId:s
MESSAGES_SNAPSHOT          | messages:a |
ACTIVITY_SNAPSHOT          | messageId:s activityType:s content:o | replace:b subagentRunId:s
ACTIVITY_DELTA             | messageId:s activityType:s patch:p | subagentRunId:s
RAW                        | event:J | source:s subagentRunId:s
CUSTOM                     | name:s value:J | subagentRunId:s
RUN_STARTED                | threadId:s runId:s | protocolVersion:s parentRunId:s input:o
RUN_FINISHED               | threadId:s runId:s | result:j outcome:o usage:a
RUN_ERROR                  | message:s | code:s usage:a
STEP_STARTED               | stepName:s | subagentRunId:s
STEP_FINISHED              | stepName:s | subagentRunId:s
REASONING_START            | messageId:s | subagentRunId:s
REASONING_MESSAGE_START    | messageId:s role:s | subagentRunId:s
REASONING_MESSAGE_CONTENT  | messageId:s delta:s | subagentRunId:s
REASONING_MESSAGE_END      | messageId:s | subagentRunId:s
REASONING_MESSAGE_CHUNK    | | messageId:s delta:s subagentRunId:s
REASONING_END              | messageId:s | subagentRunId:s
REASONING_ENCRYPTED_VALUE  | subtype:s entityId:s encryptedValue:s | encryptedValueType:s subagentRunId:s
SUBAGENT_STARTED           | subagentRunId:s name:s | description:s parentSubagentRunId:s parentToolCallId:s parentMessageId:s
SUBAGENT_FINISHED          | subagentRunId:s | result:j outcome:o
SUBAGENT_ERROR             | subagentRunId:s message:s | code:s
THINKING_START             | | title:s subagentRunId:s
THINKING_END               | | subagentRunId:s
THINKING_TEXT_MESSAGE_START   | | subagentRunId:s
THINKING_TEXT_MESSAGE_CONTENT | delta:s | subagentRunId:s
THINKING_TEXT_MESSAGE_END     | | subagentRunId:s
`)

// envelope is what every event may have.
const envelope = "metadata:o timestamp:i rawEvent:j"

func table(text string) map[string]*event {
	all := map[string]*event{}
	for _, row := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(row, "|")
		e := &event{name: strings.TrimSpace(cells[0]), mask: 1 << memberBits["type"]}
		e.add(cells[1], true)
		e.add(cells[2], false)
		e.add(envelope, false)
		all[e.name] = e
	}
	return all
}

func (e *event) add(members string, required bool) {
	for _, member := range strings.Fields(members) {
		name, kind, _ := strings.Cut(member, ":")
		bit, ok := memberBits[name]
		if !ok {
			panic("plain: the wire struct has no member " + name)
		}
		e.members = append(e.members, bit)
		e.kinds[bit] = kind[0]
		e.mask |= 1 << bit
		if required {
			e.required |= 1 << bit
		}
	}
}

// Bits of the members that the rules look at by themselves.
var (
	bitType      = memberBits["type"]
	bitRole      = memberBits["role"]
	bitContent   = memberBits["content"]
	bitMessages  = memberBits["messages"]
	bitOutcome   = memberBits["outcome"]
	bitUsage     = memberBits["usage"]
	bitInput     = memberBits["input"]
	bitPatch     = memberBits["patch"]
	bitDelta     = memberBits["delta"]
	bitRawEvent  = memberBits["rawEvent"]
	bitTimestamp = memberBits["timestamp"]
)
