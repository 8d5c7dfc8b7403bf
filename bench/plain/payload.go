package plain

import (
	"errors"
	"fmt"
)

// The events that carry whole payloads: snapshots, deltas, results.

func (p *Pipeline) stateSnapshot(pc *piece) {
	if !p.phase() {
		return
	}
	p.closeLane(pc.tag)
	p.accept(pc)
	p.setState(normal(p.wire.Snapshot))
}

func (p *Pipeline) setState(doc []byte) {
	p.state, p.stateSet = doc, true
	p.tellState()
}

// strictPatch is the enforcement of a patch under Spec: nil when the event is
// over.
func (p *Pipeline) strictPatch(bit int) *patch {
	raw := *p.wire.members[bit]
	made, err := parsePatch(raw)
	if err != nil {
		var m *malformed
		errors.As(err, &m) // parsePatch gives no other
		p.malformed(&malformed{memberNames[bit] + m.path, m.reason})
		return nil
	}
	if len(made.unknown) == 0 {
		return made
	}
	elements := mustParse(raw).([]any)
	kept := elements[:0]
	for i, e := range elements {
		if len(made.unknown) > 0 && made.unknown[0].index == i {
			p.warn(fmt.Sprintf("/%s/%d", memberNames[bit], i), "unknown operation %s, removed", made.unknown[0].op)
			made.unknown = made.unknown[1:]
			continue
		}
		kept = append(kept, e)
	}
	p.wire.set(bit, kept)
	return made
}

// loudPatch reads a patch under Loud, where all that is wrong with it is a
// patch that didn't apply.
func loudPatch(raw []byte) (*patch, error) {
	made, err := parsePatch(raw)
	if err != nil {
		return nil, err
	}
	if len(made.unknown) > 0 {
		return nil, fmt.Errorf("operation %d: unknown op %q", made.unknown[0].index, made.unknown[0].op)
	}
	return made, nil
}

// patched gives a document after the patch of a member; early is what
// strictPatch made of it.
func (p *Pipeline) patched(early *patch, bit int, doc []byte) ([]byte, error) {
	if early == nil {
		var err error
		if early, err = loudPatch(*p.wire.members[bit]); err != nil {
			return nil, err
		}
	}
	return early.apply(doc)
}

func (p *Pipeline) stateDelta(pc *piece) {
	var early *patch
	if p.opts.Spec {
		if early = p.strictPatch(bitDelta); early == nil {
			return
		}
	}
	if !p.phase() {
		return
	}
	p.closeLane(pc.tag)
	doc, err := p.patched(early, bitDelta, p.state)
	if err != nil {
		p.fail("patch", fmt.Sprintf("state patch failed: %v", err))
		return
	}
	p.accept(pc)
	p.setState(doc)
}

func (p *Pipeline) activitySnapshot(pc *piece) {
	if !p.phase() {
		return
	}
	w := p.wire
	id := string(unquote(w.MessageID))
	m := p.store.byID[id]
	if m != nil && m.role != "activity" {
		p.warn("/messageId", "message %s is of role %s; the activity is skipped", id, m.role)
		return
	}
	fresh := m == nil
	if fresh {
		if m = p.hold(&message{id: id, role: "activity"}); m == nil {
			return
		}
	}
	if fresh || string(w.Replace) != "false" {
		m.activity, m.activityType, m.owner = normal(w.Content), string(unquote(w.ActivityType)), pc.tag.opt()
	}
	merge(&m.metadata, pc.metadata)
	p.accept(pc)
	p.tellMessage(m, "activity")
}

