package workload

import "strconv"

// family groups event types for the shares that mixed keeps.
type family uint8

const (
	familyRun family = iota
	familyText
	familyTool
	familyState
	familyReasoning
	familySubagent
	familyOther
	numFamilies
)

// reach is which chunk streams the arrival of an event ends (AG-UI, streaming, the chunked form).
type reach uint8

const (
	endsNothing reach = iota
	endsLane          // the chunk stream of the event's own lane
	endsAll
)

type wireType struct {
	name   string
	family family
	ends   reach
}

var (
	runStarted  = wireType{"RUN_STARTED", familyRun, endsAll}
	runFinished = wireType{"RUN_FINISHED", familyRun, endsAll}

	textStart   = wireType{"TEXT_MESSAGE_START", familyText, endsLane}
	textContent = wireType{"TEXT_MESSAGE_CONTENT", familyText, endsLane}
	textEnd     = wireType{"TEXT_MESSAGE_END", familyText, endsLane}
	textChunk   = wireType{"TEXT_MESSAGE_CHUNK", familyText, endsNothing}

	callStart  = wireType{"TOOL_CALL_START", familyTool, endsLane}
	callArgs   = wireType{"TOOL_CALL_ARGS", familyTool, endsLane}
	callEnd    = wireType{"TOOL_CALL_END", familyTool, endsLane}
	callChunk  = wireType{"TOOL_CALL_CHUNK", familyTool, endsNothing}
	callResult = wireType{"TOOL_CALL_RESULT", familyTool, endsLane}

	stateSnapshot    = wireType{"STATE_SNAPSHOT", familyState, endsLane}
	stateDelta       = wireType{"STATE_DELTA", familyState, endsLane}
	messagesSnapshot = wireType{"MESSAGES_SNAPSHOT", familyOther, endsAll}

	reasoningStart     = wireType{"REASONING_START", familyReasoning, endsLane}
	reasoningEnd       = wireType{"REASONING_END", familyReasoning, endsLane}
	thoughtStart       = wireType{"REASONING_MESSAGE_START", familyReasoning, endsLane}
	thoughtContent     = wireType{"REASONING_MESSAGE_CONTENT", familyReasoning, endsLane}
	thoughtEnd         = wireType{"REASONING_MESSAGE_END", familyReasoning, endsLane}
	thoughtChunk       = wireType{"REASONING_MESSAGE_CHUNK", familyReasoning, endsNothing}
	reasoningEncrypted = wireType{"REASONING_ENCRYPTED_VALUE", familyReasoning, endsNothing}

	subagentStarted  = wireType{"SUBAGENT_STARTED", familySubagent, endsNothing}
	subagentFinished = wireType{"SUBAGENT_FINISHED", familySubagent, endsLane}
	subagentError    = wireType{"SUBAGENT_ERROR", familySubagent, endsLane}

	stepStarted      = wireType{"STEP_STARTED", familyOther, endsLane}
	stepFinished     = wireType{"STEP_FINISHED", familyOther, endsLane}
	activitySnapshot = wireType{"ACTIVITY_SNAPSHOT", familyOther, endsNothing}
	activityDelta    = wireType{"ACTIVITY_DELTA", familyOther, endsNothing}
	custom           = wireType{"CUSTOM", familyOther, endsLane}
	raw              = wireType{"RAW", familyOther, endsNothing}
)

// open begins a frame. tag is the owner's subagentRunId, "" for the parent; it rules the lane, and
// whether it is also written is the caller's affair (see owner).
func (s *stream) open(t *wireType, tag string) {
	switch t.ends {
	case endsLane:
		s.lanes.end(tag)
	case endsAll:
		s.lanes.endAll()
	}
	s.events++
	s.families[t.family]++
	s.buf = append(s.buf, `data: {"type":"`...)
	s.buf = append(s.buf, t.name...)
	s.buf = append(s.buf, '"')
	if s.clock != 0 {
		s.clock += int64(s.events & 7)
		s.buf = append(s.buf, `,"timestamp":`...)
		s.buf = strconv.AppendInt(s.buf, s.clock, 10)
	}
}

func (s *stream) shut() { s.buf = append(s.buf, "}\n\n"...) }

func (s *stream) key(name string) {
	s.buf = append(s.buf, ',', '"')
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, '"', ':')
}

// ascii writes a string member that needs no escape: ids, names of tools, enum members.
func (s *stream) ascii(name, value string) {
	s.key(name)
	s.buf = append(s.buf, '"')
	s.buf = append(s.buf, value...)
	s.buf = append(s.buf, '"')
}

// escaped writes a string member whose value is escaped already.
func (s *stream) escaped(name string, value []byte) {
	s.key(name)
	s.buf = append(s.buf, '"')
	s.buf = append(s.buf, value...)
	s.buf = append(s.buf, '"')
}

// text writes a string member, escaped in the stream's style.
func (s *stream) text(name, value string) {
	s.key(name)
	s.buf = appendQuoted(s.buf, value, s.style)
}

// json writes a member whose value is JSON text.
func (s *stream) json(name, value string) {
	s.key(name)
	s.buf = append(s.buf, value...)
}

// owner writes the attribution of an event of the subagent tag; nothing for the parent.
func (s *stream) owner(tag string) {
	if tag != "" {
		s.ascii("subagentRunId", tag)
	}
}
