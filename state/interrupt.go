package state

import "strings"

// Interrupt is one question that ended a run (protocol 2.5). Its strings are its own.
type Interrupt struct {
	ID, Reason     string
	Message        OptString
	ToolCallID     OptString
	ResponseSchema JSON      // an object
	ExpiresAt      OptString // ISO 8601 by convention; no form is enforced
	Metadata       JSON      // an object
	SubagentRunID  OptString
}

// AppendJSON appends the wire form.
func (in *Interrupt) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "id", in.ID)
	dst = appendString(dst, "reason", in.Reason)
	dst = appendOpt(dst, "message", in.Message)
	dst = appendOpt(dst, "toolCallId", in.ToolCallID)
	dst = appendJSON(dst, "responseSchema", in.ResponseSchema)
	dst = appendOpt(dst, "expiresAt", in.ExpiresAt)
	dst = appendJSON(dst, "metadata", in.Metadata)
	dst = appendOpt(dst, "subagentRunId", in.SubagentRunID)
	return append(dst, '}')
}

// Clone is a deep copy in its own memory.
func (in Interrupt) Clone() Interrupt {
	return Interrupt{
		ID:             strings.Clone(in.ID),
		Reason:         strings.Clone(in.Reason),
		Message:        cloneOpt(in.Message),
		ToolCallID:     cloneOpt(in.ToolCallID),
		ResponseSchema: in.ResponseSchema.clone(),
		ExpiresAt:      cloneOpt(in.ExpiresAt),
		Metadata:       in.Metadata.clone(),
		SubagentRunID:  cloneOpt(in.SubagentRunID),
	}
}