func (p *Pipeline) activityDelta(pc *piece) {
	var early *patch
	if p.opts.Spec {
		if early = p.strictPatch(bitPatch); early == nil {
			return
		}
	}
	if !p.phase() {
		return
	}
	id := string(unquote(p.wire.MessageID))
	m := p.store.byID[id]
	if m == nil || m.role != "activity" {
		p.warn("/messageId", "there is no activity %s", id)
		return
	}
	if pc.tag.ok && !m.owner.is(pc.tag) && !p.opts.NoVerify {
		p.violate("activity %s belongs to another subagentRunId", id)
		return
	}
	doc, err := p.patched(early, bitPatch, m.activity)
	if err == nil && doc[0] != '{' {
		err = errors.New("the content would be no object")
	}
	if err != nil {
		p.fail("patch", fmt.Sprintf("activity %s patch failed: %v", id, err))
		return
	}
	p.accept(pc)
	m.activity, m.activityType = doc, string(unquote(p.wire.ActivityType))
	merge(&m.metadata, pc.metadata)
	p.tellMessage(m, "activity")
}

func (p *Pipeline) toolResult(pc *piece) {
	w := p.wire
	if len(w.Role) > 0 && string(unquote(w.Role)) != "tool" {
		p.malformed(&malformed{"role", `is not "tool"`})
		return
	}
	content, _, err := p.enforced(bitContent, textOrParts)
	if err != nil {
		p.malformed(err)
		return
	}
	if !p.phase() {
		return
	}
	p.closeLane(pc.tag)
	asked := string(unquote(w.MessageID))
	id := asked
	for m := p.store.byID[id]; m != nil && m.role != "tool"; m = p.store.byID[id] {
		id += "-result"
	}
	if id != asked {
		p.warn("/messageId", "message %s is of role %s; the result is stored as %s", asked, p.store.byID[asked].role, id)
	}
	m := p.store.byID[id]
	if m == nil {
		if m = p.hold(&message{id: id, role: "tool"}); m == nil {
			return
		}
	}
	m.setContent(content)
	m.owner, m.toolCallID = pc.tag.opt(), lentOf(w.ToolCallID).opt()
	merge(&m.metadata, pc.metadata)
	p.run.answered[m.toolCallID.s] = true
	p.accept(pc)
	p.tellResult(m)
}

func (p *Pipeline) messagesSnapshot(pc *piece) {
	tree, _, err := p.enforced(bitMessages, messageShapes)
	if err != nil {
		p.malformed(err)
		return
	}
	if !p.phase() {
		return
	}
	p.closeLanes()
	var list []*message
	for _, v := range tree.([]any) {
		list = append(list, newMessage(v.(map[string]any)))
	}
	list = lastOfEach(list)
	after := p.store
	after.replace(list)
	if len(after.conversation) > messageLimit {
		p.fatal("decode", "SSE decode error: a thread holds no more than 100000 messages")
		return
	}
	p.store = after
	p.relink(list)
	p.accept(pc)
	p.tellMessages()
}

// relink ties what is open to the snapshot's copies, and settles the owners of
// everything in it.
func (p *Pipeline) relink(list []*message) {
	for _, m := range list {
		p.run.messageOwners[m.id] = m.owner
		for _, c := range m.calls {
			// Of several calls of one id the first in the conversation is the one that events mean.
			if held := p.store.calls[c.id]; held != nil && held.message.id == m.id {
				p.run.callOwners[c.id] = m.owner
			}
		}
	}
	// What the snapshot dropped is new to the run when it is opened again.
	for id := range p.run.messageOwners {
		if p.store.byID[id] == nil {
			delete(p.run.messageOwners, id)
		}
	}
	for id := range p.run.callOwners {
		if p.store.calls[id] == nil {
			delete(p.run.callOwners, id)
		}
	}
	for kind, items := range p.run.open {
		for id, it := range items {
			it.message, it.call = p.store.byID[id], nil
			if kind == toolItem {
				it.message = nil
				if it.call = p.store.calls[id]; it.call != nil {
					it.message = it.call.message
				}
			} else if it.message != nil && !fits(kind, it.message) {
				it.message = nil
			}
			if owner, ok := p.run.owners(kind)[id]; ok && it.message != nil {
				it.owner = owner
			}
		}
	}
}
