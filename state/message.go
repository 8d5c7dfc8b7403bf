package state

import (
	"slices"
	"strings"
	"unsafe"
)

// Message is one message of a thread (protocol 2.1). Its exported fields are for reading, and for building seeds and
// requests; once a Store holds it, it is changed through the Store only.
//
// Strings of a held message may be views of buffers that the Store's Pool reuses: they are right while the Store holds
// the message. Clone makes a copy that lives on its own.
type Message struct {
	// What deltas and the end of a run touch comes first: with thousands of threads each line of it is cold.

	ID       string
	Role     Role
	HasParts bool // the content is Parts, not text

	// text is the content, append-only while the message is held; with a Pool, a buffer that is outgrown goes back to it,
	// without one views of it stay right. When the content is
	// parts and tailed is set, it is the growing text of Parts[tail] instead.
	text    []byte
	hasText bool
	tailed  bool
	carry   uint16 // a high surrogate that waits for its other half
	held    bool
	waited  bool // is on Store.waiting
	tail    int32
	slot    int32 // index in Store.Messages plus one; 0: not there
	bytes   int   // text, parts' text and sources, arguments, metadata: what MaxMessageBytes bounds
	ids     []byte
	keys    keyIndex
	room    *partRoom // what Parts lies in, where SetParts made them

	// Mark belongs to the engine's rules. It is not for users, and nothing in this package reads it.
	Mark Mark

	ToolCalls []*ToolCall
	Metadata  Metadata  // nil: absent
	Activity  *Document // activity only: the content

	SubagentRunID      OptString
	Name               OptString
	ToolCallID         string    // tool only
	Error              OptString // tool only
	ActivityType       string    // activity only
	EncryptedValue     OptString
	EncryptedValueType OptString
	Parts              []Part // content as parts, when HasParts; may be empty
}

// Mark is room for the engine's rules on a message, a call or a subagent: plain data, zero at first and after reuse.
type Mark struct {
	Run   uint32
	Owner uint32
	Flags uint8
	Slot  int32
}

// NewMessage is a message with text content, in its own memory: for seeds and requests.
func NewMessage(role Role, id, text string) *Message {
	m := &Message{ID: id, Role: role}
	m.SetText(text)
	return m
}

// UserMessage is what a user says.
func UserMessage(id, text string) *Message { return NewMessage(RoleUser, id, text) }

// ToolMessage is a tool's answer to a call.
func ToolMessage(id, toolCallID, text string) *Message {
	m := NewMessage(RoleTool, id, text)
	m.ToolCallID = toolCallID
	return m
}

// PartsMessage is a user message of content parts. The parts are taken over, not copied.
func PartsMessage(id string, parts ...Part) *Message {
	return &Message{ID: id, Role: RoleUser, Parts: parts, HasParts: true}
}

// Text is the content as text, without a copy: a view that is right until the message's next change; without a Pool it
// stays right whatever is appended later. It is "" when the message has no content, or content as parts.
func (m *Message) Text() string {
	if m.HasParts {
		return ""
	}
	return lend(m.text)
}

// HasText reports whether the message has text content: false for an assistant message without content, and when the
// content is parts or an activity.
func (m *Message) HasText() bool { return m.hasText && !m.HasParts }

// SetText replaces the content of a message that is in no Store.
func (m *Message) SetText(s string) {
	m.clearContent()
	m.text, m.hasText = []byte(s), true
}

// Index is the message's place in Store.Messages; -1 for reasoning, and for a message that no Store holds.
func (m *Message) Index() int { return int(m.slot) - 1 }

// Held reports whether a Store holds the message now.
func (m *Message) Held() bool { return m.held }

// Clone is a deep copy in its own memory. It is in no Store and bears no Mark.
func (m *Message) Clone() *Message {
	c := new(Message)
	m.copyTo(c, nil)
	return c
}

// copyTo copies everything that the wire shows into an empty message, memory of c or new memory only.
func (m *Message) copyTo(c *Message, p *Pool) {
	c.ID, c.Role = c.ownString(m.ID), m.Role
	c.Name, c.SubagentRunID = c.ownOpt(m.Name), c.ownOpt(m.SubagentRunID)
	c.ToolCallID, c.Error = c.ownString(m.ToolCallID), c.ownOpt(m.Error)
	c.ActivityType = c.ownString(m.ActivityType)
	if m.Activity != nil {
		c.Activity = p.takeDocument()
		// A document within its own limits fits a copy: Set fails on these alone.
		c.Activity.MaxBytes, c.Activity.MaxDepth = m.Activity.MaxBytes, m.Activity.MaxDepth
		_ = c.Activity.Set(m.Activity.AppendJSON(nil))
	}
	c.EncryptedValue, c.EncryptedValueType = c.ownOpt(m.EncryptedValue), c.ownOpt(m.EncryptedValueType)
	c.Parts, c.HasParts = cloneParts(m.Parts), m.HasParts
	if !m.HasParts {
		c.text, c.hasText = append(p.growBuffer(c.text, len(m.text)), m.text...), m.hasText
	}
	if m.ToolCalls != nil {
		c.ToolCalls = slices.Grow(p.takeCallList(), len(m.ToolCalls))
		if c.ToolCalls == nil {
			c.ToolCalls = []*ToolCall{}
		}
		for _, call := range m.ToolCalls {
			cc := p.takeCall()
			call.copyTo(cc, p)
			c.ToolCalls = append(c.ToolCalls, cc)
		}
	}
	c.Metadata = m.Metadata.Clone()
	c.bytes = c.size()
}

// size counts what MaxMessageBytes bounds.
func (m *Message) size() int {
	n := len(m.EncryptedValue.Value) + m.Metadata.size()
	if m.HasParts {
		n += partsSize(m.Parts)
	} else {
		n += len(m.text)
	}
	for _, c := range m.ToolCalls {
		n += len(c.args) + len(c.EncryptedValue.Value) + c.Metadata.size()
	}
	return n
}

// clearContent forgets the content. The text buffer goes with it: views of it were lent for as long as the message is
// held, so it can't be written over.
func (m *Message) clearContent() {
	m.text, m.hasText, m.carry = nil, false, 0
	m.Parts, m.HasParts = nil, false
	m.tailed = false
}

// ownLimit bounds what a message keeps in its buffer for short strings. The buffer only grows while the message is
// held, so a value that is replaced again and again must not live there.
const ownLimit = 512

func (m *Message) own(b []byte) string       { return ownIn(&m.ids, b) }
func (m *Message) ownString(s string) string { return ownIn(&m.ids, bytesOf(s)) }
func (m *Message) ownOpt(o OptString) OptString {
	return OptString{Value: m.ownString(o.Value), Present: o.Present}
}

func ownIn(buf *[]byte, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	n := len(*buf)
	if n+len(b) > ownLimit {
		*buf = (*buf)[:n:n] // a full one tells of strings that lie elsewhere
		return string(b)
	}
	*buf = append(*buf, b...)
	return lend((*buf)[n:])
}

// lend views bytes as a string. Whoever calls it vouches that they aren't written again while the view is lent.
func lend(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf views a string as bytes that must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func cloneOpt(o OptString) OptString {
	return OptString{Value: strings.Clone(o.Value), Present: o.Present}
}
