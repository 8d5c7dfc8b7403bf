package state

import (
	"math/bits"
	"unsafe"

	"github.com/aguistream/aguistream/decode"
)

// What a docPool may hold back from the garbage collector, and how often it
// lets go of what nobody asked for.
const (
	docPoolBytes = 64 << 20
	docPoolEpoch = 1 << 19

	docTextClasses  = 20 // 8 bytes to 4 MiB; longer texts are left to the collector
	docListClasses  = 18 // 4 to 524,288 entries
	docSlabNodes    = 16
	docSlabBytes    = 1024
	docSlabMaxClass = 3 // texts up to 64 bytes are cut from slabs
)

// docPool holds a Pool's nodes, texts and lists. Each free list remembers how
// low it fell during an epoch: what lay unused all the while is more than is
// needed, and half of that goes at the epoch's end. So a burst is forgotten,
// and a steady load never allocates.
type docPool struct {
	held int // bytes on the free lists
	puts int // since the epoch began

	nodes   freeList[*docNode]
	arrays  freeList[*docArray]
	objects freeList[*docObject]
	texts   [docTextClasses]freeList[*byte]
	lists   [docListClasses]freeList[[]*docNode]
	members [docListClasses]freeList[[]docMember]
	slots   [docListClasses]freeList[[]docSlot]
	blocks  [docBlockClasses]freeList[*docBlock]
	works   freeList[*docWork]
}

// admit says whether bytes more may be held, and counts them.
func (p *docPool) admit(bytes int) bool {
	p.count(1)
	if p.held+bytes > docPoolBytes {
		return false
	}
	p.held += bytes
	return true
}

// count adds to the epoch's work, in parts of documents.
func (p *docPool) count(parts int) {
	if p.puts += parts; p.puts >= docPoolEpoch {
		p.trim()
	}
}

func (p *docPool) trim() {
	p.puts = 0
	p.held -= p.nodes.trim(func(*docNode) int { return docNodeBytes })
	p.held -= p.arrays.trim(func(*docArray) int { return docArrayBytes })
	p.held -= p.objects.trim(func(*docObject) int { return docObjectBytes })
	for c := range p.texts {
		p.held -= p.texts[c].trim(func(*byte) int { return docTextCap(uint8(c)) })
	}
	for c := range docListClasses {
		p.held -= p.lists[c].trim(func(l []*docNode) int { return len(l) * docPointerBytes })
		p.held -= p.members[c].trim(func(l []docMember) int { return len(l) * docMemberBytes })
		p.held -= p.slots[c].trim(func(l []docSlot) int { return len(l) * docSlotBytes })
	}
	for c := range p.blocks {
		p.held -= p.blocks[c].trim(func(b *docBlock) int { return b.bytes })
	}
}

const (
	docPointerBytes = int(unsafe.Sizeof((*docNode)(nil)))
	docNodeBytes    = int(unsafe.Sizeof(docNode{}))
	docArrayBytes   = int(unsafe.Sizeof(docArray{}))
	docObjectBytes  = int(unsafe.Sizeof(docObject{}))
	docMemberBytes  = int(unsafe.Sizeof(docMember{}))
	docSlotBytes    = int(unsafe.Sizeof(docSlot{}))
)

// newNode gives a zeroed node.
func (p *Pool) newNode() *docNode {
	if p == nil {
		return new(docNode)
	}
	n, ok := p.doc.nodes.get()
	if !ok {
		slab := new([docSlabNodes]docNode)
		for i := range slab[1:] {
			if p.doc.admit(docNodeBytes) {
				p.doc.nodes.put(&slab[i+1])
			}
		}
		return &slab[0]
	}
	p.doc.held -= docNodeBytes
	return n
}

func (p *Pool) putNode(n *docNode) {
	lent := n.lent
	*n = docNode{}
	if !lent && p != nil && p.doc.admit(docNodeBytes) {
		p.doc.nodes.put(n)
	}
}

func (p *Pool) newArray() *docArray {
	if p != nil {
		if a, ok := p.doc.arrays.get(); ok {
			p.doc.held -= docArrayBytes
			return a
		}
	}
	return new(docArray)
}

func (p *Pool) putArray(a *docArray, lent bool) {
	*a = docArray{}
	if !lent && p != nil && p.doc.admit(docArrayBytes) {
		p.doc.arrays.put(a)
	}
}

func (p *Pool) newObject() *docObject {
	if p != nil {
		if o, ok := p.doc.objects.get(); ok {
			p.doc.held -= docObjectBytes
			return o
		}
	}
	return new(docObject)
}

func (p *Pool) putObject(o *docObject, lent bool) {
	*o = docObject{}
	if !lent && p != nil && p.doc.admit(docObjectBytes) {
		p.doc.objects.put(o)
	}
}

// docText is a string's bytes in a buffer of its size class.
type docText struct {
	p     *byte
	n     uint32
	class uint8
	plain bool // its JSON text needs no escape
}

func (t docText) bytes() []byte  { return unsafe.Slice(t.p, t.n) }
func (t docText) string() string { return unsafe.String(t.p, t.n) }

// quotedLen is the length of its JSON text.
func (t docText) quotedLen() int {
	if t.plain {
		return int(t.n) + 2
	}
	return docQuotedLen(t.bytes())
}

