package plain

import "strconv"

// Update is one thing that a view should react to. It is lent: its slices are
// good until the function that it was given to returns.
type Update struct {
	Kind   string // message, messages, state, reasoning, interrupt, subagent, error, done
	Index  int    // of messages and subagents
	ID     string
	Change string

	Delta      []byte // of a content change
	HasDelta   bool
	ToolCallID string // of changes of calls and results
	Name       string // of a call that starts, and of subagents
	HasCall    bool
	Text       []byte // of reasoning, so far
	Count      int    // of messages
	State      []byte // JSON text
	Interrupt  any
	Status     string // of subagents

	failure errorInfo
	at      place
	ending  ending
}

type errorInfo struct {
	kind, message string
	code          opt
	late          bool
}

// tell hands an update on.
func (p *Pipeline) tell(u Update) {
	p.tellWarnings()
	p.counts.Updates++
	if p.opts.Update == nil {
		return
	}
	p.update = u
	p.opts.Update(&p.update)
}

func (p *Pipeline) tellMessage(m *message, change string) {
	p.tell(Update{Kind: "message", Index: m.index, ID: m.id, Change: change})
}

func (p *Pipeline) tellCall(c *call, change string, delta []byte) {
	m := c.message
	if m.role == reasoningRole {
		return
	}
	u := Update{Kind: "message", Index: m.index, ID: m.id, Change: change, ToolCallID: c.id, HasCall: true, Delta: delta, HasDelta: delta != nil}
	if change == "toolCallStarted" {
		u.Name = c.name
	}
	p.tell(u)
}

func (p *Pipeline) tellResult(m *message) {
	p.tell(Update{Kind: "message", Index: m.index, ID: m.id, Change: "toolResult", ToolCallID: m.toolCallID.s, HasCall: true})
}

func (p *Pipeline) tellDelta(kind int, it *item, delta []byte) {
	m := it.message
	switch kind {
	case textItem:
		p.tell(Update{Kind: "message", Index: m.index, ID: m.id, Change: "content", Delta: delta, HasDelta: true})
	case toolItem:
		p.tell(Update{Kind: "message", Index: m.index, ID: m.id, Change: "toolCallArgs", ToolCallID: it.call.id, HasCall: true, Delta: delta, HasDelta: true})
	case thoughtItem:
		p.tell(Update{Kind: "reasoning", ID: m.id, Change: "content", Delta: delta, HasDelta: true, Text: m.text.b})
	}
}

func (p *Pipeline) tellThought(id string, m *message, change string) {
	u := Update{Kind: "reasoning", ID: id, Change: change}
	if m != nil {
		u.Text = m.text.b
	}
	p.tell(u)
}

func (p *Pipeline) tellMessages() {
	p.tell(Update{Kind: "messages", Count: p.store.messages})
}

func (p *Pipeline) tellState() { p.tell(Update{Kind: "state", State: p.state}) }

func (p *Pipeline) tellInterrupt(interrupt any) {
	p.tell(Update{Kind: "interrupt", Interrupt: interrupt})
}

func (p *Pipeline) tellSubagent(s *subagent, change string) {
	p.tell(Update{Kind: "subagent", Index: s.index, ID: s.id, Change: change, Status: s.status, Name: s.name})
}

func (p *Pipeline) tellError(e errorInfo) {
	p.counts.Errors[e.kind]++
	p.tell(Update{Kind: "error", failure: e, at: p.at})
}

func (p *Pipeline) tellDone(e ending) { p.tell(Update{Kind: "done", ending: e}) }

// Line gives the update as the command prints it, one JSON object.
func (u *Update) Line() []byte {
	o := newObject(nil)
	o.text("update", u.Kind)
	switch u.Kind {
	case "message":
		o.raw("index", strconv.AppendInt(nil, int64(u.Index), 10))
		o.text("id", u.ID)
		o.text("change", u.Change)
		if u.HasDelta {
			o.bytes("delta", u.Delta)
		}
		if u.HasCall {
			o.text("toolCallId", u.ToolCallID)
		}
		if u.Change == "toolCallStarted" {
			o.text("name", u.Name)
		}
	case "messages":
		o.raw("count", strconv.AppendInt(nil, int64(u.Count), 10))
	case "state":
		o.raw("state", u.State)
	case "reasoning":
		o.text("id", u.ID)
		o.text("change", u.Change)
		if u.HasDelta {
			o.bytes("delta", u.Delta)
		}
		o.bytes("text", u.Text)
	case "interrupt":
		o.tree("interrupt", u.Interrupt)
	case "subagent":
		o.raw("index", strconv.AppendInt(nil, int64(u.Index), 10))
		o.text("id", u.ID)
		o.text("change", u.Change)
		o.text("status", u.Status)
		o.text("name", u.Name)
	case "error":
		u.errorLine(&o)
	case "done":
		u.doneLine(&o)
	}
	return o.close()
}

func (u *Update) errorLine(o *object) {
	o.text("kind", u.failure.kind)
	o.text("message", u.failure.message)
	o.option("code", u.failure.code)
	if u.failure.late {
		o.raw("late", []byte("true"))
	}
	if u.at.number > 0 {
		o.raw("event", strconv.AppendInt(nil, u.at.number, 10))
	}
	if u.at.hasOffset {
		o.raw("offset", strconv.AppendInt(nil, u.at.offset, 10))
	}
	if u.at.typ != "" {
		o.text("type", u.at.typ)
	}
}

func (u *Update) doneLine(o *object) {
	e := u.ending
	o.text("end", e.end)
	if len(e.result) > 0 {
		o.raw("result", normal(e.result))
	}
	if len(e.pending) > 0 {
		o.name("pendingToolCallIds")
		o.b = appendList(o.b, e.pending, func(id string, dst []byte) []byte { return appendQuoted(dst, id) })
	}
	if len(e.interrupts) > 0 {
		o.tree("interrupts", e.interrupts)
	}
	o.option("message", e.message)
	o.option("code", e.code)
	if list, _ := e.usage.([]any); len(list) > 0 {
		o.tree("usage", list)
	}
}

// Snapshot gives the stores as one JSON object, as the command's last line
// shows them.
func (p *Pipeline) Snapshot() []byte {
	messages := p.store.list(func(m *message) bool { return m.role != reasoningRole })
	reasoning := p.store.list(func(m *message) bool { return m.role == reasoningRole })
	o := newObject(nil)
	o.text("threadId", p.threadID)
	o.text("runId", p.runID)
	o.name("messages")
	o.b = appendList(o.b, messages, (*message).appendWire)
	o.name("reasoning")
	o.b = appendList(o.b, reasoning, (*message).appendWire)
	o.name("conversation")
	o.b = appendList(o.b, p.store.conversation, (*message).appendWire)
	o.raw("state", p.state)
	o.name("interrupts")
	o.b = appendJSON(o.b, append([]any{}, p.interrupts...))
	o.name("subagents")
	o.b = appendList(o.b, p.subagents, (*subagent).appendWire)
	return o.close()
}
