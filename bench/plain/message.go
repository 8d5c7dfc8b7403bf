package plain

import "unicode/utf8"

// opt is a string that may be absent.
type opt struct {
	s  string
	ok bool
}

// is compares with text of a frame.
func (o opt) is(t lent) bool { return o.ok == t.ok && o.s == string(t.b) }

// lent is text of the frame at hand that may be absent. An absent subagentRunId
// means the main agent.
type lent struct {
	b  []byte
	ok bool
}

func (t lent) opt() opt { return opt{string(t.b), t.ok} }

func (o opt) lent() lent { return lent{[]byte(o.s), o.ok} }

// buffer is text that grows by deltas, with the half of a surrogate pair that
// waits for its other one.
type buffer struct {
	b     []byte
	carry rune
}

// add appends a delta and gives what came of it, lent.
func (t *buffer) add(body []byte) []byte {
	n := len(t.b)
	t.b = appendText(t.b, body, &t.carry)
	return t.b[n:]
}

// flush turns a waiting half into U+FFFD.
func (t *buffer) flush() ([]byte, bool) {
	if t.carry == 0 {
		return nil, false
	}
	n := len(t.b)
	t.carry = 0
	t.b = utf8.AppendRune(t.b, utf8.RuneError)
	return t.b[n:], true
}

type call struct {
	id, name  string
	arguments buffer
	encrypted opt
	encType   opt
	metadata  map[string]any
	message   *message
}

type message struct {
	id, role     string
	index        int // among the messages without reasoning
	text         buffer
	hasText      bool
	parts        []any          // content as parts, when not nil
	textPart     map[string]any // the part that text grows, in step with text
	name, owner  opt
	calls        []*call
	toolCallID   opt
	failure      opt
	activityType string
	activity     []byte // JSON text
	encrypted    opt
	encType      opt
	metadata     map[string]any
}

const reasoningRole = "reasoning"

// takesText tells whether text can be streamed into the message.
func (m *message) takesText() bool {
	switch m.role {
	case "developer", "system", "assistant", "user":
		return true
	}
	return false
}

// newMessage makes a message of a tree that messageShapes has let through.
func newMessage(m map[string]any) *message {
	msg := &message{id: m["id"].(string), role: m["role"].(string)}
	msg.name, msg.owner = option(m, "name"), option(m, "subagentRunId")
	msg.toolCallID, msg.failure = option(m, "toolCallId"), option(m, "error")
	msg.encrypted, msg.encType = option(m, "encryptedValue"), option(m, "encryptedValueType")
	msg.metadata, _ = m["metadata"].(map[string]any)
	msg.activityType, _ = m["activityType"].(string)
	msg.setContent(m["content"])
	calls, _ := m["toolCalls"].([]any)
	for _, v := range calls {
		c := v.(map[string]any)
		function := c["function"].(map[string]any)
		made := &call{id: c["id"].(string), name: function["name"].(string), message: msg}
		made.arguments.b = []byte(function["arguments"].(string))
		made.encrypted, made.encType = option(c, "encryptedValue"), option(c, "encryptedValueType")
		made.metadata, _ = c["metadata"].(map[string]any)
		msg.calls = append(msg.calls, made)
	}
	return msg
}

func option(m map[string]any, name string) opt {
	s, ok := m[name].(string)
	return opt{s, ok}
}

func (m *message) setContent(content any) {
	m.text, m.hasText, m.parts, m.textPart = buffer{}, false, nil, nil
	switch c := content.(type) {
	case string:
		m.text.b, m.hasText = []byte(c), true
	case []any:
		m.parts = append([]any{}, c...)
	case map[string]any:
		m.activity = appendJSON(nil, c)
	}
}

// addText appends a delta. Into parts it goes to the last text part, or else
// to a new one.
func (m *message) addText(body []byte) []byte {
	if m.parts != nil && m.textPart == nil {
		m.growPart()
	}
	m.hasText = m.parts == nil
	return m.text.add(body)
}

func (m *message) growPart() {
	for _, v := range m.parts {
		if p := v.(map[string]any); p["type"] == "text" {
			m.textPart = p
		}
	}
	if m.textPart == nil {
		m.textPart = map[string]any{"type": "text", "text": ""}
		m.parts = append(m.parts, m.textPart)
	}
	m.text.b = []byte(m.textPart["text"].(string))
}

// merge adds metadata key by key; the last write wins.
func merge(into *map[string]any, raw []byte) {
	if len(raw) == 0 {
		return
	}
	if *into == nil {
		*into = map[string]any{}
	}
	for k, v := range mustParse(raw).(map[string]any) {
		(*into)[k] = v
	}
}

// appendWire writes the message as the protocol's section 2.1 has it.
func (m *message) appendWire(dst []byte) []byte {
	o := newObject(dst)
	o.text("id", m.id)
	o.text("role", m.role)
	switch {
	case m.role == "activity":
		o.raw("content", m.activity)
	case m.parts != nil:
		if m.textPart != nil {
			m.textPart["text"] = string(m.text.b)
		}
		o.tree("content", m.parts)
	case m.hasText:
		o.bytes("content", m.text.b)
	}
	o.option("name", m.name)
	if len(m.calls) > 0 {
		o.name("toolCalls")
		o.b = appendList(o.b, m.calls, (*call).appendWire)
	}
	o.option("toolCallId", m.toolCallID)
	o.option("error", m.failure)
	if m.role == "activity" {
		o.text("activityType", m.activityType)
	}
	o.option("encryptedValue", m.encrypted)
	o.option("encryptedValueType", m.encType)
	if m.metadata != nil {
		o.tree("metadata", m.metadata)
	}
	o.option("subagentRunId", m.owner)
	return o.close()
}

func (c *call) appendWire(dst []byte) []byte {
	o := newObject(dst)
	o.text("id", c.id)
	o.text("type", "function")
	o.name("function")
	f := newObject(o.b)
	f.text("name", c.name)
	f.bytes("arguments", c.arguments.b)
	o.b = f.close()
	o.option("encryptedValue", c.encrypted)
	o.option("encryptedValueType", c.encType)
	if c.metadata != nil {
		o.tree("metadata", c.metadata)
	}
	return o.close()
}

func appendList[T any](dst []byte, items []T, item func(T, []byte) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(v, dst)
	}
	return append(dst, ']')
}
