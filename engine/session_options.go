package engine

// SessionOption sets one thing of a new Session.
type SessionOption func(*sessionConfig)

type sessionConfig struct {
	stream    StreamOptions
	tools     []Tool
	context   []Context
	forwarded JSON
	mint      func(kind string) string
}

// WithRules chooses the rule set; the default is Loud.
func WithRules(r Rules) SessionOption { return func(c *sessionConfig) { c.stream.Rules = r } }

// WithoutVerification switches the ordering and ownership rules off.
func WithoutVerification() SessionOption { return func(c *sessionConfig) { c.stream.NoVerify = true } }

// WithLimits bounds what a run may send; zero members keep their defaults.
func WithLimits(l Limits) SessionOption { return func(c *sessionConfig) { c.stream.Limits = l } }

// WithMessages seeds the conversation, reasoning included. The messages are copied.
func WithMessages(msgs ...*Message) SessionOption {
	return func(c *sessionConfig) { c.stream.Messages = append(c.stream.Messages, msgs...) }
}

// WithState seeds the state with JSON text. Text that is no JSON, or that doesn't decode into the session's type, has
// every run refused with a KindConfig error.
func WithState(state JSON) SessionOption { return func(c *sessionConfig) { c.stream.State = state } }

// WithTools offers tools to the agent. A call of one of them stays unanswered when its run ends: the application answers
// it by a tool message before the next run (rule 118).
func WithTools(tools ...Tool) SessionOption {
	return func(c *sessionConfig) { c.tools = append(c.tools, tools...) }
}

// WithContext sends pieces of context along with every run.
func WithContext(context ...Context) SessionOption {
	return func(c *sessionConfig) { c.context = append(c.context, context...) }
}

// WithForwardedProps passes JSON through to the agent untouched.
func WithForwardedProps(props JSON) SessionOption {
	return func(c *sessionConfig) { c.forwarded = props }
}

// WithWarnings has f told of what was put up with, in streams and in requests.
func WithWarnings(f func(Warning)) SessionOption { return func(c *sessionConfig) { c.stream.Warn = f } }

// WithIDs replaces the random ids of runs ("run") and messages ("msg"). An id that the thread holds is asked for again.
func WithIDs(mint func(kind string) string) SessionOption {
	return func(c *sessionConfig) { c.mint = mint }
}

// RunOption sets one thing of one run.
type RunOption func(*runConfig)

type runConfig struct {
	runID     string
	parentRun OptString
	resume    []ResumeEntry
}

// WithRunID names the run; the default is a random id. An id must not be used twice on a thread.
func WithRunID(id string) RunOption { return func(c *runConfig) { c.runID = id } }

// WithParentRunID says which run spawned this one.
func WithParentRunID(id string) RunOption {
	return func(c *runConfig) { c.parentRun = OptString{Value: id, Present: true} }
}
