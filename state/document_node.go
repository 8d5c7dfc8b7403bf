package state

import "github.com/aguistream/aguistream/decode"

// docNode is one JSON value of a Document's tree. Its size and height are kept
// by whoever attaches or detaches a child, up to the root, so that neither is
// ever counted anew.
//
// Only containers know what holds them, so that the scalars that every state
// is full of can be one node each, shared by all documents of the process and
// never written to (docDigits, docTrue and so on).
type docNode struct {
	up     *docNode   // the container that holds this one; nil: the root, or detached
	arr    *docArray  // of an array
	obj    *docObject // of an object
	text   docText    // a string unescaped, a number's digits as written
	size   int        // bytes of its JSON text
	height uint16     // containers nested in it, itself counted; may be too high, never too low
	kind   decode.Kind
	shared bool
	lent   bool // of a block
	mixed  bool // of a block, but something in it is not
}

// docMaxHeight keeps heights within their type, whatever the limit set.
const docMaxHeight = 60_000

// docEmpty stands for the object that a Document without a tree is.
var docEmpty = &docNode{kind: decode.Object, size: 2, height: 1, obj: &docObject{}}

func (n *docNode) container() bool { return n.arr != nil || n.obj != nil }

func (n *docNode) len() int {
	switch {
	case n.arr != nil:
		return n.arr.n
	case n.obj != nil:
		return n.obj.live
	}
	return 0
}

// grow adds to the sizes of n and all that holds it.
func (n *docNode) grow(bytes int) {
	for ; n != nil; n = n.up {
		n.size += bytes
	}
}

// foreign says whether n has anything that is of no block.
func (n *docNode) foreign() bool { return !n.shared && (!n.lent || n.mixed) }

// mix marks n and what holds it when n got something foreign.
func (n *docNode) mix(foreign bool) {
	if !foreign {
		return
	}
	for ; n != nil; n = n.up {
		n.mixed = true
	}
}

// hold counts a child in that is read from text.
func (n *docNode) hold(child *docNode) {
	n.size += child.size
	n.mixed = n.mixed || child.mixed
	if child.height > 0 {
		child.up = n
		n.height = max(n.height, child.height+1)
	}
}

// adopt makes n the holder of child.
func (n *docNode) adopt(child *docNode) {
	if child.height == 0 {
		return
	}
	child.up = n
	height := child.height + 1
	for u := n; u != nil && u.height < height; u = u.up {
		u.height = height
		height++
	}
}

func (n *docNode) orphan() {
	if n.height > 0 {
		n.up = nil
	}
}

// comma is what one child more costs beside itself, with others there or not.
func comma(others int) int {
	if others > 0 {
		return 1
	}
	return 0
}

func (n *docNode) insertItem(p docRoom, i int, child *docNode) {
	n.grow(child.size + comma(n.arr.n))
	n.arr.insert(p, i, child)
	n.adopt(child)
	n.mix(!n.arr.lent || child.foreign())
}

func (n *docNode) removeItem(i int) *docNode {
	child := n.arr.items()[i]
	n.arr.remove(i)
	n.grow(-child.size - comma(n.arr.n))
	child.orphan()
	return child
}

// addMember takes key over; the name must be new.
func (n *docNode) addMember(p docRoom, key docText, child *docNode) int {
	n.grow(key.quotedLen() + 1 + child.size + comma(n.obj.live))
	at := n.obj.add(p, key, child)
	n.adopt(child)
	n.mix(!n.obj.lent || n.obj.slots != nil || !key.lent() || child.foreign())
	return at
}

// popMember undoes the last addMember.
func (n *docNode) popMember(p docRoom) *docNode {
	key, child := n.obj.pop()
	n.grow(-key.quotedLen() - 1 - child.size - comma(n.obj.live))
	p.putText(key)
	child.orphan()
	return child
}

func (n *docNode) killMember(at int) *docNode {
	child := n.obj.kill(at)
	n.grow(-n.obj.members[at].key.quotedLen() - 1 - child.size - comma(n.obj.live))
	child.orphan()
	return child
}

func (n *docNode) reviveMember(p docRoom, at int, child *docNode) {
	n.grow(n.obj.members[at].key.quotedLen() + 1 + child.size + comma(n.obj.live))
	n.obj.revive(p, at, child)
	n.adopt(child)
	n.mix(n.obj.slots != nil || child.foreign())
}

// place is where the item or the member's value at a place is kept.
func (n *docNode) place(at int) **docNode {
	if n.arr != nil {
		return &n.arr.buf[n.arr.head+at]
	}
	return &n.obj.members[at].node
}

