package state

// A small text's tree lies in one block: its nodes, lists and texts side by
// side, written in the order of the text and given back at once. So reading it
// fills whole cache lines, and freeing it touches none but those of what came
// later. What lies in a block is called lent: it never goes to a free list of
// its own. A container that holds anything else, itself or further down, is
// mixed, and only those are walked when a tree is freed.
const (
	docBlockText    = 16 << 10 // longer texts get no block
	docBlockClasses = 4        // texts up to 256 bytes, 1, 4 and 16 KiB
	docBlockList    = 32       // longer lists lie elsewhere
	docBlockFull    = 16       // bytes a byte of its class's text; a larger block isn't kept
)

type docBlock struct {
	class   int
	bytes   int
	text    []byte
	nodes   docArena[docNode]
	objects docArena[docObject]
	arrays  docArena[docArray]
	members docArena[docMember]
	items   docArena[*docNode]
}

// docArena hands out parts of chunks, one after the other.
type docArena[T any] struct {
	chunks [][]T
	rest   []T // of the chunk in use
	next   int // the chunk after it
}

// take gives n entries, with what the block's last tree left in them.
func (a *docArena[T]) take(b *docBlock, n int) []T {
	if len(a.rest) < n {
		a.refill(b, n)
	}
	l := a.rest[:n:n]
	a.rest = a.rest[n:]
	return l
}

func (a *docArena[T]) refill(b *docBlock, n int) {
	for a.next < len(a.chunks) {
		a.rest = a.chunks[a.next]
		if a.next++; len(a.rest) >= n {
			return
		}
	}
	size := max(n, 4<<(2*b.class))
	if a.next > 0 {
		size = max(n, 2*len(a.chunks[a.next-1]))
	}
	a.rest = make([]T, size)
	b.bytes += size * docSizeOf[T]()
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
	poison(b.text)
	if p == nil || b.bytes > docBlockFull*docBlockCap(b.class) || !p.doc.admit(b.bytes) {
		return
	}
	p.doc.puts += b.bytes / docNodeBytes // so many parts come back at once
	b.nodes.reset()
	b.objects.reset()
	b.arrays.reset()
	b.members.reset()
	b.items.reset()
	p.doc.blocks[b.class].put(b)
}

// keep copies the text into the block.
func (b *docBlock) keep(text []byte) []byte {
	had := cap(b.text)
	b.text = append(b.text[:0], text...)
	b.bytes += cap(b.text) - had
	return b.text
}
