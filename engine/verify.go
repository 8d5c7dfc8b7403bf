package engine

import (
	"sort"
	"strconv"
	"strings"
	"unsafe"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// The verifier's memory of an item (text message, tool call, reasoning message) lies in the item's own Mark, so that
// one lookup serves the rules and the stores. A Mark counts only while its Run is the current one.
const (
	markOpen      uint8 = 1 << iota // between START and END
	markOwned                       // its owner was established in this run, by a START or a snapshot (rules 28, 29)
	markChunk                       // open as a chunk stream; Slot is its lane
	markReasoning                   // opened as a reasoning message
)

const parentOwner = 0 // the main agent, who has no subagentRunId

// owner is one subagentRunId met in the run, or the parent.
type owner struct {
	id         string
	lane       int32 // its open chunk stream
	attributed bool  // something was opened under it
}

// step names an open step: steps are keyed by owner and name (rule 20).
type step struct {
	owner uint32
	name  string
}

// thought is what is open under a reasoning id: a span, a message, or both (rule 18).
type thought struct {
	span     bool
	owner    uint32 // of the span
	reported bool   // Started was given, Ended not yet
}

// rulebook is what the verifier keeps of the current run; a new run starts with nothing (rule 9). Its maps are made when
// they are first needed: most runs need few of them.
type rulebook struct {
	run                   uint32
	owners                []owner
	byID                  map[string]uint32
	texts, calls, reasons int // open items
	spans                 int
	thoughts              []thought
	thought               map[string]int32 // into thoughts
	stepOpen              []bool
	stepAt                map[step]int32 // into stepOpen
	openSteps             int
	active                int // announced subagents that have not ended

	// dropped are the open items that a snapshot took away, by kind, and their owners.
	dropped [numLaneKinds]map[string]uint32

	started []string         // tool calls of the run, in order of their first START
	call    map[string]int32 // into started
	results map[string]struct{}

	names []byte // the text of all ids above, appended only; the next run writes over it
}

func (r *rulebook) init() { r.reset() }

// reset forgets the run.
func (r *rulebook) reset() {
	r.run++
	r.owners = append(wipeList(r.owners), owner{lane: noLane})
	r.thoughts = wipeList(r.thoughts)
	r.started = wipeList(r.started)
	r.stepOpen = wipeList(r.stepOpen)
	wipe(&r.byID)
	wipe(&r.thought)
	wipe(&r.stepAt)
	wipe(&r.call)
	wipe(&r.results)
	for k := range r.dropped {
		wipe(&r.dropped[k])
	}
	if cap(r.names) > keptNames {
		r.names = nil
	}
	r.names = r.names[:0]
	r.texts, r.calls, r.reasons, r.spans, r.active, r.openSteps = 0, 0, 0, 0, 0, 0
}

// What a run leaves to the next one: more is let go, so that one wide run doesn't weigh on all that follow.
const (
	keptEntries = 4096
	keptNames   = 64 << 10
)

func wipe[K comparable, V any](m *map[K]V) {
	if len(*m) > keptEntries {
		*m = nil
		return
	}
	clear(*m)
}

func wipeList[T any](list []T) []T {
	if len(list) > keptEntries {
		return nil
	}
	clear(list)
	return list[:0]
}

func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[k] = v
}

// name keeps an id for the rest of the run.
func (r *rulebook) name(id []byte) string {
	n := len(r.names)
	r.names = append(r.names, id...)
	kept := r.names[n:]
	return unsafe.String(unsafe.SliceData(kept), len(kept))
}

// owner finds a subagentRunId that was met in this run.
func (r *rulebook) owner(id []byte) (uint32, bool) {
	i, ok := r.byID[string(id)]
	return i, ok
}

// intern is owner, meeting the id now if it is new.
func (r *rulebook) intern(id []byte) uint32 {
	if i, ok := r.byID[string(id)]; ok {
		return i
	}
	i := uint32(len(r.owners))
	kept := r.name(id)
	r.owners = append(r.owners, owner{id: kept, lane: noLane})
	put(&r.byID, kept, i)
	return i
}

