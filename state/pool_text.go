package state

import "math/bits"

// Text buffers come in classes, powers of two, so that what one message outgrew serves the next one, whatever the sizes
// that the two come to.
const (
	smallestText = 7  // 128 bytes
	largestText  = 17 // 128 KiB; what grows beyond is left to append and the garbage collector
)

// textPool is the idle text buffers by class.
type textPool struct {
	classes [largestText - smallestText + 1]freeList[[]byte]
	bytes   int
}

// growBuffer gives a buffer that holds what b holds and has room for n more bytes. The old one goes to the pool: what was
// lent of it was lent until the handler returned. Without a pool buffers are never used again, and what was lent of one
// stays right.
func (p *Pool) growBuffer(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	if p == nil {
		return append(make([]byte, 0, max(need, 2*cap(b))), b...)
	}
	class := max(bits.Len(uint(max(need, 2*cap(b))-1)), smallestText)
	if class > largestText {
		grown := append(make([]byte, 0, max(need, cap(b)+cap(b)/4)), b...)
		p.putBuffer(b)
		return grown
	}
	t := &p.messages.text
	free := &t.classes[class-smallestText]
	grown, ok := free.get()
	if ok {
		t.bytes -= cap(grown)
	} else {
		grown = make([]byte, 0, 1<<class)
	}
	grown = append(grown, b...)
	p.putBuffer(b)
	return grown
}

// putBuffer takes a buffer back.
func (p *Pool) putBuffer(b []byte) {
	poison(b)
	if p == nil || cap(b) < 1<<smallestText || cap(b) > 1<<largestText || cap(b)&(cap(b)-1) != 0 {
		return
	}
	t := &p.messages.text
	if t.bytes+cap(b) > freeTextBytes {
		return
	}
	t.bytes += cap(b)
	t.classes[bits.Len(uint(cap(b)))-1-smallestText].put(b[:0])
}
