package watch

import (
	"slices"

	"github.com/aguistream/aguistream/engine"
)

// grouped makes one block of each message, tool call, thought, activity and subagent, however their events interleave.
// A block that stands in no group is given up to be printed for good when it is done, so blocks come in the order in
// which they ended. A call is done with its result, an activity with its run, a subagent when it and all in it are.
type grouped struct {
	mem  *memory
	open []*block // in the order in which they began; done ones only while another is partly on the screen
	by   map[string]*block

	columns func() int
	ready   []row // to be printed for good
}

func newGrouped(mem *memory, columns func() int) *grouped {
	return &grouped{mem: mem, by: map[string]*block{}, columns: columns}
}

// Tables share one map: a kind goes before each id.
const (
	messageKey, callKey, thoughtKey, activityKey, groupKey = "m", "c", "r", "a", "s"
)

func (g *grouped) update(u engine.Update) {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		g.message(u)
	case *engine.MessagesUpdate:
		g.begin(g.mem.messagesNote(u.Messages), nil)
	case *engine.StateUpdate[engine.Raw]:
		g.begin(g.mem.stateNote(u.State), nil)
	case *engine.ReasoningUpdate:
		g.reasoning(u)
	case *engine.InterruptUpdate:
		in := u.Interrupt
		g.begin(interruptNote(in, g.mem.who(in.SubagentRunID.Value, in.SubagentRunID.Present)), nil)
	case *engine.SubagentUpdate:
		g.subagent(u)
	case *engine.ErrorUpdate:
		g.begin(errorNote(u.Err), nil)
	case *engine.Done:
		g.closeAll("when the run ended")
		g.begin(doneNote(&u.End, func(id string) string { return g.mem.names[id] }), nil)
	}
	g.settle()
}

func (g *grouped) note(b *block) {
	g.begin(b, nil)
	g.settle()
}

// begin opens a block, in a group or by itself.
func (g *grouped) begin(b *block, group *block) *block {
	if b.key != "" {
		g.by[b.key] = b
	}
	if group != nil {
		group.put(b)
		return b
	}
	g.open = append(g.open, b)
	return b
}

func (g *grouped) end(b *block) {
	b.ended = true
	if g.by[b.key] == b {
		delete(g.by, b.key)
	}
}

// place is the group of what a subagent made; nil for the main agent's. One that was not announced, or that ended
// before, gets a group all the same.
func (g *grouped) place(id string, tagged bool) *block {
	if !tagged {
		return nil
	}
	if b := g.by[groupKey+id]; b != nil {
		return b
	}
	word := " not announced"
	if _, known := g.mem.subs[id]; known {
		word = " goes on"
	}
	return g.group(id, word, "")
}

func (g *grouped) group(id, word, description string) *block {
	sub := g.mem.subs[id]
	name := sub.name
	if name == "" {
		name = label(id)
	}
	b := &block{group: true, key: groupKey + id, head: row{{groupStyle, "subagent " + name}, {text: word}}}
	if description != "" {
		b.head = append(b.head, span{faint, ": " + label(description)})
	}
	var parent *block
	if sub.parent != "" && sub.parent != id {
		parent = g.by[groupKey+sub.parent]
	}
	return g.begin(b, parent)
}

func (g *grouped) subagent(u *engine.SubagentUpdate) {
	a := u.Subagent
	g.mem.subagent(a)
	b := g.by[groupKey+a.ID]
	if u.Change == engine.SubagentStarted || u.Change == engine.SubagentResumed {
		if b != nil {
			g.closeGroup(b)
		}
		g.group(a.ID, " "+u.Change.String(), a.Description.Value)
		return
	}
	if b == nil {
		b = g.group(a.ID, "", "")
	}
	b.add(u.Change.String(), lifeStyle(u.Change), lifeText(a))
	addOutcome(b, a)
	g.closeGroup(b)
}

// closeGroup ends a group. Neither calls in it that wait for results nor activities, which end with nothing, hold it
// open any longer.
func (g *grouped) closeGroup(b *block) {
	g.end(b)
	for _, p := range b.parts {
		in := p.inner
		if in == nil || in.ended || in.key == "" {
			continue
		}
		switch in.key[:1] {
		case callKey:
			if in.settled {
				in.add("", faint, "(no result before the subagent ended)")
				g.end(in)
			}
		case activityKey:
			g.end(in)
		}
	}
}