func (r *rulebook) isOwner(i uint32, tag []byte) bool {
	return i != parentOwner && r.owners[i].id == string(tag)
}

// tagOf is an owner's subagentRunId; the parent has none.
func (r *rulebook) tagOf(i uint32) ([]byte, bool) {
	if i == parentOwner {
		return nil, false
	}
	return bytesOf(r.owners[i].id), true
}

// bytesOf views a string as bytes, which are not to be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringOf views bytes as a string, for a look-up.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (m *machine) verify() bool { return !m.opt.NoVerify }

// touch makes a mark the current run's.
func (r *rulebook) touch(mk *state.Mark) {
	if mk.Run != r.run {
		*mk = state.Mark{Run: r.run, Slot: noLane}
	}
}

func (r *rulebook) isOpen(mk *state.Mark) bool {
	return mk.Run == r.run && mk.Flags&markOpen != 0
}

// internOpt is the owner that a store's subagentRunId names.
func (r *rulebook) internOpt(id state.OptString) uint32 {
	if !id.Present {
		return parentOwner
	}
	return r.intern(bytesOf(id.Value))
}

// messageOwner is the owner of a held message: as of this run, else as stored.
func (m *machine) messageOwner(msg *Message) uint32 {
	if msg.Mark.Run == m.rules.run && msg.Mark.Flags&markOwned != 0 {
		return msg.Mark.Owner
	}
	return m.rules.internOpt(msg.SubagentRunID)
}

func (m *machine) callOwner(msg *Message, call *ToolCall) uint32 {
	if call.Mark.Run == m.rules.run && call.Mark.Flags&markOwned != 0 {
		return call.Mark.Owner
	}
	return m.messageOwner(msg)
}

// startOwner is the owner that a START gives its item: its tag; else the held item's (A13), for a call its parent
// message's (rule 22); else the parent.
func (m *machine) startOwner(o *op) uint32 {
	if o.tagged {
		return m.rules.intern(o.tag)
	}
	if o.typ != decode.ToolCallStart {
		if msg := m.store.Find(o.id); msg != nil {
			return m.messageOwner(msg)
		}
		return parentOwner
	}
	if msg, call := m.store.FindCall(o.id); call != nil {
		return m.callOwner(msg, call)
	}
	if p := m.parentMessage(o); p != nil {
		return m.messageOwner(p)
	}
	return parentOwner
}

// parentMessage is the assistant message that a TOOL_CALL_START names, if it is held.
func (m *machine) parentMessage(o *op) *Message {
	if !o.hasPar {
		return nil
	}
	p := m.store.Find(o.parent)
	if p == nil || p.Role != state.RoleAssistant {
		return nil
	}
	return p
}

// Each check returns what rule the op breaks, in words; "" when none.

// checkPhase holds rules 1, 4 and 5: what may come outside a run.
func (m *machine) checkPhase(o *op) string {
	switch m.phase {
	case running:
		return ""
	case idle:
		if m.opt.NoVerify {
			return ""
		}
		return "the first event must be RUN_STARTED or RUN_ERROR, not " + m.typeName()
	case finished:
		return m.typeName() + " after the run has finished (RUN_FINISHED): only RUN_STARTED or RUN_ERROR may follow"
	}
	return m.typeName() + " after RUN_ERROR: only RUN_STARTED may follow"
}

func (m *machine) wrongOwner(what string, id []byte, owner uint32, tag []byte) string {
	of := "the main agent"
	if owner != parentOwner {
		of = "subagent " + strconv.Quote(m.rules.owners[owner].id)
	}
	return what + " " + strconv.Quote(string(id)) + " belongs to " + of + ", not to subagentRunId " + strconv.Quote(string(tag))
}

