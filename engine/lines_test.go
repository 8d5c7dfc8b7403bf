package engine_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// line prints an update in one line, short enough for tables.
func line(u engine.Update) string {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		return messageLine(u)
	case *engine.MessagesUpdate:
		return "messages " + strconv.Itoa(len(u.Messages))
	case *engine.StateUpdate[engine.Raw]:
		return "state " + string(u.State.AppendJSON(nil))
	case *engine.ReasoningUpdate:
		s := fmt.Sprintf("reasoning %s %s", u.ID, u.Change)
		if u.Change == engine.ReasoningContent {
			s += " " + strconv.Quote(u.Delta)
		}
		return s + " = " + strconv.Quote(u.Text)
	case *engine.InterruptUpdate:
		return "interrupt " + string(u.Interrupt.AppendJSON(nil))
	case *engine.SubagentUpdate:
		return fmt.Sprintf("subagent %d %s %s %s %s", u.Index, u.ID, u.Change, u.Subagent.Status, strconv.Quote(u.Subagent.Name))
	case *engine.ErrorUpdate:
		s := "error " + u.Err.Kind.String()
		if u.Err.Late {
			s += " late"
		}
		return s + ": " + u.Err.Error()
	case *engine.Done:
		return doneLine(u.End)
	}
	return fmt.Sprintf("unknown update %T", u)
}

func messageLine(u *engine.MessageUpdate) string {
	s := fmt.Sprintf("message %d %s %s", u.Index, u.ID, u.Change)
	if u.ToolCallID != "" {
		s += " " + u.ToolCallID
	}
	switch u.Change {
	case engine.MessageContent, engine.ToolCallArgs:
		s += " " + strconv.Quote(u.Delta)
	case engine.ToolCallStarted:
		s += " " + strconv.Quote(u.Call.Name)
	}
	return s
}

func doneLine(e engine.RunEnd) string {
	s := "done " + e.Kind.String()
	if len(e.PendingToolCallIDs) > 0 {
		s += fmt.Sprintf(" pending %v", e.PendingToolCallIDs)
	}
	for i := range e.Interrupts {
		s += " " + e.Interrupts[i].ID
	}
	if e.Result != nil {
		s += " result " + string(e.Result)
	}
	for i := range e.Usage {
		s += " usage " + string(e.Usage[i].AppendJSON(nil))
	}
	if e.HasCode {
		s += " code " + strconv.Quote(e.Code)
	}
	if e.Kind == engine.Failed {
		s += ": " + e.Message
	}
	return s
}

func warningLine(w engine.Warning) string {
	return fmt.Sprintf("warn %s %s: %s", w.Type, w.Path, w.Text)
}

// storesLines prints what a stream holds: a line a message in the order of the conversation, then the state, then a
// line an invocation.
func storesLines(v engine.View) []string {
	var lines []string
	for _, m := range v.Conversation() {
		lines = append(lines, string(m.AppendJSON(nil)))
	}
	lines = append(lines, "state "+string(v.State().AppendJSON(nil)))
	for _, a := range v.Subagents() {
		lines = append(lines, "subagent "+string(a.AppendJSON(nil)))
	}
	for _, in := range v.Interrupts() {
		lines = append(lines, "interrupt "+string(in.AppendJSON(nil)))
	}
	return lines
}

// match rewrites each line of got that the line of want at its place stands for. In want, " ~ " parts how a line begins
// from what it must hold further on; more pieces may follow, and none need.
func match(got, want []string) []string {
	out := make([]string, len(got))
	copy(out, got)
	for i, w := range want {
		pieces := strings.Split(w+" ", " ~ ")
		if i >= len(got) || len(pieces) == 1 {
			continue
		}
		pieces[len(pieces)-1] = strings.TrimSuffix(pieces[len(pieces)-1], " ")
		fits := strings.HasPrefix(got[i], pieces[0])
		for _, p := range pieces[1:] {
			fits = fits && strings.Contains(got[i], p)
		}
		if fits {
			out[i] = w
		}
	}
	return out
}

// cutLines parts a table's text into lines without their indent.
func cutLines(text string) []string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func user(id, text string) *engine.Message { return state.UserMessage(id, text) }
