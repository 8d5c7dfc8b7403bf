package state

// Tool is a tool that the client offers (protocol 2.2). Parameters is any JSON, a JSON Schema by convention.
type Tool struct {
	Name, Description string
	Parameters        JSON
	Metadata          JSON // an object
}

// AppendJSON appends the wire form.
func (t *Tool) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "name", t.Name)
	dst = appendString(dst, "description", t.Description)
	dst = appendJSON(dst, "parameters", t.Parameters)
	dst = appendJSON(dst, "metadata", t.Metadata)
	return append(dst, '}')
}

// Context is a piece of context for the agent (protocol 2.2).
type Context struct{ Description, Value string }

// AppendJSON appends the wire form.
func (c *Context) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "description", c.Description)
	dst = appendString(dst, "value", c.Value)
	return append(dst, '}')
}

// What a ResumeEntry's Status says.
const (
	ResumeResolved  = "resolved"
	ResumeCancelled = "cancelled"
)

// ResumeEntry answers one interrupt (protocol 2.5). Status is ResumeResolved or ResumeCancelled.
type ResumeEntry struct {
	InterruptID string
	Status      string
	Payload     JSON
	Metadata    JSON // an object
}

// AppendJSON appends the wire form.
func (r *ResumeEntry) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "interruptId", r.InterruptID)
	dst = appendString(dst, "status", r.Status)
	dst = appendJSON(dst, "payload", r.Payload)
	dst = appendJSON(dst, "metadata", r.Metadata)
	return append(dst, '}')
}

// RunAgentInput asks for a run (protocol 2.7). A nil list of tools, context or resume is absent; an empty one that is
// not nil is sent as []. Messages is always sent. The kept JSON is never null: the wire has no null there.
type RunAgentInput struct {
	ThreadID, RunID string
	ProtocolVersion OptString
	ParentRunID     OptString
	State           JSON
	Messages        []*Message
	Tools           []Tool
	Context         []Context
	ForwardedProps  JSON
	Resume          []ResumeEntry
}

// AppendJSON appends the wire form, as it stands: leaving out activity messages (rule 100) is the sender's business.
func (in *RunAgentInput) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "threadId", in.ThreadID)
	dst = appendString(dst, "runId", in.RunID)
	dst = appendOpt(dst, "protocolVersion", in.ProtocolVersion)
	dst = appendOpt(dst, "parentRunId", in.ParentRunID)
	dst = appendJSON(dst, "state", in.State)
	dst = AppendMessages(appendKey(dst, "messages"), in.Messages)
	if in.Tools != nil {
		dst = appendList(dst, "tools", in.Tools, func(dst []byte, t *Tool) []byte { return t.AppendJSON(dst) })
	}
	if in.Context != nil {
		dst = appendList(dst, "context", in.Context, func(dst []byte, c *Context) []byte { return c.AppendJSON(dst) })
	}
	dst = appendJSON(dst, "forwardedProps", in.ForwardedProps)
	if in.Resume != nil {
		dst = appendList(dst, "resume", in.Resume, func(dst []byte, r *ResumeEntry) []byte { return r.AppendJSON(dst) })
	}
	return append(dst, '}')
}