func (g *grouped) message(u *engine.MessageUpdate) {
	g.mem.message(u)
	switch u.Change {
	case engine.MessageStarted:
		if b := g.by[messageKey+u.ID]; b == nil {
			g.begin(messageBlock(u, ""), g.place(owner(u.Message)))
		}
	case engine.MessageContent:
		b := g.by[messageKey+u.ID]
		if b == nil {
			b = g.begin(messageBlock(u, " goes on"), g.place(owner(u.Message)))
		}
		b.parts[0].text.append(u.Delta)
	case engine.MessageEnded:
		if b := g.by[messageKey+u.ID]; b != nil {
			g.end(b)
		}
	case engine.ToolCallStarted, engine.ToolCallArgs, engine.ToolCallEnded:
		g.call(u)
	case engine.ToolResult:
		g.result(u)
	case engine.ActivityChanged:
		g.activity(u)
	case engine.MessageEncryptedValue:
		g.begin(encryptedNote(u), nil)
	}
}

func messageBlock(u *engine.MessageUpdate, word string) *block {
	b := &block{key: messageKey + u.ID, head: row{{roleStyle(u.Message.Role), role(u.Message)}, {faint, word}}}
	b.add("", plain, "")
	return b
}

func (g *grouped) call(u *engine.MessageUpdate) {
	b := g.by[callKey+u.ToolCallID]
	if b == nil {
		if u.Change == engine.ToolCallEnded {
			return
		}
		word := ""
		if u.Change == engine.ToolCallArgs {
			word = " goes on"
		}
		b = &block{key: callKey + u.ToolCallID, head: row{
			{toolStyle, "tool " + g.mem.names[u.ToolCallID]}, {faint, " " + label(u.ToolCallID) + word},
		}}
		b.add("", plain, "")
		g.begin(b, g.place(owner(u.Message)))
	}
	b.settled = u.Change == engine.ToolCallEnded
	if u.Change == engine.ToolCallArgs {
		b.parts[0].text.append(u.Delta)
	}
}

func (g *grouped) result(u *engine.MessageUpdate) {
	b := g.by[callKey+u.ToolCallID]
	if b == nil {
		b = g.begin(&block{key: callKey + u.ToolCallID, head: row{
			{toolStyle, "result of " + g.mem.names[u.ToolCallID]}, {faint, " " + label(u.ToolCallID)},
		}}, g.place(owner(u.Message)))
	}
	addResult(b, u.Message)
	g.end(b)
}

func addResult(b *block, m *engine.Message) {
	b.add("->", plain, content(m))
	if m.Error.Present {
		b.add("error", badStyle, m.Error.Value)
	}
}

func (g *grouped) activity(u *engine.MessageUpdate) {
	b := g.by[activityKey+u.ID]
	if b == nil {
		b = g.begin(&block{key: activityKey + u.ID}, g.place(owner(u.Message)))
	}
	b.changes++
	b.head = row{{stateStyle, "activity"}, {text: " " + label(u.Message.ActivityType)}}
	if b.changes > 1 {
		b.head = append(b.head, span{faint, " changed " + count(b.changes-1, "time")})
	}
	b.parts = nil
	b.add("", plain, content(u.Message))
}

func (g *grouped) reasoning(u *engine.ReasoningUpdate) {
	b := g.by[thoughtKey+u.ID]
	if b == nil && (u.Change == engine.ReasoningStarted || u.Change == engine.ReasoningContent) {
		b = &block{key: thoughtKey + u.ID, head: row{{faint, "thinking"}}}
		b.add("", faint, "")
		g.begin(b, g.place(owner(u.Message)))
	}
	switch u.Change {
	case engine.ReasoningContent:
		b.parts[0].text.append(u.Delta)
	case engine.ReasoningEnded:
		if b != nil {
			g.end(b)
		}
	case engine.ReasoningEncryptedValue:
		g.begin(note(span{faint, "encrypted value on thought " + label(u.ID)}), nil)
	}
}

// closeAll ends all that is open: nothing of it will go on.
func (g *grouped) closeAll(when string) {
	for _, b := range g.by {
		switch b.key[:1] {
		case messageKey, thoughtKey:
			b.add("", faint, "(not ended "+when+")")
		case callKey:
			word := "(no result " + when + ")"
			if !b.settled {
				word = "(not whole " + when + ")"
			}
			b.add("", faint, word)
		case groupKey:
			if g.mem.subs[b.key[1:]].running {
				b.add("", faint, "(still running "+when+")")
			}
		}
		b.ended = true
	}
	clear(g.by)
}

// settle gives up what is done. While a block is partly on the screen for good, the others wait for it.
func (g *grouped) settle() {
	g.open = slices.DeleteFunc(g.open, func(b *block) bool {
		if !b.spilt || !b.done() {
			return false
		}
		g.ready = append(g.ready, b.rows(g.columns(), 0)...)
		return true
	})
	if slices.ContainsFunc(g.open, func(b *block) bool { return b.spilt }) {
		return
	}
	g.open = slices.DeleteFunc(g.open, func(b *block) bool {
		if !b.done() {
			return false
		}
		g.ready = append(g.ready, b.rows(g.columns(), 0)...)
		return true
	})
}
