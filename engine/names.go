package engine

import "github.com/aguistream/aguistream/state"

// Role is whose a message is.
type Role = state.Role

// The roles of messages (protocol, section 2.1). Text can be streamed into the first four.
const (
	RoleDeveloper = state.RoleDeveloper
	RoleSystem    = state.RoleSystem
	RoleAssistant = state.RoleAssistant
	RoleUser      = state.RoleUser
	RoleTool      = state.RoleTool
	RoleActivity  = state.RoleActivity
	RoleReasoning = state.RoleReasoning
)

// Status is how a subagent stands.
type Status = state.Status

// The statuses of subagents.
const (
	StatusRunning   = state.Running
	StatusFinished  = state.Finished
	StatusSuspended = state.Suspended
	StatusFailed    = state.Failed
)

// The statuses of a ResumeEntry.
const (
	ResumeResolved  = state.ResumeResolved
	ResumeCancelled = state.ResumeCancelled
)

// Some is a string that is there.
func Some(s string) OptString { return state.Some(s) }

// NewMessage is a message with text content, for seeds and requests. An empty id has a Session mint one.
func NewMessage(role Role, id, text string) *Message { return state.NewMessage(role, id, text) }

// UserMessage is what a user says.
func UserMessage(id, text string) *Message { return state.UserMessage(id, text) }

// ToolMessage is a tool's answer to a call (rule 118).
func ToolMessage(id, toolCallID, text string) *Message {
	return state.ToolMessage(id, toolCallID, text)
}

// PartsMessage is a user message of content parts. The parts are taken over, not copied.
func PartsMessage(id string, parts ...Part) *Message { return state.PartsMessage(id, parts...) }
