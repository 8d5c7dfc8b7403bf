package watch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// memory is what the reader has been told. Later updates are put into words against it, since a state or a snapshot
// comes whole and most of it is known.
type memory struct {
	state    state.Document
	unkept   bool // the last state was too large to keep
	subs     map[string]subagent
	names    map[string]string // of calls
	texts    map[string]uint64 // of messages, as sums: a snapshot replaces the messages before it can be compared
	args     map[string]uint64 // of calls
	order    []string          // ids of the messages
	activity map[string]*state.Document
	said     []string
}

type subagent struct {
	name, parent string
	running      bool
}

func newMemory() *memory {
	return &memory{
		subs: map[string]subagent{}, names: map[string]string{}, texts: map[string]uint64{}, args: map[string]uint64{},
		activity: map[string]*state.Document{},
	}
}

// FNV-1a, which can go on where it stopped.
const sumBasis, sumPrime = 14695981039346656037, 1099511628211

func sum(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * sumPrime
	}
	return h
}

// message takes note of what an update tells of a message and its calls. What is kept is copied: updates are lent.
func (m *memory) message(u *engine.MessageUpdate) {
	if u.Call != nil {
		m.call(u)
	}
	h, held := m.texts[u.ID]
	switch {
	case !held:
		id := strings.Clone(u.ID)
		m.order = append(m.order, id)
		m.texts[id] = sum(sumBasis, content(u.Message))
	case u.Change == engine.MessageContent:
		m.texts[u.ID] = sum(h, u.Delta)
	case u.Change == engine.ToolResult || u.Change == engine.ActivityChanged:
		m.texts[u.ID] = sum(sumBasis, content(u.Message))
	}
}

func (m *memory) call(u *engine.MessageUpdate) {
	h, held := m.args[u.ToolCallID]
	switch {
	case !held:
		m.keepCall(u.Call)
	case u.Change == engine.ToolCallArgs:
		m.args[u.ToolCallID] = sum(h, u.Delta)
	}
}

func (m *memory) keepCall(call *engine.ToolCall) {
	id := strings.Clone(call.ID)
	m.args[id] = sum(sumBasis, call.Arguments())
	m.names[id] = label(strings.Clone(call.Name))
}

// messagesNote tells what a replaced conversation brings that the reader doesn't know.
func (m *memory) messagesNote(list []*engine.Message) *block {
	texts := make(map[string]uint64, len(list))
	var c changes
	order := make([]string, 0, len(list))
	for _, msg := range list {
		text := content(msg)
		h := sum(sumBasis, text)
		was, held := m.texts[msg.ID]
		same := held && was == h
		for _, call := range msg.ToolCalls {
			args, known := m.args[call.ID]
			m.keepCall(call)
			same = same && known && args == m.args[call.ID]
		}
		id := strings.Clone(msg.ID)
		texts[id] = h
		order = append(order, id)
		switch {
		case same, !held && msg.Role == state.RoleUser && slices.Contains(m.said, text):
		case held:
			c.tell("~", role(msg), preview(msg, text))
		default:
			c.tell("+", role(msg), preview(msg, text))
		}
	}
	for _, id := range m.order {
		if _, held := texts[id]; !held {
			c.tell("-", id, "is gone")
		}
	}
	m.texts, m.order = texts, order
	b := note(span{stateStyle, "messages"}, span{text: " replaced: " + count(len(list), "message") + " now"})
	return c.addTo(b, "nothing new among them")
}

func preview(msg *engine.Message, text string) string {
	line := excerpt(text)
	for _, call := range msg.ToolCalls {
		if line != "" {
			line += " "
		}
		line += "calls " + clip(label(call.Name), mostColumns)
	}
	return line
}

// stateNote tells what changed in the state.
func (m *memory) stateNote(now *state.Document) *block {
	b := note(span{stateStyle, "state"})
	if now.Size() > mostDiffed {
		m.unkept = true
		b.head = append(b.head, span{text: fmt.Sprintf(" of %d bytes, too large to tell what changed", now.Size())})
		return b
	}
	c := compare(m.state.Root(), now.Root())
	if m.unkept {
		b.head = append(b.head, span{text: fmt.Sprintf(" of %d bytes", now.Size())})
		c = changes{lines: []string{brief(now.Root())}}
	}
	m.unkept = m.state.Set(now.AppendJSON(nil)) != nil
	return c.addTo(b, "as it was")
}

// activityNote tells what changed in an activity.
func (m *memory) activityNote(msg *engine.Message) *block {
	b := note(span{stateStyle, "activity"}, span{text: " " + label(msg.ActivityType)}, span{faint, " " + label(msg.ID)})
	if msg.Activity == nil {
		return b
	}
	old := m.activity[msg.ID]
	if old == nil {
		old = new(state.Document)
		m.activity[strings.Clone(msg.ID)] = old
	}
	c := compare(old.Root(), msg.Activity.Root())
	if old.Set(msg.Activity.AppendJSON(nil)) != nil {
		old.Reset()
	}
	return c.addTo(b, "as it was")
}

func (c *changes) addTo(b *block, none string) *block {
	if len(c.lines) == 0 {
		b.head = append(b.head, span{faint, " " + none})
	}
	for _, line := range c.lines {
		b.add("", plain, line)
	}
	if c.more > 0 {
		b.add("", faint, "... "+count(c.more, "more change"))
	}
	return b
}

// subagent takes note of a subagent's name.
func (m *memory) subagent(a *engine.Subagent) {
	m.subs[a.ID] = subagent{label(a.Name), a.ParentSubagentRunID.Value, a.Status == state.Running}
}

// who names the owner of what carries a subagent's id, outermost first; "" is the main agent.
func (m *memory) who(id string, tagged bool) string {
	if !tagged {
		return ""
	}
	path := ""
	for range deepest { // parents may form a circle
		a, held := m.subs[id]
		name := a.name
		if !held || name == "" {
			name = label(id)
		}
		if path != "" {
			name += "/" + path
		}
		path = name
		if id = a.parent; id == "" {
			break
		}
	}
	return path
}

func owner(msg *engine.Message) (id string, tagged bool) {
	if msg == nil {
		return "", false
	}
	return msg.SubagentRunID.Value, msg.SubagentRunID.Present
}
