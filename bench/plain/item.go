package plain

// item is a streamed item that is open. Its message is nil when a snapshot has
// dropped it.
type item struct {
	owner   opt
	message *message
	call    *call // of tool calls
}

func (it *item) buffer() *buffer {
	if it.call != nil {
		return &it.call.arguments
	}
	return &it.message.text
}

func (it *item) metadata() *map[string]any {
	if it.call != nil {
		return &it.call.metadata
	}
	return &it.message.metadata
}

// owner gives whose an event's item is: its tag's, else that of the opener,
// else that of the stored message, else that of the call's parent message.
func (p *Pipeline) owner(kind int, pc *piece) opt {
	if pc.tag.ok {
		return pc.tag.opt()
	}
	if it := p.run.open[kind][string(pc.id.b)]; it != nil && it.message != nil {
		return it.owner
	}
	if o, ok := p.run.owners(kind)[string(pc.id.b)]; ok {
		return o
	}
	if kind != toolItem {
		if m := p.store.byID[string(pc.id.b)]; m != nil {
			return m.owner
		}
		return opt{}
	}
	if c := p.store.calls[string(pc.id.b)]; c != nil {
		return p.ownerOf(c.message)
	}
	if m := p.parent(pc); m != nil {
		return p.ownerOf(m)
	}
	return opt{}
}

// ownerOf gives whose a message is: as this run has settled it, else as it is stored.
func (p *Pipeline) ownerOf(m *message) opt {
	if o, ok := p.run.messageOwners[m.id]; ok {
		return o
	}
	return m.owner
}

// parent gives the held assistant message that a call names as its own.
func (p *Pipeline) parent(pc *piece) *message {
	if !pc.parent.ok {
		return nil
	}
	if m := p.store.byID[string(pc.parent.b)]; m != nil && m.role == "assistant" {
		return m
	}
	return nil
}

// refusal says why an item can't be started, or nothing.
func (p *Pipeline) refusal(kind int, pc *piece) string {
	id := string(pc.id.b)
	noun := itemEvents[kind].noun
	if m := p.store.byID[id]; m != nil && kind != toolItem && !fits(kind, m) {
		return "message " + id + " is of role " + m.role
	}
	if p.opts.NoVerify {
		return ""
	}
	if it := p.run.open[kind][id]; it != nil && it.message != nil {
		return noun + " " + id + " is open already"
	}
	if o, ok := p.run.owners(kind)[id]; ok && pc.tag.ok && !o.is(pc.tag) {
		return noun + " " + id + " belongs to another subagentRunId"
	}
	if kind == toolItem && p.store.calls[id] == nil && pc.tag.ok {
		if m := p.parent(pc); m != nil && !p.ownerOf(m).is(pc.tag) {
			return noun + " " + id + " and its parent message " + m.id + " differ in subagentRunId"
		}
	}
	return ""
}

// fits tells whether an item of the kind can be streamed into a message.
func fits(kind int, m *message) bool {
	if kind == thoughtItem {
		return m.role == reasoningRole
	}
	return m.takesText()
}

// start handles TEXT_MESSAGE_START and its like.
func (p *Pipeline) start(kind int, pc *piece) {
	if why := p.refusal(kind, pc); why != "" {
		p.violate("%s", why)
		return
	}
	p.open(kind, pc)
}

// open starts an item that nothing speaks against.
func (p *Pipeline) open(kind int, pc *piece) {
	it := p.place(kind, pc)
	if it == nil {
		return
	}
	p.accept(pc)
	merge(it.metadata(), pc.metadata)
	if kind != toolItem {
		p.opened(kind, it)
		return
	}
	if pc.tool.ok && it.call.name != string(pc.tool.b) {
		p.warn("/toolCallName", "tool call %s is named %s already; %s is ignored", it.call.id, it.call.name, pc.tool.b)
	}
	p.tellCall(it.call, "toolCallStarted", nil)
}

func (p *Pipeline) opened(kind int, it *item) {
	if kind == textItem {
		p.tellMessage(it.message, "started")
		return
	}
	p.openThought(it.message.id, it.message)
}

// place finds or makes what an item's text goes to, and enters the item as
// open. It gives nil when that crossed a limit.
func (p *Pipeline) place(kind int, pc *piece) *item {
	owner := p.owner(kind, pc)
	it := &item{owner: owner}
	if kind == toolItem {
		it.call = p.store.calls[string(pc.id.b)]
		if it.call == nil {
			it.call = p.newCall(pc, owner)
		}
		if it.call == nil {
			return nil
		}
		it.message = it.call.message
	} else {
		it.message = p.store.byID[string(pc.id.b)]
		if it.message == nil {
			it.message = p.newMessage(kind, pc, owner)
		}
		if it.message == nil {
			return nil
		}
	}
	id := string(pc.id.b)
	if kind == toolItem && !p.run.called[id] {
		p.run.called[id] = true
		p.run.calls = append(p.run.calls, id)
	}
	p.run.open[kind][id] = it
	p.run.owners(kind)[id] = owner
	return it
}

