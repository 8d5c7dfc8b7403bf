package state

// What a pool keeps, at most. Beyond it the garbage collector has it: a burst must not stay for ever.
const (
	freeMessages  = 4096
	freeCalls     = 4096
	freeDocuments = 1024
	freeShelves   = 1024
	freeMetadata  = 1024
	freeRooms     = 256
	freeCallLists = 1024
	freeTextBytes = 16 << 20 // of all idle text buffers together
	keptList      = 4096     // entries of one list or index
	keptCalls     = 64       // entries of one message's call list
	keptSubagents = 1024     // of one thread
)

// roomForIDs is what the ids and names of most messages and calls fit in.
const roomForIDs = 112

// messagePool is the free lists of messages, calls and their buffers. Everything on them is empty.
type messagePool struct {
	messages  []*Message
	calls     []*ToolCall
	documents []*Document
	shelves   []shelf
	text      textPool
	metadata  []Metadata
	rooms     []partRoom
	callLists [][]*ToolCall
}

func takeLast[T any](list *[]T) (t T, ok bool) {
	n := len(*list) - 1
	if n < 0 {
		return t, false
	}
	var zero T
	t = (*list)[n]
	(*list)[n] = zero
	*list = (*list)[:n]
	return t, true
}

func (p *Pool) takeMessage() *Message {
	if p == nil {
		return new(Message)
	}
	m, ok := takeLast(&p.messages.messages)
	if !ok {
		return &Message{ids: make([]byte, 0, roomForIDs)}
	}
	return m
}

// putMessage empties a message, its calls and its content, and keeps them. Without a pool all is left to the garbage
// collector, as it stands.
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
	p.putDocument(m.Activity)
	if len(p.messages.messages) >= freeMessages {
		m.bury()
		return
	}
	if c := cap(m.ToolCalls); c > 0 && c <= keptCalls && len(p.messages.callLists) < freeCallLists {
		p.messages.callLists = append(p.messages.callLists, m.ToolCalls[:0])
	}
	ids := m.ids
	m.bury()
	p.putBuffer(m.text)
	p.putMetadata(m.Metadata)
	p.putRoom(m.room)
	*m = Message{ids: ids[:0]}
	p.messages.messages = append(p.messages.messages, m)
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
	c, ok := takeLast(&p.messages.calls)
	if !ok {
		return &ToolCall{ids: make([]byte, 0, roomForIDs)}
	}
	return c
}

func (p *Pool) putCall(c *ToolCall) {
	poison(c.ids)
	p.putBuffer(c.args)
	c.message = nil
	if p == nil || len(p.messages.calls) >= freeCalls {
		return
	}
	p.putMetadata(c.Metadata)
	*c = ToolCall{ids: c.ids[:0]}
	p.messages.calls = append(p.messages.calls, c)
}

// takeMetadata gives an empty list that is not nil.
func (p *Pool) takeMetadata() Metadata {
	if p != nil {
		if md, ok := takeLast(&p.messages.metadata); ok {
			return md
		}
	}
	return Metadata{}
}

func (p *Pool) putMetadata(md Metadata) {
	if p == nil || cap(md) == 0 || len(p.messages.metadata) >= freeMetadata {
		return
	}
	if md = md.left(); md != nil {
		p.messages.metadata = append(p.messages.metadata, md)
	}
}

// takeCallList gives an empty list with some room, nil without a pool that has one.
func (p *Pool) takeCallList() []*ToolCall {
	if p == nil {
		return nil
	}
	list, _ := takeLast(&p.messages.callLists)
	return list
}

func (p *Pool) takeRoom() partRoom {
	if p != nil {
		if r, ok := takeLast(&p.messages.rooms); ok {
			return r
		}
	}
	return partRoom{}
}

func (p *Pool) putRoom(r partRoom) {
	if p == nil || cap(r.parts) == 0 || len(p.messages.rooms) >= freeRooms {
		return
	}
	r.empty()
	p.messages.rooms = append(p.messages.rooms, r)
}

func (p *Pool) takeDocument() *Document {
	if p == nil {
		return NewDocument(nil)
	}
	if d, ok := takeLast(&p.messages.documents); ok {
		return d
	}
	return NewDocument(p)
}

func (p *Pool) putDocument(d *Document) {
	if d == nil {
		return
	}
	d.Reset()
	if p == nil || len(p.messages.documents) >= freeDocuments {
		return
	}
	d.MaxBytes, d.MaxOps, d.MaxCopyBytes = 0, 0, 0
	p.messages.documents = append(p.messages.documents, d)
}

func (p *Pool) takeShelf() shelf {
	if p != nil {
		if s, ok := takeLast(&p.messages.shelves); ok {
			return s
		}
	}
	return shelf{
		byID:   make(map[string]*Message),
		byCall: make(map[string]*ToolCall),
		places: make(map[string]int32),
	}
}

func (p *Pool) putShelf(s shelf) {
	if p == nil || s.byID == nil || len(p.messages.shelves) >= freeShelves {
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
	p.messages.shelves = append(p.messages.shelves, s)
}