// swap puts child in the place of another one, which it gives back.
func (n *docNode) swap(at int, child *docNode) *docNode {
	place := n.place(at)
	old := *place
	*place = child
	n.grow(child.size - old.size)
	old.orphan()
	n.adopt(child)
	n.mix(child.foreign())
	return old
}

// measure makes the heights of n's tree exact again.
func (n *docNode) measure() uint16 {
	if !n.container() {
		return 0
	}
	var deepest uint16
	if n.arr != nil {
		for _, item := range n.arr.items() {
			deepest = max(deepest, item.measure())
		}
	} else {
		for _, m := range n.obj.members[:n.obj.n] {
			if m.node != nil {
				deepest = max(deepest, m.node.measure())
			}
		}
	}
	n.height = deepest + 1
	return n.height
}

// depth counts the containers from the root down to n.
func (n *docNode) depth() int {
	depth := 0
	for ; n != nil; n = n.up {
		depth++
	}
	return depth
}

// free gives the whole tree back.
func (p *Pool) free(n *docNode) {
	if n == nil || n.shared || n.lent && !n.mixed {
		return
	}
	switch {
	case n.arr != nil:
		items := n.arr.items()
		for i, item := range items {
			p.free(item)
			items[i] = nil
		}
		n.arr.giveBuf(p)
		p.putArray(n.arr, n.lent)
	case n.obj != nil:
		o := n.obj
		for i := range o.members[:o.n] {
			m := &o.members[i]
			p.putText(m.key)
			p.free(m.node)
			*m = docMember{}
		}
		o.giveMembers(p)
		p.giveSlots(o.slots)
		p.putObject(o, n.lent)
	default:
		p.putText(n.text)
	}
	p.putNode(n)
}

// count is how many values n holds, itself included, shared ones left out; it stops counting at most.
func (n *docNode) count(most int) int {
	if n.shared || most <= 0 {
		return 0
	}
	total := 1
	switch {
	case n.arr != nil:
		for _, item := range n.arr.items() {
			if total >= most {
				break
			}
			total += item.count(most - total)
		}
	case n.obj != nil:
		for _, m := range n.obj.members[:n.obj.n] {
			if total >= most {
				break
			}
			if m.node != nil {
				total += m.node.count(most - total)
			}
		}
	}
	return total
}

// clone copies the whole tree, without what is dead in it.
func (p *Pool) clone(n *docNode) *docNode {
	if n.shared {
		return n
	}
	c := p.newNode()
	c.kind, c.size, c.height = n.kind, n.size, n.height
	switch {
	case n.arr != nil:
		c.arr = p.newArray()
		c.arr.buf = p.takeList(n.arr.n)
		c.arr.n = n.arr.n
		for i, item := range n.arr.items() {
			c.arr.buf[i] = p.clone(item)
			c.adopt(c.arr.buf[i])
		}
	case n.obj != nil:
		c.obj = p.newObject()
		c.obj.members = p.takeMembers(n.obj.live)
		for _, m := range n.obj.members[:n.obj.n] {
			if m.node == nil {
				continue
			}
			own := p.clone(m.node)
			c.adopt(own)
			c.obj.add(docRoom{Pool: p}, p.newText(m.key.bytes(), m.key.plain), own)
		}
	default:
		c.text = p.newText(n.text.bytes(), n.text.plain)
	}
	return c
}

// docDigits are the numbers 0 to 9, found by their last four bits.
var docDigits = func() (digits [16]docNode) {
	for c := byte('0'); c <= '9'; c++ {
		digits[c&0xf] = docNode{kind: decode.Number, text: (*Pool)(nil).newText([]byte{c}, true), size: 1, shared: true}
	}
	return digits
}()

var (
	docTrue  = docNode{kind: decode.True, size: 4, shared: true}
	docFalse = docNode{kind: decode.False, size: 5, shared: true}
	docNull  = docNode{kind: decode.Null, size: 4, shared: true}
)

// docEscapes is how much longer than itself each byte is in JSON text, taken
// from the encoder so that the two can't disagree. Bytes over 0x7f are parts
// of valid UTF-8 here, which goes as it is.
var docEscapes = func() (extra [256]uint8) {
	for c := range 0x80 {
		extra[c] = uint8(len(decode.AppendQuoted(nil, []byte{byte(c)})) - 3)
	}
	return extra
}()

// docQuotedLen is the length of a string's JSON text.
func docQuotedLen(text []byte) int {
	n := len(text) + 2
	for _, c := range text {
		n += int(docEscapes[c])
	}
	return n
}
