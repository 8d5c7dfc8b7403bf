package state

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// docWide is how many members an object may have before it gets an index.
const docWide = 12

// docMember is one member. A removed one stays as a dead entry (node nil)
// until tidy: so removing is constant and an undo finds its place again.
type docMember struct {
	head uint64 // docHead of key
	key  docText
	node *docNode
}

// docHead is the beginning of a name. Two short names are the same when their
// heads and lengths are, so that most look-ups needn't touch the names.
func docHead(name []byte) (head uint64) {
	if len(name) >= docHeadBytes {
		return binary.LittleEndian.Uint64(name)
	}
	for i, c := range name {
		head |= uint64(c) << (8 * i)
	}
	return head
}

const docHeadBytes = 8

// named says whether a member that isn't dead has this name.
func (m *docMember) named(name []byte, head uint64) bool {
	return m.head == head && int(m.key.n) == len(name) && m.node != nil &&
		(len(name) <= docHeadBytes || string(m.key.bytes()) == string(name))
}

// docSlot is one entry of an object's index: open addressing, linear probing.
type docSlot struct {
	hash uint32
	at   uint32 // place in members + 1; 0: free
}

// docObject holds an object's members in their order.
type docObject struct {
	members []docMember // the class's whole list
	n       int         // entries in use, dead ones included
	live    int
	slots   []docSlot // nil: narrow
	lent    bool      // members is of a block
}

// The seed differs from process to process, so that no producer can choose
// names that collide.
var docSeed = maphash.MakeSeed()

func docHash(key []byte) uint32 { return uint32(maphash.Bytes(docSeed, key)) }

// find gives the place of the member named key, or -1.
func (o *docObject) find(key []byte) int {
	if o.slots != nil {
		return o.findSlot(key)
	}
	head := docHead(key)
	for i := range o.members[:o.n] {
		if o.members[i].named(key, head) {
			return i
		}
	}
	return -1
}

func (o *docObject) findSlot(key []byte) int {
	hash, mask := docHash(key), uint32(len(o.slots)-1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := o.slots[i]
		if s.at == 0 {
			return -1
		}
		if s.hash == hash && bytes.Equal(o.members[s.at-1].key.bytes(), key) {
			return int(s.at - 1)
		}
	}
}

// add appends a member whose name isn't there yet and gives its place.
func (o *docObject) add(p docRoom, key docText, n *docNode) int {
	if o.n == len(o.members) {
		o.remember(p, o.n+1)
	}
	at := o.n
	o.members[at] = docMember{head: docHead(key.bytes()), key: key, node: n}
	o.n++
	o.revived(p, at)
	return at
}

// revive gives the dead member at its node back: the undo of kill.
func (o *docObject) revive(p docRoom, at int, n *docNode) {
	o.members[at].node = n
	o.revived(p, at)
}

func (o *docObject) revived(p docRoom, at int) {
	o.live++
	if o.slots == nil {
		// Dead members count too: one patch may leave thousands.
		if o.live > docWide || o.n > 4*docWide {
			o.reindex(p)
		}
		return
	}
	if 4*o.live > 3*len(o.slots) {
		o.reindex(p)
		return
	}
	o.index(at)
}

// kill makes the member dead: it keeps its place, but not its name's place in
// the index.
func (o *docObject) kill(at int) *docNode {
	n := o.members[at].node
	if o.slots != nil {
		o.unindex(at)
	}
	o.members[at].node = nil
	o.live--
	return n
}

// pop takes the last entry away: the undo of add.
func (o *docObject) pop() (docText, *docNode) {
	at := o.n - 1
	key := o.members[at].key
	n := o.kill(at)
	o.members[at] = docMember{}
	o.n--
	return key, n
}

func (o *docObject) index(at int) {
	hash, mask := docHash(o.members[at].key.bytes()), uint32(len(o.slots)-1)
	i := hash & mask
	for o.slots[i].at != 0 {
		i = (i + 1) & mask
	}
	o.slots[i] = docSlot{hash: hash, at: uint32(at + 1)}
}

// unindex takes an entry out and moves up those that it had pushed along, so
// that no probe ever meets a hole.
func (o *docObject) unindex(at int) {
	mask := uint32(len(o.slots) - 1)
	i := docHash(o.members[at].key.bytes()) & mask
	for o.slots[i].at != uint32(at+1) {
		i = (i + 1) & mask
	}
	for j := i; ; {
		j = (j + 1) & mask
		s := o.slots[j]
		if s.at == 0 {
			break
		}
		if (j-s.hash)&mask >= (j-i)&mask {
			o.slots[i] = s
			i = j
		}
	}
	o.slots[i] = docSlot{}
}

func (o *docObject) reindex(p docRoom) {
	p.giveSlots(o.slots)
	o.slots = p.takeSlots(2 * o.live)
	for at := range o.members[:o.n] {
		if o.members[at].node != nil {
			o.index(at)
		}
	}
}

// remember moves the members into a list for at least want.
func (o *docObject) remember(p docRoom, want int) {
	list, lent := p.takeMembers(docListCap(docListClass(want)))
	copy(list, o.members[:o.n])
	clear(o.members[:o.n])
	o.giveMembers(p.Pool)
	o.members, o.lent = list, lent
}

func (o *docObject) giveMembers(p *Pool) {
	if !o.lent {
		p.giveMembers(o.members)
	}
}

// tidy drops dead members: those at the end at once, the others when they
// outnumber the living, so that removing stays constant by and large.
func (o *docObject) tidy(p docRoom) {
	for o.n > 0 && o.members[o.n-1].node == nil {
		o.n--
		p.putText(o.members[o.n].key)
		o.members[o.n] = docMember{}
	}
	if o.n-o.live > o.live+8 {
		o.compact(p)
	}
}

func (o *docObject) compact(p docRoom) {
	keep := 0
	for i := range o.members[:o.n] {
		m := &o.members[i]
		if m.node == nil {
			p.putText(m.key)
			continue
		}
		o.members[keep] = *m
		keep++
	}
	clear(o.members[keep:o.n])
	o.n = keep
	if !o.lent && len(o.members) > 8 && 4*keep < len(o.members) {
		o.remember(p, max(4, 2*keep))
	}
	if o.slots == nil {
		return
	}
	if o.live <= docWide/2 {
		p.giveSlots(o.slots)
		o.slots = nil
		return
	}
	o.reindex(p)
}