func (p *Pipeline) newMessage(kind int, pc *piece, owner opt) *message {
	m := &message{id: string(pc.id.b), role: "assistant", name: pc.name.opt(), owner: owner, hasText: true}
	if pc.role.ok {
		m.role = string(pc.role.b)
	}
	if kind == thoughtItem {
		m.role = reasoningRole
	}
	return p.hold(m)
}

// hold adds a message, if the thread has room for it.
func (p *Pipeline) hold(m *message) *message {
	if p.store.full() {
		p.fatal("decode", "SSE decode error: a thread holds no more than 100000 messages")
		return nil
	}
	p.store.add(m)
	return m
}

// newCall adds a call to its parent message, or to a new assistant message
// when there is no parent that could take it.
func (p *Pipeline) newCall(pc *piece, owner opt) *call {
	m := p.parent(pc)
	if m == nil {
		id := string(pc.parent.b)
		if !pc.parent.ok || p.store.byID[id] != nil {
			id = p.store.free(string(pc.id.b), "-message")
		}
		if m = p.hold(&message{id: id, role: "assistant", owner: owner}); m == nil {
			return nil
		}
	}
	c := &call{id: string(pc.id.b), name: string(pc.tool.b), message: m}
	m.calls = append(m.calls, c)
	p.store.calls[c.id] = c
	return c
}

// closedItem is an item that is held but not open: verification being off, its end applies as it comes.
func (p *Pipeline) closedItem(kind int, id string) *item {
	if kind == toolItem {
		if c := p.store.calls[id]; c != nil {
			return &item{call: c, message: c.message}
		}
		return nil
	}
	if m := p.store.byID[id]; m != nil && fits(kind, m) {
		return &item{message: m}
	}
	return nil
}

// content handles TEXT_MESSAGE_CONTENT and its like.
func (p *Pipeline) content(kind int, pc *piece) {
	it := p.run.open[kind][string(pc.id.b)]
	switch {
	case it != nil && it.message != nil:
		if !p.opts.NoVerify && pc.tag.ok && !it.owner.is(pc.tag) {
			p.violate("%s %s belongs to another subagentRunId", itemEvents[kind].noun, pc.id.b)
			return
		}
	case !p.opts.NoVerify:
		p.violate("there is no open %s %s", itemEvents[kind].noun, pc.id.b)
		return
	default:
		if it = p.orphan(kind, pc); it == nil {
			return
		}
	}
	p.accept(pc)
	delta, ok := p.grow(it, pc.body())
	if !ok {
		return
	}
	merge(it.metadata(), pc.metadata)
	p.tellDelta(kind, it, delta)
}

// orphan opens, verification being off, what a content event names.
func (p *Pipeline) orphan(kind int, pc *piece) *item {
	if why := p.refusal(kind, pc); why != "" {
		p.violate("%s", why)
		return nil
	}
	it := p.place(kind, pc)
	if it != nil && kind == thoughtItem {
		p.run.owed[it.message.id] = true
	}
	return it
}

// grow appends a delta, unless the message would become too large.
func (p *Pipeline) grow(it *item, body []byte) ([]byte, bool) {
	b := it.buffer()
	if len(b.b)+len(body) > messageBytesLimit {
		p.fatal("decode", "SSE decode error: a message holds no more than 67108864 bytes")
		return nil, false
	}
	if it.call != nil {
		return b.add(body), true
	}
	return it.message.addText(body), true
}

// end handles TEXT_MESSAGE_END and its like.
func (p *Pipeline) end(kind int, pc *piece) {
	id := string(pc.id.b)
	it := p.run.open[kind][id]
	if it == nil && p.opts.NoVerify {
		it = p.closedItem(kind, id)
	}
	if it == nil {
		if !p.opts.NoVerify {
			p.violate("there is no open %s %s", itemEvents[kind].noun, id)
		}
		return
	}
	if !p.opts.NoVerify && pc.tag.ok && !it.owner.is(pc.tag) {
		p.violate("%s %s belongs to another subagentRunId", itemEvents[kind].noun, id)
		return
	}
	delete(p.run.open[kind], id)
	if it.message == nil {
		// A snapshot dropped it: nothing is left that could end.
		if _, span := p.run.spans[id]; kind == thoughtItem && !span {
			delete(p.run.owed, id)
		}
		return
	}
	p.accept(pc)
	merge(it.metadata(), pc.metadata)
	if delta, ok := it.buffer().flush(); ok {
		p.tellDelta(kind, it, delta)
	}
	switch kind {
	case textItem:
		p.tellMessage(it.message, "ended")
	case toolItem:
		p.tellCall(it.call, "toolCallEnded", nil)
	case thoughtItem:
		p.closeThought(id, it.message)
	}
}
