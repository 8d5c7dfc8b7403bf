package state

// What a pool keeps, at most; beyond it the garbage collector has it. It is room for what thousands of runs that end
// together give back. A burst doesn't stay for ever: half of what lay unused for an epoch goes at its end.
const (
	freeMessages  = 64 << 10
	freeCalls     = 16 << 10
	freeDocuments = 16 << 10
	freeShelves   = 16 << 10
	freeMetadata  = 16 << 10
	freeRooms     = 4 << 10
	freeCallLists = 16 << 10
	freeTextBytes = 64 << 20  // of all idle text buffers together
	freeEpoch     = 128 << 10 // messages and stores put back
	keptList      = 4096      // entries of one list or index
	keptCalls     = 64        // entries of one message's call list
	keptSubagents = 1024      // of one thread
)

// roomForIDs is what the ids and names of most messages and calls fit in.
const roomForIDs = 112

// What a pool makes has that room beside it.
type (
	roomyMessage struct {
		Message
		room [roomForIDs]byte
	}
	roomyCall struct {
		ToolCall
		room [roomForIDs]byte
	}
)

// messagePool is the free lists of messages, calls and their buffers.
type messagePool struct {
	puts      int // since the epoch began
	messages  freeList[*Message]
	calls     freeList[*ToolCall]
	documents freeList[*Document]
	shelves   freeList[shelf]
	text      textPool
	metadata  freeList[Metadata]
	rooms     freeList[*partRoom]
	callLists freeList[[]*ToolCall]
}

// count ends the epoch when it is time.
func (p *messagePool) count() {
	if p.puts++; p.puts < freeEpoch {
		return
	}
	p.puts = 0
	p.messages.trim(nil)
	p.calls.trim(nil)
	p.documents.trim(nil)
	p.shelves.trim(nil)
	p.metadata.trim(nil)
	p.rooms.trim(nil)
	p.callLists.trim(nil)
	for i := range p.text.classes {
		p.text.bytes -= p.text.classes[i].trim(func(b []byte) int { return cap(b) })
	}
}

func (p *Pool) takeMessage() *Message {
	if p == nil {
		return new(Message)
	}
	m, ok := p.messages.messages.get()
	if !ok {
		r := new(roomyMessage)
		r.ids = r.room[:0]
		return &r.Message
	}
	*m = Message{ids: m.ids[:0]}
	return m
}

// putMessage takes a message back, its calls and its content. The message itself is emptied when it is taken again, which
// is when it comes into the cache anyway; until then it holds on to short strings of its own and nothing else. Without a
// pool all is left to the garbage collector, as it stands.
func (p *Pool) putMessage(m *Message) {
	if p == nil {
		m.bury()
		for _, c := range m.ToolCalls {
			p.putCall(c)
		}
		return
	}
	for i, c := range m.ToolCalls {
		p.putCall(c)
		m.ToolCalls[i] = nil
	}
	p.messages.count()
	p.putDocument(m.Activity)
	full := len(m.ids) == cap(m.ids)
	if full || len(p.messages.messages.items) >= freeMessages {
		m.bury()
		return
	}
	if c := cap(m.ToolCalls); c > 0 && c <= keptCalls && len(p.messages.callLists.items) < freeCallLists {
		p.messages.callLists.put(m.ToolCalls[:0])
	}
	m.bury()
	p.putBuffer(m.text)
	p.putMetadata(m.Metadata)
	p.putRoom(m.room)
	m.text, m.ToolCalls, m.Metadata, m.Activity, m.room, m.keys = nil, nil, nil, nil, nil, nil
	if m.HasParts {
		m.Parts = nil
	}
	if docPoison {
		*m = Message{ids: m.ids}
	}
	p.messages.messages.put(m)
}

// bury ends the time of everything lent from a message.
func (m *Message) bury() {
	poison(m.text)
	poison(m.ids)
	m.held, m.slot = false, 0
}

func (p *Pool) takeCall() *ToolCall {
	if p == nil {
		return new(ToolCall)
	}
	c, ok := p.messages.calls.get()
	if !ok {
		r := new(roomyCall)
		r.ids = r.room[:0]
		return &r.ToolCall
	}
	*c = ToolCall{ids: c.ids[:0]}
	return c
}

func (p *Pool) putCall(c *ToolCall) {
	poison(c.ids)
	p.putBuffer(c.args)
	c.message = nil
	if p == nil || len(c.ids) == cap(c.ids) || len(p.messages.calls.items) >= freeCalls {
		return
	}
	p.putMetadata(c.Metadata)
	c.args, c.Metadata, c.keys = nil, nil, nil
	if docPoison {
		*c = ToolCall{ids: c.ids}
	}
	p.messages.calls.put(c)
}

// takeMetadata gives an empty list that is not nil.
func (p *Pool) takeMetadata() Metadata {
	if p != nil {
		if md, ok := p.messages.metadata.get(); ok {
			return md
		}
	}
	return Metadata{}
}

func (p *Pool) putMetadata(md Metadata) {
	if p == nil || cap(md) == 0 || len(p.messages.metadata.items) >= freeMetadata {
		return
	}
	if md = md.left(); md != nil {
		p.messages.metadata.put(md)
	}
}

// takeCallList gives an empty list with some room, nil without a pool that has one.
func (p *Pool) takeCallList() []*ToolCall {
	if p == nil {
		return nil
	}
	list, _ := p.messages.callLists.get()
	return list
}

func (p *Pool) takeRoom() *partRoom {
	if p != nil {
		if r, ok := p.messages.rooms.get(); ok {
			return r
		}
	}
	return new(partRoom)
}

func (p *Pool) putRoom(r *partRoom) {
	if p == nil || r == nil || cap(r.parts) == 0 || len(p.messages.rooms.items) >= freeRooms {
		return
	}
	r.empty()
	p.messages.rooms.put(r)
}

func (p *Pool) takeDocument() *Document {
	if p == nil {
		return NewDocument(nil)
	}
	if d, ok := p.messages.documents.get(); ok {
		return d
	}
	return NewDocument(p)
}

func (p *Pool) putDocument(d *Document) {
	if d == nil {
		return
	}
	d.Reset()
	// What a snapshot brought may have another pool, or none.
	if p == nil || d.pool != p || len(p.messages.documents.items) >= freeDocuments {
		return
	}
	d.MaxBytes, d.MaxOps, d.MaxCopyBytes, d.MaxDepth = 0, 0, 0, 0
	p.messages.documents.put(d)
}

func (p *Pool) takeShelf() shelf {
	if p != nil {
		if s, ok := p.messages.shelves.get(); ok {
			return s
		}
	}
	return shelf{taken: true}
}

func (p *Pool) putShelf(s shelf) {
	if p == nil || !s.taken {
		return
	}
	p.messages.count()
	if len(p.messages.shelves.items) >= freeShelves {
		return
	}
	// A map keeps the room of its widest time, and clearing it walks all of that.
	if cap(s.conversation) > keptList {
		return
	}
	if len(s.byCall) > keptList {
		return
	}
	clear(s.conversation)
	clear(s.messages)
	clear(s.reasoning)
	clear(s.byID)
	clear(s.byCall)
	s.conversation, s.messages, s.reasoning = s.conversation[:0], s.messages[:0], s.reasoning[:0]
	p.messages.shelves.put(s)
}
