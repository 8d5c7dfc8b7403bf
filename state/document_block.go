package state

import "github.com/aguistream/aguistream/decode"

// A small document lies in one block: its nodes, lists and texts side by side,
// written in the order in which they came and given back at once. So reading it
// fills whole cache lines, and freeing it touches none. What lies in a block is
// called lent: it never goes to a free list of its own, and what patches leave
// unused of it stays so. A container that holds anything else, itself or
// further down, is mixed, and only those are walked when a tree is freed.
const (
	docBlockText    = 16 << 10 // longer texts get no block
	docBlockClasses = 4        // for texts up to 256 bytes, 1, 4 and 16 KiB
	docBlockList    = 32       // longer lists lie elsewhere
	docBlockValue   = 1 << 10  // longer values of patches do, too
	docBlockRoom    = 12       // bytes a byte of its class's text, from which on patches get nothing of it
	docBlockKept    = 24       // from which on it isn't kept
)

type docBlock struct {
	class   int
	bytes   int
	text    docArena[byte]
	nodes   docArena[docNode]
	objects docArena[docObjectNode]
	arrays  docArena[docArrayNode]
	members docArena[docMember]
	items   docArena[*docNode]
}

// A container's node and what it holds are looked at together.
type (
	docObjectNode struct {
		node docNode
		obj  docObject
	}
	docArrayNode struct {
		node docNode
		arr  docArray
	}
)

// docArena hands out parts of chunks, one after the other.
type docArena[T any] struct {
	rest   []T // of the chunk in use
	next   int // the chunk after it
	chunks [][]T
}

// take gives n entries, with what the block's last tree left in them.
func (a *docArena[T]) take(b *docBlock, n, unit int) []T {
	if len(a.rest) < n {
		a.refill(b, n, unit)
	}
	l := a.rest[:n:n]
	a.rest = a.rest[n:]
	return l
}

// refill goes on to a chunk with room for n. A new one has so many entries as
// a text of the block's class is likely to need.
func (a *docArena[T]) refill(b *docBlock, n, unit int) {
	for a.next < len(a.chunks) {
		a.rest = a.chunks[a.next]
		if a.next++; len(a.rest) >= n {
			return
		}
	}
	a.rest = make([]T, max(n, unit<<(2*b.class)))
	b.bytes += len(a.rest) * docSizeOf[T]()
	a.chunks = append(a.chunks, a.rest)
	a.next++
}

func (a *docArena[T]) reset() { a.rest, a.next = nil, 0 }

func docBlockClass(n int) int {
	c := 0
	for docBlockCap(c) < n {
		c++
	}
	return c
}

func docBlockCap(c int) int { return 256 << (2 * c) }

// takeBlock gives an empty block for a text of n bytes; nil: the text is too
// long for one.
func (p *Pool) takeBlock(n int) *docBlock {
	if n > docBlockText {
		return nil
	}
	c := docBlockClass(n)
	if p != nil {
		if b, ok := p.doc.blocks[c].get(); ok {
			p.doc.held -= b.bytes
			return b
		}
	}
	return &docBlock{class: c}
}

// putBlock takes a block back whose tree was freed.
func (p *Pool) putBlock(b *docBlock) {
	if b == nil {
		return
	}
	for _, text := range b.text.chunks {
		poison(text)
	}
	if p == nil || b.bytes > docBlockKept*docBlockCap(b.class) || !p.doc.admit(b.bytes) {
		return
	}
	p.doc.count(b.bytes / docNodeBytes) // so many come back at once
	b.text.reset()
	b.nodes.reset()
	b.objects.reset()
	b.arrays.reset()
	b.members.reset()
	b.items.reset()
	p.doc.blocks[b.class].put(b)
}

// within is the block if a patch may put a value of n bytes of text into it,
// else nil.
func (b *docBlock) within(n int) *docBlock {
	if b == nil || n > docBlockValue || b.bytes > docBlockRoom*docBlockCap(b.class) {
		return nil
	}
	return b
}

// keep copies a text into the block.
func (b *docBlock) keep(text []byte) []byte {
	own := b.text.take(b, len(text), 64)
	copy(own, text)
	return own
}

// docRoom is where the parts of a tree come from: the block, where there is one
// and what is asked for isn't too large for it, else the pool.
type docRoom struct {
	*Pool
	block *docBlock
}

// newScalar gives the node of a text.
func (p docRoom) newScalar(kind decode.Kind, text docText) *docNode {
	if p.block == nil {
		n := p.newNode()
		n.kind, n.text = kind, text
		return n
	}
	n := &p.block.nodes.take(p.block, 1, 4)[0]
	*n = docNode{kind: kind, text: text, lent: true, mixed: !text.lent()}
	return n
}

// newContainer gives the node of an empty array or object.
func (p docRoom) newContainer(kind decode.Kind) *docNode {
	var n *docNode
	switch {
	case p.block == nil && kind == decode.Array:
		n = p.newNode()
		n.arr = p.newArray()
	case p.block == nil:
		n = p.newNode()
		n.obj = p.newObject()
	case kind == decode.Array:
		both := &p.block.arrays.take(p.block, 1, 1)[0]
		*both = docArrayNode{node: docNode{lent: true}}
		n = &both.node
		n.arr = &both.arr
	default:
		both := &p.block.objects.take(p.block, 1, 2)[0]
		*both = docObjectNode{node: docNode{lent: true}}
		n = &both.node
		n.obj = &both.obj
	}
	n.kind, n.size, n.height = kind, 2, 1
	return n
}

// newText copies b, as Pool.newText.
func (p docRoom) newText(b []byte, plain bool) docText {
	if p.block == nil || len(b) == 0 {
		return p.Pool.newText(b, plain)
	}
	return docText{p: &p.block.keep(b)[0], n: uint32(len(b)), class: docTextLent, plain: plain}
}

// takeList gives a list of at least n items, and whether it is lent.
func (p docRoom) takeList(n int) ([]*docNode, bool) {
	if p.block == nil || n > docBlockList {
		return p.Pool.takeList(n), false
	}
	l := p.block.items.take(p.block, n, 4)
	clear(l)
	return l, true
}

// takeMembers gives a list of at least n members, and whether it is lent.
func (p docRoom) takeMembers(n int) ([]docMember, bool) {
	if p.block == nil || n > docBlockList {
		return p.Pool.takeMembers(n), false
	}
	l := p.block.members.take(p.block, n, 4)
	clear(l)
	return l, true
}
