package engine

import (
	"bytes"
	"strconv"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// laneKind is the kind of the one chunk stream that a lane holds.
type laneKind uint8

const (
	textLane laneKind = iota
	toolLane
	reasoningLane
	numLaneKinds
)

// lane is an open chunk stream. There is at most one an owner (rule 51); its opener fields are kept, since a repeat of
// them may not differ (rule 56).
type lane struct {
	open       bool
	kind       laneKind
	owner      uint32
	prev, next int32 // in the order of opening
	id         []byte
	role       state.Role
	name       []byte
	hasName    bool
	parent     []byte
	hasPar     bool
}

// lanes are the open chunk streams of a run. Which one belongs to an owner stands in the owner's entry, which one to an
// item in the item's mark.
type lanes struct {
	slots       []lane
	free        []int32
	first, last int32
	open        int
	count       [numLaneKinds]int
	sum         [numLaneKinds]int // of the slot numbers: with a count of one, the slot
}

const noLane = -1

func (l *lanes) init() { l.first, l.last = noLane, noLane }

// keptLanes and keptLane are what is left to the next run.
const (
	keptLanes = 64
	keptLane  = 1 << 10 // bytes of one lane's opener
)

func (l *lanes) reset() {
	if len(l.slots) > keptLanes {
		l.slots, l.free = nil, nil
	}
	for i := range l.slots {
		if ln := &l.slots[i]; cap(ln.id)+cap(ln.name)+cap(ln.parent) > keptLane {
			*ln = lane{}
		}
	}
	l.slots, l.free = l.slots[:0], l.free[:0]
	l.open, l.count, l.sum = 0, [numLaneKinds]int{}, [numLaneKinds]int{}
	l.init()
}

func (l *lanes) add(kind laneKind, owner uint32) (int32, *lane) {
	var slot int32
	if n := len(l.free); n > 0 {
		slot, l.free = l.free[n-1], l.free[:n-1]
	} else {
		slot = int32(len(l.slots))
		if int(slot) < cap(l.slots) {
			l.slots = l.slots[:slot+1]
		} else {
			l.slots = append(l.slots, lane{})
		}
	}
	ln := &l.slots[slot]
	*ln = lane{open: true, kind: kind, owner: owner, prev: l.last, next: noLane, id: ln.id[:0], name: ln.name[:0], parent: ln.parent[:0]}
	if l.last == noLane {
		l.first = slot
	} else {
		l.slots[l.last].next = slot
	}
	l.last = slot
	l.open++
	l.count[kind]++
	l.sum[kind] += int(slot)
	return slot, ln
}

func (l *lanes) remove(slot int32) {
	ln := &l.slots[slot]
	if ln.prev == noLane {
		l.first = ln.next
	} else {
		l.slots[ln.prev].next = ln.next
	}
	if ln.next == noLane {
		l.last = ln.prev
	} else {
		l.slots[ln.next].prev = ln.prev
	}
	ln.open = false
	l.open--
	l.count[ln.kind]--
	l.sum[ln.kind] -= int(slot)
	l.free = append(l.free, slot)
}

// closing says which chunk streams an explicit event ends before it is passed on (protocol, section 4.4).
type closing uint8

const (
	closesNothing  closing = iota
	closesLane             // that of its owner
	closesSubagent         // that of the subagent it is about
	closesAll
)

var closes = [decode.NumTypes]closing{
	decode.TextMessageStart: closesLane, decode.TextMessageContent: closesLane, decode.TextMessageEnd: closesLane,
	decode.ToolCallStart: closesLane, decode.ToolCallArgs: closesLane, decode.ToolCallEnd: closesLane, decode.ToolCallResult: closesLane,
	decode.StepStarted: closesLane, decode.StepFinished: closesLane,
	decode.StateSnapshot: closesLane, decode.StateDelta: closesLane, decode.Custom: closesLane,
	decode.ReasoningStart: closesLane, decode.ReasoningEnd: closesLane, decode.ReasoningMessageStart: closesLane,
	decode.ReasoningMessageContent: closesLane, decode.ReasoningMessageEnd: closesLane,
	decode.SubagentFinished: closesSubagent, decode.SubagentError: closesSubagent,
	decode.RunStarted: closesAll, decode.RunFinished: closesAll, decode.RunError: closesAll, decode.MessagesSnapshot: closesAll,
}

// normalize expands chunks and ends the chunk streams that an explicit event closes; the verifier sees explicit events
// only.
func (m *machine) normalize(ev *decode.Event) {
	o := &m.op
	m.load(ev, o)
	switch ev.Type {
	case decode.TextMessageChunk:
		m.chunk(o, textLane)
		return
	case decode.ToolCallChunk:
		m.chunk(o, toolLane)
		return
	case decode.ReasoningMessageChunk:
		m.chunk(o, reasoningLane)
		return
	case decode.ThinkingStart, decode.ThinkingEnd, decode.ThinkingTextMessageStart, decode.ThinkingTextMessageContent, decode.ThinkingTextMessageEnd:
		if !m.retired(ev, o) {
			return
		}
	}
	if m.lanes.open > 0 {
		m.closeFor(o)
		if m.closed {
			return
		}
	}
	m.take(o)
}

// closeFor ends the chunk streams that o closes, in the order in which they were opened.
func (m *machine) closeFor(o *op) {
	switch closes[o.typ] {
	case closesLane:
		if owner, ok := m.ownerOf(o); ok {
			m.closeOwner(owner)
		}
	case closesSubagent:
		if owner, ok := m.rules.owner(o.id); ok {
			m.closeOwner(owner)
		}
	case closesAll:
		for m.lanes.open > 0 && !m.closed {
			m.closeLane(m.lanes.first)
		}
	}
}

func (m *machine) closeOwner(owner uint32) {
	if slot := m.rules.owners[owner].lane; slot != noLane {
		m.closeLane(slot)
	}
}

// ownerOf is the lane that an explicit event speaks in: its tag's; untagged, that of its id's owner (A14), else the
// parent's. It is false for a tag that the run hasn't met yet: such an owner has no lane.
func (m *machine) ownerOf(o *op) (uint32, bool) {
	if o.tagged {
		return m.rules.owner(o.tag)
	}
	switch o.typ {
	case decode.ToolCallStart, decode.ToolCallArgs, decode.ToolCallEnd:
		if msg, call := m.store.FindCall(o.id); call != nil {
			return m.callOwner(msg, call), true
		}
		if p := m.parentMessage(o); p != nil {
			return m.messageOwner(p), true // rule 22
		}
	case decode.TextMessageStart, decode.TextMessageContent, decode.TextMessageEnd,
		decode.ReasoningMessageStart, decode.ReasoningMessageContent, decode.ReasoningMessageEnd:
		if msg := m.store.Find(o.id); msg != nil {
			return m.messageOwner(msg), true
		}
	}
	if o.typ == decode.ReasoningEnd {
		if i, ok := m.rules.thought[string(o.id)]; ok && m.rules.thoughts[i].span {
			return m.rules.thoughts[i].owner, true
		}
	}
	return parentOwner, true
}

// closeLane ends one chunk stream: its END is made before what closes it.
func (m *machine) closeLane(slot int32) {
	ln := &m.lanes.slots[slot]
	end := op{made: true, id: ln.id, hasID: true}
	end.tag, end.tagged = m.rules.tagOf(ln.owner)
	end.typ = [...]decode.Type{textLane: decode.TextMessageEnd, toolLane: decode.ToolCallEnd, reasoningLane: decode.ReasoningMessageEnd}[ln.kind]
	m.dropLane(slot)
	m.take(&end)
}

// dropLane forgets a chunk stream, if it is open; its item was ended, or is about to be.
func (m *machine) dropLane(slot int32) {
	ln := &m.lanes.slots[slot]
	if !ln.open {
		return
	}
	m.rules.owners[ln.owner].lane = noLane
	m.lanes.remove(slot)
	m.short.forget()
}

// laneOfID finds the open chunk stream of a kind with an id.
func (m *machine) laneOfID(kind laneKind, id []byte) int32 {
	var mk *state.Mark
	if kind == toolLane {
		if _, call := m.store.FindCall(id); call != nil {
			mk = &call.Mark
		}
	} else if msg := m.store.Find(id); msg != nil {
		mk = &msg.Mark
	}
	if mk == nil || mk.Run != m.rules.run || mk.Flags&markChunk == 0 || m.lanes.slots[mk.Slot].kind != kind {
		return noLane
	}
	return mk.Slot
}

// chunk chooses the stream that a chunk is about (rule 52) and continues or opens it. A chunk is judged whole: what is
// refused does nothing.
func (m *machine) chunk(o *op, kind laneKind) {
	if reason := m.checkPhase(o); reason != "" {
		m.violate(reason)
		return
	}
	slot := int32(noLane)
	switch {
	case o.hasID:
		slot = m.laneOfID(kind, o.id)
		if slot != noLane && o.tagged && m.verify() && !m.rules.isOwner(m.lanes.slots[slot].owner, o.tag) {
			m.violate(m.wrongOwner("chunk stream", o.id, m.lanes.slots[slot].owner, o.tag))
			return
		}
	case o.tagged:
		if owner, ok := m.rules.owner(o.tag); ok {
			slot = m.laneOfOwner(owner, kind)
		}
	default:
		slot = m.laneOfOwner(parentOwner, kind)
		if slot == noLane && m.lanes.count[kind] == 1 {
			slot = int32(m.lanes.sum[kind])
		}
		if slot == noLane && m.lanes.count[kind] > 1 {
			m.violate(o.typ.String() + " with neither an id nor a subagentRunId is ambiguous: " + strconv.Itoa(m.lanes.count[kind]) + " streams are open")
			return
		}
	}
	if slot != noLane {
		m.continueChunk(o, slot)
		return
	}
	m.openChunk(o, kind)
}

func (m *machine) laneOfOwner(owner uint32, kind laneKind) int32 {
	slot := m.rules.owners[owner].lane
	if slot == noLane || m.lanes.slots[slot].kind != kind {
		return noLane
	}
	return slot
}

// openChunk opens a chunk stream: START, and CONTENT when there is a delta (rules 53-55).
func (m *machine) openChunk(o *op, kind laneKind) {
	if !o.hasID {
		m.violate("the first " + o.typ.String() + " must have a " + idField[o.typ].String())
		return
	}
	if kind == toolLane && !o.hasName && m.verify() {
		m.violate("the first " + o.typ.String() + " must have a toolCallName")
		return
	}
	start := *o
	start.made, start.hasDelta, start.raw = true, false, m.ev.Raw(decode.FieldRawEvent)
	start.hasName = start.hasName || kind == toolLane // not verified, a call may go without: its name is ""
	start.typ = [...]decode.Type{textLane: decode.TextMessageStart, toolLane: decode.ToolCallStart, reasoningLane: decode.ReasoningMessageStart}[kind]
	if reason := m.checkStart(&start); reason != "" {
		m.violate(reason)
		return
	}
	owner := m.startOwner(&start)
	if old := m.rules.owners[owner].lane; old != noLane {
		m.closeLane(old)
	}
	if start.tag, start.tagged = m.rules.tagOf(owner); m.closed {
		return
	}
	mk := m.applyStart(&start)
	if mk == nil {
		return
	}
	slot, ln := m.lanes.add(kind, owner)
	m.short.forget() // what an explicit event closes, and what a chunk without an id continues, may be another now
	ln.id = append(ln.id, o.id...)
	ln.role = state.RoleAssistant
	if o.hasRole {
		ln.role = o.role
	}
	ln.name, ln.hasName = append(ln.name, o.name...), o.hasName
	ln.parent, ln.hasPar = append(ln.parent, o.parent...), o.hasPar
	m.rules.owners[owner].lane = slot
	mk.Flags |= markChunk
	mk.Slot = slot
	if o.hasDelta {
		m.chunkContent(o, slot)
	}
}

// continueChunk appends to an open chunk stream (rules 56-58).
func (m *machine) continueChunk(o *op, slot int32) {
	if m.verify() {
		if reason := m.lanes.slots[slot].conflict(o); reason != "" {
			m.violate(reason)
			return
		}
	}
	if !o.hasDelta && o.meta == nil {
		m.skip()
		return
	}
	m.chunkContent(o, slot)
}

func (m *machine) chunkContent(o *op, slot int32) {
	ln := &m.lanes.slots[slot]
	c := *o
	c.made, c.raw = true, m.ev.Raw(decode.FieldRawEvent)
	c.id, c.hasID = ln.id, true
	c.tag, c.tagged = m.rules.tagOf(ln.owner)
	if !o.hasDelta {
		c.delta, c.hasDelta, c.plain = nil, true, true
	}
	c.typ = [...]decode.Type{textLane: decode.TextMessageContent, toolLane: decode.ToolCallArgs, reasoningLane: decode.ReasoningMessageContent}[ln.kind]
	m.take(&c)
}

// conflict says how a chunk contradicts the opener of its stream. What the opener left out is established too: for the
// role as assistant (rule 57), else as absent (A4).
func (ln *lane) conflict(o *op) string {
	differs := func(field string) string {
		return o.typ.String() + " of " + strconv.Quote(string(ln.id)) + " repeats " + field + " with another value than its opener"
	}
	switch {
	case o.hasRole && o.role != ln.role:
		return differs("role")
	case o.hasName && (!ln.hasName || !bytes.Equal(o.name, ln.name)):
		if ln.kind == toolLane {
			return differs("toolCallName")
		}
		return differs("name")
	case o.hasPar && (!ln.hasPar || !bytes.Equal(o.parent, ln.parent)):
		return differs("parentMessageId")
	}
	return ""
}