func (t docText) appendQuoted(dst []byte) []byte {
	if !t.plain {
		return decode.AppendQuoted(dst, t.bytes())
	}
	dst = append(dst, '"')
	dst = append(dst, t.bytes()...)
	return append(dst, '"')
}

// Classes of texts that no free list takes.
const (
	docTextLarge = 0xff
	docTextLent  = 0xfe // of a block
)

// lent says whether the text needs no giving back.
func (t docText) lent() bool { return t.p == nil || t.class == docTextLent }

func docTextClass(n int) uint8 { return uint8(bits.Len(uint(n-1) >> 3)) }
func docTextCap(c uint8) int   { return 8 << c }

// newText copies b. Whoever knows that b needs no escape in JSON says plain.
func (p *Pool) newText(b []byte, plain bool) docText {
	if len(b) == 0 {
		return docText{plain: true}
	}
	t := docText{n: uint32(len(b)), class: docTextClass(len(b)), plain: plain}
	if p == nil || t.class >= docTextClasses {
		t.class = docTextLarge
		own := make([]byte, len(b))
		copy(own, b)
		t.p = unsafe.SliceData(own)
		return t
	}
	buf, ok := p.doc.texts[t.class].get()
	if ok {
		p.doc.held -= docTextCap(t.class)
	} else {
		buf = p.doc.cutText(t.class)
	}
	t.p = buf
	copy(unsafe.Slice(buf, t.n), b)
	return t
}

func (p *docPool) cutText(class uint8) *byte {
	size := docTextCap(class)
	if class > docSlabMaxClass {
		return unsafe.SliceData(make([]byte, size))
	}
	slab := make([]byte, docSlabBytes)
	for at := size; at < len(slab); at += size {
		if p.admit(size) {
			p.texts[class].put(&slab[at])
		}
	}
	return &slab[0]
}

func (p *Pool) putText(t docText) {
	if t.lent() {
		return
	}
	poison(t.bytes())
	if p != nil && t.class != docTextLarge && p.doc.admit(docTextCap(t.class)) {
		p.doc.texts[t.class].put(t.p)
	}
}

// docListClass gives the class of the smallest list that holds n entries.
func docListClass(n int) int { return bits.Len(uint(max(n, 1)-1) >> 2) }
func docListCap(c int) int   { return 4 << c }

// docTake gives a zeroed list of at least n entries: its length is that of the class.
func docTake[T any](p *Pool, from *[docListClasses]freeList[[]T], n int) []T {
	c := docListClass(n)
	if p != nil && c < docListClasses {
		if l, ok := from[c].get(); ok {
			p.doc.held -= docListCap(c) * docSizeOf[T]()
			return l
		}
	}
	return make([]T, docListCap(c))
}

// docGive takes back a list that was zeroed by its user.
func docGive[T any](p *Pool, to *[docListClasses]freeList[[]T], l []T) {
	if len(l) == 0 {
		return
	}
	c := docListClass(len(l))
	if p != nil && c < docListClasses && p.doc.admit(len(l)*docSizeOf[T]()) {
		to[c].put(l)
	}
}

func docSizeOf[T any]() int { var x T; return int(unsafe.Sizeof(x)) }

func (p *Pool) takeList(n int) []*docNode {
	if p == nil {
		return make([]*docNode, docListCap(docListClass(n)))
	}
	return docTake(p, &p.doc.lists, n)
}

func (p *Pool) giveList(l []*docNode) {
	if p != nil {
		docGive(p, &p.doc.lists, l)
	}
}

func (p *Pool) takeMembers(n int) []docMember {
	if p == nil {
		return make([]docMember, docListCap(docListClass(n)))
	}
	return docTake(p, &p.doc.members, n)
}

func (p *Pool) giveMembers(l []docMember) {
	if p != nil {
		docGive(p, &p.doc.members, l)
	}
}

func (p *Pool) takeSlots(n int) []docSlot {
	if p == nil {
		return make([]docSlot, docListCap(docListClass(n)))
	}
	return docTake(p, &p.doc.slots, n)
}

func (p *Pool) giveSlots(l []docSlot) {
	if p != nil {
		clear(l)
		docGive(p, &p.doc.slots, l)
	}
}

// docWork is what reading and patching need for a moment.
type docWork struct {
	log     []docUndo
	text    []byte      // a string being unescaped
	token   []byte      // a reference token being unescaped
	flat    []byte      // a text being made compact
	before  []byte      // a text before the patch
	quoted  []byte      // a name
	insert  []byte      // what goes into a text
	names   []flatSpan  // of objects being made compact
	items   []*docNode  // of arrays being read
	members []docMember // of objects being read
}

func (p *Pool) takeWork() *docWork {
	if p != nil {
		if w, ok := p.doc.works.get(); ok {
			return w
		}
	}
	return new(docWork)
}

// giveWork takes the scratch back, without what only a rare large patch needed.
func (p *Pool) giveWork(w *docWork) {
	if p == nil {
		return
	}
	const keepOps, keepBytes = 1024, 64 << 10
	clear(w.log)
	w.log = shed(w.log[:0], keepOps)
	w.text = shed(w.text, keepBytes)
	w.token = shed(w.token, keepBytes)
	w.items = shed(w.items, keepOps)
	w.members = shed(w.members, keepOps)
	p.doc.works.put(w)
}
