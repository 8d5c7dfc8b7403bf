package watch

import (
	"unicode"

	"github.com/aguistream/aguistream/engine"
)

func isIdeograph(c string) bool {
	return in(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// by adds whose something is, and its id, so that two of a kind can be told apart.
func (o *inOrder) by(msg *engine.Message, first span, id string) row {
	head := row{first, {faint, " " + label(id)}}
	if who := o.mem.who(owner(msg)); who != "" {
		head = append(head, span{groupStyle, " of " + who})
	}
	return head
}

func (o *inOrder) message(u *engine.MessageUpdate) {
	o.mem.message(u)
	key := messageKey + u.ID
	head := o.by(u.Message, span{roleStyle(u.Message.Role), role(u.Message)}, u.ID)
	call := callKey + u.ToolCallID
	tool := o.by(u.Message, span{toolStyle, "tool " + o.mem.names[u.ToolCallID]}, u.ToolCallID)
	switch u.Change {
	case engine.MessageStarted:
		o.enter(key, plain, head)
	case engine.MessageContent:
		o.enter(key, plain, head)
		o.say(u.Delta)
	case engine.MessageEnded:
		o.end(key, head, " ended")
	case engine.ToolCallStarted:
		o.enter(call, plain, tool)
	case engine.ToolCallArgs:
		o.enter(call, plain, tool)
		o.say(u.Delta)
	case engine.ToolCallEnded:
		o.end(call, tool, " is whole")
	case engine.ToolResult:
		b := note(o.by(u.Message, span{toolStyle, "result of " + o.mem.names[u.ToolCallID]}, u.ToolCallID)...)
		addResult(b, u.Message)
		o.print(b)
	case engine.ActivityChanged:
		b := o.mem.activityNote(u.Message)
		if who := o.mem.who(owner(u.Message)); who != "" {
			b.head = append(b.head, span{groupStyle, " of " + who})
		}
		o.print(b)
	case engine.MessageEncryptedValue:
		o.print(encryptedNote(u))
	}
}

func (o *inOrder) reasoning(u *engine.ReasoningUpdate) {
	key := thoughtKey + u.ID
	head := o.by(u.Message, span{faint, "thinking"}, u.ID)
	switch u.Change {
	case engine.ReasoningStarted:
		o.enter(key, faint, head)
	case engine.ReasoningContent:
		o.enter(key, faint, head)
		o.say(u.Delta)
	case engine.ReasoningEnded:
		o.end(key, head, " ended")
	case engine.ReasoningEncryptedValue:
		o.print(note(span{faint, "encrypted value on thought " + label(u.ID)}))
	}
}

func (o *inOrder) subagent(u *engine.SubagentUpdate) {
	o.mem.subagent(u.Subagent)
	b := note(span{groupStyle, "subagent " + o.mem.who(u.ID, true)}, span{text: " " + u.Change.String()}, span{faint, " " + label(u.ID)})
	switch u.Change {
	case engine.SubagentStarted, engine.SubagentResumed:
		if u.Subagent.Description.Present {
			b.add("", faint, u.Subagent.Description.Value)
		}
	default:
		if text := lifeText(u.Subagent); text != "" {
			b.add("", lifeStyle(u.Change), text)
		}
		addOutcome(b, u.Subagent)
	}
	o.print(b)
}
