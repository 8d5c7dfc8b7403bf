package state

import (
	"testing"
	"unsafe"
)

// checkFree looks through what documents gave back: each part is there once, empty, of no block, and counted.
func checkFree(t testing.TB, p *Pool) {
	t.Helper()
	seen, held := map[unsafe.Pointer]bool{}, 0
	once := func(what string, at unsafe.Pointer, bytes int, empty bool) {
		t.Helper()
		if seen[at] || !empty {
			t.Fatalf("%s on a free list: there before: %v, empty: %v", what, seen[at], empty)
		}
		seen[at] = true
		held += bytes
	}
	in := map[unsafe.Pointer]bool{} // parts of blocks
	for c := range p.doc.blocks {
		for _, b := range p.doc.blocks[c].items {
			once("a block", unsafe.Pointer(b), b.bytes, b.class == c && b.bytes <= docBlockKept*docBlockCap(c))
			for _, chunk := range b.nodes.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i])] = true
				}
			}
			for _, chunk := range b.objects.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i].node)], in[unsafe.Pointer(&chunk[i].obj)] = true, true
				}
			}
			for _, chunk := range b.arrays.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i].node)], in[unsafe.Pointer(&chunk[i].arr)] = true, true
				}
			}
			for _, chunk := range b.items.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i])] = true
				}
			}
			for _, chunk := range b.members.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i])] = true
				}
			}
			for _, chunk := range b.text.chunks {
				for i := range chunk {
					in[unsafe.Pointer(&chunk[i])] = true
				}
			}
		}
	}
	for _, n := range p.doc.nodes.items {
		once("a node", unsafe.Pointer(n), docNodeBytes, *n == docNode{})
	}
	for _, a := range p.doc.arrays.items {
		once("an array", unsafe.Pointer(a), docArrayBytes, a.buf == nil && a.head == 0 && a.n == 0 && !a.lent)
	}
	for _, o := range p.doc.objects.items {
		once("an object", unsafe.Pointer(o), docObjectBytes, o.members == nil && o.slots == nil && o.n == 0 && o.live == 0 && !o.lent)
	}
	for c := range p.doc.texts {
		for _, b := range p.doc.texts[c].items {
			once("a text", unsafe.Pointer(b), docTextCap(uint8(c)), true)
		}
	}
	for c := range docListClasses {
		checkFreeLists(once, &p.doc.lists[c], c)
		checkFreeLists(once, &p.doc.members[c], c)
		checkFreeLists(once, &p.doc.slots[c], c)
	}
	if held != p.doc.held {
		t.Errorf("%d bytes are counted, %d are there", p.doc.held, held)
	}
	held = 0
	for c := range p.messages.text.classes {
		for _, b := range p.messages.text.classes[c].items {
			once("a buffer", unsafe.Pointer(unsafe.SliceData(b)), cap(b), len(b) == 0 && cap(b) == 1<<(c+smallestText))
		}
	}
	if held != p.messages.text.bytes {
		t.Errorf("%d bytes of buffers are counted, %d are there", p.messages.text.bytes, held)
	}
	for at := range seen {
		if in[at] {
			t.Fatal("a part of a block is on a free list of its own")
		}
	}
	checkIdleBlocks(t, p, in)
	for _, w := range p.doc.works.items {
		if n := cap(w.flat) + cap(w.before) + cap(w.quoted) + cap(w.insert); n > 64<<10 {
			t.Errorf("the scratch keeps %d bytes", n)
		}
	}
}

func checkFreeLists[T comparable](once func(string, unsafe.Pointer, int, bool), free *freeList[[]T], class int) {
	for _, l := range free.items {
		var zero T
		empty := len(l) == docListCap(class)
		for i := range l {
			empty = empty && l[i] == zero
		}
		once("a list", unsafe.Pointer(unsafe.SliceData(l)), len(l)*docSizeOf[T](), empty)
	}
}

// checkIdleBlocks looks for what blocks that nobody uses hold on to of elsewhere: it would live as long as they do.
func checkIdleBlocks(t testing.TB, p *Pool, in map[unsafe.Pointer]bool) {
	t.Helper()
	inside := func(n *docNode) bool { return n == nil || n.shared || in[unsafe.Pointer(n)] }
	for c := range p.doc.blocks {
		for _, b := range p.doc.blocks[c].items {
			for _, chunk := range b.items.chunks {
				for _, n := range chunk {
					if !inside(n) {
						t.Fatal("an idle block's list holds a node from elsewhere")
					}
				}
			}
			for _, chunk := range b.members.chunks {
				for _, m := range chunk {
					if !inside(m.node) || !m.key.lent() {
						t.Fatal("an idle block's members hold a node or a name from elsewhere")
					}
				}
			}
			for _, chunk := range b.nodes.chunks {
				for i := range chunk {
					if !chunk[i].text.lent() {
						t.Fatal("an idle block's node holds a text from elsewhere")
					}
				}
			}
			for _, chunk := range b.objects.chunks {
				for i := range chunk {
					if o := &chunk[i].obj; o.slots != nil || !o.lent && len(o.members) > 0 {
						t.Fatal("an idle block's object holds a list or an index from elsewhere")
					}
				}
			}
			for _, chunk := range b.arrays.chunks {
				for i := range chunk {
					if a := &chunk[i].arr; !a.lent && len(a.buf) > 0 {
						t.Fatal("an idle block's array holds a list from elsewhere")
					}
				}
			}
		}
	}
}