// checkStart holds rules 11, 13, 15, 27 and 28, and that the stores can take the item (A15).
func (m *machine) checkStart(o *op) string {
	if o.typ == decode.ToolCallStart {
		return m.checkCallStart(o)
	}
	msg := m.store.Find(o.id)
	if msg == nil {
		return ""
	}
	reasoning := o.typ == decode.ReasoningMessageStart
	if reasoning != (msg.Role == state.RoleReasoning) || !reasoning && !msg.Role.TextRole() {
		return o.typ.String() + ": " + strconv.Quote(string(o.id)) + " is the id of a message with role " + msg.Role.String()
	}
	if m.opt.NoVerify {
		return ""
	}
	if m.rules.isOpen(&msg.Mark) {
		return o.typ.String() + ": message " + strconv.Quote(string(o.id)) + " is already open"
	}
	return m.checkReopen("message", o, &msg.Mark)
}

func (m *machine) checkReopen(what string, o *op, mk *state.Mark) string {
	if !o.tagged || mk.Run != m.rules.run || mk.Flags&markOwned == 0 || m.rules.isOwner(mk.Owner, o.tag) {
		return ""
	}
	return o.typ.String() + ": " + m.wrongOwner(what, o.id, mk.Owner, o.tag)
}

func (m *machine) checkCallStart(o *op) string {
	if m.opt.NoVerify {
		return ""
	}
	if _, call := m.store.FindCall(o.id); call != nil {
		if m.rules.isOpen(&call.Mark) {
			return "TOOL_CALL_START: tool call " + strconv.Quote(string(o.id)) + " is already open"
		}
		return m.checkReopen("tool call", o, &call.Mark) // it goes on where it stands, whatever parent is named
	}
	if p := m.parentMessage(o); p != nil && o.tagged {
		if owner := m.messageOwner(p); !m.rules.isOwner(owner, o.tag) {
			return "TOOL_CALL_START: " + m.wrongOwner("parent message", o.parent, owner, o.tag)
		}
	}
	return ""
}

// checkOpen holds rules 12, 14, 16 and 23 for a continuation or an end of an item.
func (m *machine) checkOpen(o *op, what string, mk *state.Mark) string {
	if m.opt.NoVerify {
		return ""
	}
	if mk == nil || !m.rules.isOpen(mk) {
		return o.typ.String() + ": no open " + what + " " + strconv.Quote(string(o.id))
	}
	if o.tagged && !m.rules.isOwner(mk.Owner, o.tag) {
		return o.typ.String() + ": " + m.wrongOwner(what, o.id, mk.Owner, o.tag)
	}
	return ""
}

// openThings names all that is open, for rule 7; "" when nothing is.
func (m *machine) openThings() string {
	r := &m.rules
	if r.texts+r.calls+r.reasons+r.spans+r.openSteps+r.active == 0 {
		return ""
	}
	var b strings.Builder
	list := func(what string, ids []string) {
		if len(ids) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(what)
		for i, id := range ids {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + strconv.Quote(id))
		}
	}
	var texts, calls, reasons []string
	for _, msg := range m.store.Conversation() {
		if r.isOpen(&msg.Mark) {
			if msg.Role == state.RoleReasoning {
				reasons = append(reasons, msg.ID)
			} else {
				texts = append(texts, msg.ID)
			}
		}
		for _, c := range msg.ToolCalls {
			if r.isOpen(&c.Mark) {
				calls = append(calls, c.ID)
			}
		}
	}
	list("text messages", append(texts, sortedKeys(r.dropped[textLane])...))
	list("tool calls", append(calls, sortedKeys(r.dropped[toolLane])...))
	list("reasoning messages", append(reasons, sortedKeys(r.dropped[reasoningLane])...))
	var spans, steps, subs []string
	for id, i := range r.thought {
		if r.thoughts[i].span {
			spans = append(spans, id)
		}
	}
	for s, at := range r.stepAt {
		if r.stepOpen[at] {
			steps = append(steps, s.name)
		}
	}
	for _, a := range m.subs.List() {
		if r.isOpen(&a.Mark) {
			subs = append(subs, a.ID)
		}
	}
	sort.Strings(spans)
	sort.Strings(steps)
	list("reasoning", spans)
	list("steps", steps)
	list("subagents", subs)
	return b.String()
}

func sortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
