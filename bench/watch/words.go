package watch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// note is a block that is whole from the start.
func note(spans ...span) *block { return &block{head: spans, ended: true} }

// errorNote tells an error. Its text says its kind and place.
func errorNote(e *engine.Error) *block {
	word := "error"
	if e.Late {
		word = "late error" // its run had ended
	}
	b := note(span{badStyle, word}, span{text: " " + label(e.Error())})
	if e.HasCode {
		b.add("code", plain, label(e.Code))
	}
	if len(e.Body) > 0 {
		b.add("body", faint, strings.ToValidUTF8(string(e.Body), "\ufffd"))
	}
	return b
}

func warningNote(w engine.Warning) *block {
	var place []string
	if w.Event > 0 {
		place = append(place, "event "+strconv.FormatInt(w.Event, 10))
	}
	for _, s := range [...]string{w.Type, w.Path} {
		if s != "" {
			place = append(place, label(s))
		}
	}
	text := " " + label(w.Text)
	if len(place) > 0 {
		text += " (" + strings.Join(place, ", ") + ")"
	}
	return note(span{warnStyle, "warning"}, span{text: text})
}

func interruptNote(in *engine.Interrupt, owner string) *block {
	spans := row{{askStyle, "question"}, {faint, " " + label(in.ID)}, {text: " " + label(in.Reason)}}
	if owner != "" {
		spans = append(spans, span{faint, " from " + owner})
	}
	b := note(spans...)
	if in.Message.Present {
		b.add("", plain, in.Message.Value)
	}
	if in.ToolCallID.Present {
		b.add("about call", faint, label(in.ToolCallID.Value))
	}
	if in.ResponseSchema != nil {
		b.add("answer as", faint, string(in.ResponseSchema))
	}
	if in.ExpiresAt.Present {
		b.add("expires", faint, label(in.ExpiresAt.Value))
	}
	return b
}

// lifeText says why a subagent ended or paused.
func lifeText(a *engine.Subagent) string {
	switch {
	case a.Status == state.Failed:
		return a.Message
	case a.Status == state.Suspended && len(a.InterruptIDs) > 0:
		return "until answered: " + strings.Join(a.InterruptIDs, " ")
	}
	return ""
}

func lifeStyle(change engine.SubagentChange) style {
	if change == engine.SubagentFailed {
		return badStyle
	}
	return plain
}

// addOutcome tells what a subagent left.
func addOutcome(b *block, a *engine.Subagent) {
	if a.Status == state.Failed {
		if a.Code.Present {
			b.add("code", plain, a.Code.Value)
		}
		return
	}
	if a.Result != nil {
		b.add("result", plain, string(a.Result))
	}
}

func encryptedNote(u *engine.MessageUpdate) *block {
	on := "message " + label(u.ID)
	if u.Call != nil {
		on = "call " + label(u.ToolCallID)
	}
	return note(span{faint, "encrypted value on " + on})
}

var endStyles = [...]style{engine.Success: goodStyle, engine.Interrupted: askStyle, engine.Failed: badStyle, engine.Cancelled: warnStyle}

// doneNote tells how a run ended; what a failure was about stands in the error before it.
func doneNote(end *engine.RunEnd, callName func(id string) string) *block {
	spans := row{{endStyles[end.Kind], "run " + end.Kind.String()}}
	if end.Kind == engine.Interrupted {
		spans = append(spans, span{text: " on " + count(len(end.Interrupts), "question")})
	}
	b := note(spans...)
	if end.Result != nil {
		b.add("result", plain, string(end.Result))
	}
	for i := range end.Usage {
		b.add("usage", faint, usageText(&end.Usage[i]))
	}
	for _, id := range end.PendingToolCallIDs {
		text := label(id)
		if name := callName(id); name != "" {
			text = name + " " + text
		}
		b.add("pending call", plain, text)
	}
	return b
}

func usageText(u *engine.TokenUsage) string {
	var who, what []string
	for _, s := range [...]*string{u.Provider, u.Model} {
		if s != nil {
			who = append(who, label(*s))
		}
	}
	for _, c := range [...]struct {
		n    *int64
		name string
	}{
		{u.InputTokens, "in"}, {u.CachedInputTokens, "of them cached"}, {u.CacheWriteInputTokens, "cache write"},
		{u.OutputTokens, "out"}, {u.ReasoningTokens, "of them reasoning"}, {u.TotalTokens, "total"},
	} {
		if c.n != nil {
			what = append(what, strconv.FormatInt(*c.n, 10)+" "+c.name)
		}
	}
	if len(who) == 0 {
		return strings.Join(what, ", ")
	}
	return strings.Join(who, "/") + ": " + strings.Join(what, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// content is what a message says, in words: parts that are no text are named.
func content(m *engine.Message) string {
	if m.Activity != nil {
		return string(m.Activity.AppendJSON(nil))
	}
	if !m.HasParts {
		return m.Text()
	}
	var lines []string
	for i := range m.Parts {
		lines = append(lines, partText(&m.Parts[i]))
	}
	return strings.Join(lines, "\n")
}

func partText(p *engine.Part) string {
	if p.Source == nil {
		return p.Text
	}
	what := p.Type
	if p.Source.MimeType.Present {
		what += " " + p.Source.MimeType.Value
	}
	if p.Source.Type == "data" {
		return fmt.Sprintf("[%s, %d bytes of base64]", what, len(p.Source.Value))
	}
	return fmt.Sprintf("[%s at %s]", what, p.Source.Value)
}

// role is the first word of a message's headline.
func role(m *engine.Message) string {
	name := m.Role.String()
	if m.Name.Present {
		name += " " + label(m.Name.Value)
	}
	return name
}

func roleStyle(r state.Role) style {
	switch r {
	case state.RoleUser:
		return userStyle
	case state.RoleTool:
		return toolStyle
	}
	return agentStyle
}
