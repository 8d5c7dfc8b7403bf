package engine

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aguistream/aguistream/state"
)

func randomID(kind string) string { return kind + "-" + strings.ToLower(rand.Text()) }

func typeName[S any]() string { return fmt.Sprintf("%T", *new(S)) }

// add puts a message into the store; its id is minted when it is empty.
func (s *Session[S]) add(msg *Message) (*Message, *Error) {
	if s.broken != nil {
		return nil, s.broken
	}
	if msg.ID == "" {
		id, err := s.mintID("msg")
		if err != nil {
			return nil, err
		}
		c := msg.Clone()
		c.ID = id
		msg = c
	}
	if s.m.store.Find([]byte(msg.ID)) != nil {
		return nil, configError("message id "+strconv.Quote(msg.ID)+" is held already", nil)
	}
	raw := state.AppendMessages(nil, []*Message{msg})
	if !validJSON(raw) {
		return nil, configError("message "+strconv.Quote(msg.ID)+" holds text that is not JSON where JSON is due", nil)
	}
	enf := state.Enforcer{QuietBinary: true, Warn: s.warnRequest}
	list, err := enf.Messages(raw, "")
	if err != nil {
		return nil, configError("message "+strconv.Quote(msg.ID)+": "+err.Error(), err)
	}
	if len(list) == 0 {
		return nil, configError("message "+strconv.Quote(msg.ID)+" has no known role", nil)
	}
	if err := s.m.store.Insert(list[0]); err != nil {
		return nil, configError("message "+strconv.Quote(msg.ID)+": "+err.Error(), err)
	}
	return s.m.store.Find([]byte(msg.ID)), nil
}

func (s *Session[S]) warnRequest(path, what string) {
	if s.cfg.stream.Warn != nil {
		s.cfg.stream.Warn(Warning{Text: what, Path: path})
	}
}

// request builds what a run sends and refuses what may not be sent (protocol, sections 6.3, 7.5 and 14). A refusal
// changes nothing.
func (s *Session[S]) request(msg *Message, opts []RunOption) (*RunAgentInput, *Error) {
	if s.broken != nil {
		return nil, s.broken
	}
	var rc runConfig
	for _, o := range opts {
		if o != nil {
			o(&rc)
		}
	}
	if err := s.checkResume(rc.resume); err != nil {
		return nil, err
	}
	if err := s.checkAnswered(msg); err != nil {
		return nil, err
	}
	if rc.runID == "" {
		id, err := s.mintID("run")
		if err != nil {
			return nil, err
		}
		rc.runID = id
	}
	in := &RunAgentInput{
		ThreadID: s.threadID, RunID: rc.runID, ParentRunID: rc.parentRun,
		ProtocolVersion: state.Some(ProtocolVersion),
		Tools:           s.cfg.tools, Context: s.cfg.context, ForwardedProps: s.cfg.forwarded, Resume: rc.resume,
	}
	if doc := s.m.doc.AppendJSON(nil); string(doc) != "null" {
		in.State = doc
	}
	// All but the messages is judged before the new message is in.
	checked, err := enforce(in, s.warnRequest)
	if err != nil {
		return nil, err
	}
	if msg != nil {
		if _, err := s.add(msg); err != nil {
			return nil, err
		}
	}
	for _, held := range s.m.store.Conversation() {
		if held.Role != state.RoleActivity { // rule 100
			checked.Messages = append(checked.Messages, held.Clone())
		}
	}
	return checked, nil
}

// enforce removes unrecognised material of a request, of which warn is told, and refuses malformed material (rule 114).
func enforce(in *RunAgentInput, warn func(path, what string)) (*RunAgentInput, *Error) {
	raw := in.AppendJSON(nil)
	if !validJSON(raw) {
		return nil, configError("malformed input: the state, a tool, property, payload or metadata is not JSON", nil)
	}
	enf := state.Enforcer{QuietBinary: true, Warn: warn}
	checked, err := enf.Input(raw, "")
	if err != nil {
		return nil, configError("malformed input: "+err.Error(), err)
	}
	return checked, nil
}

// checkResume holds rules 127-129: every interrupt of the last run is answered, each once, none resolved too late.
func (s *Session[S]) checkResume(entries []ResumeEntry) *Error {
	answered := make(map[string]bool, len(entries))
	for _, e := range entries {
		in := s.interrupt(e.InterruptID)
		switch {
		case in == nil:
			return configError("no pending interrupt "+strconv.Quote(e.InterruptID), nil)
		case answered[e.InterruptID]:
			return configError("interrupt "+strconv.Quote(e.InterruptID)+" is answered twice", nil)
		case e.Status != state.ResumeResolved && e.Status != state.ResumeCancelled:
			return configError("interrupt "+strconv.Quote(e.InterruptID)+": unknown status "+strconv.Quote(e.Status), nil)
		case e.Status == state.ResumeResolved && expired(in, time.Now()):
			return configError("interrupt "+strconv.Quote(e.InterruptID)+" expired at "+in.ExpiresAt.Value+": it can only be cancelled", nil)
		}
		answered[e.InterruptID] = true
	}
	for i := range s.m.interrupts {
		if id := s.m.interrupts[i].ID; !answered[id] {
			return configError("interrupt "+strconv.Quote(id)+" is not answered", nil)
		}
	}
	return nil
}

func (s *Session[S]) interrupt(id string) *Interrupt {
	for i := range s.m.interrupts {
		if s.m.interrupts[i].ID == id {
			return &s.m.interrupts[i]
		}
	}
	return nil
}

// expired reads expiresAt as ISO 8601; what can't be read never expires (rule 129).
func expired(in *Interrupt, now time.Time) bool {
	if !in.ExpiresAt.Present {
		return false
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, in.ExpiresAt.Value); err == nil {
			return !now.Before(t)
		}
	}
	return false
}

// checkAnswered holds rule 118: calls of the session's own tools are answered before the thread goes on.
func (s *Session[S]) checkAnswered(msg *Message) *Error {
	if len(s.m.pendingCalls) == 0 || len(s.cfg.tools) == 0 {
		return nil
	}
	own := make(map[string]bool, len(s.cfg.tools))
	for _, t := range s.cfg.tools {
		own[t.Name] = true
	}
	answered := map[string]bool{}
	for _, m := range s.m.store.Messages() {
		if m.Role == state.RoleTool {
			answered[m.ToolCallID] = true
		}
	}
	if msg != nil && msg.Role == state.RoleTool {
		answered[msg.ToolCallID] = true
	}
	for _, id := range s.m.pendingCalls {
		if _, call := s.m.store.FindCall([]byte(id)); call != nil && own[call.Name] && !answered[id] {
			return configError("tool call "+strconv.Quote(id)+" of "+strconv.Quote(call.Name)+" is not answered", nil)
		}
	}
	return nil
}
