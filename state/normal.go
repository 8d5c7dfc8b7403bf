package state

import (
	"bytes"
	"slices"
	"sync"

	"github.com/aguistream/aguistream/decode"
)

// normalScratch are pools for trees that live no longer than one call.
var normalScratch = sync.Pool{New: func() any { return new(Pool) }}

// EqualJSON says whether two valid JSON texts have the same value: members in
// any order, numbers exactly by value (1, 1.0 and 10e-1 are equal), the last
// of duplicate members.
func EqualJSON(a, b []byte) bool {
	p := normalScratch.Get().(*Pool)
	defer normalScratch.Put(p)
	w := p.takeWork()
	defer p.giveWork(w)
	x, err := p.read(a, docMaxHeight, w)
	if err != nil {
		return false
	}
	y, err := p.read(b, docMaxHeight, w)
	equal := err == nil && x.equal(y)
	p.free(x)
	p.free(y)
	return equal
}

// NormalizeJSON appends a valid JSON text to dst as a Document would write it:
// compact, strings repaired and minimally escaped, numbers as written, of
// duplicate members the last value in the first one's place. A text that isn't
// valid is appended as it is. dst and raw must not overlap.
func NormalizeJSON(dst, raw []byte) []byte {
	p := normalScratch.Get().(*Pool)
	defer normalScratch.Put(p)
	w := p.takeWork()
	defer p.giveWork(w)
	n, err := p.read(raw, docMaxHeight, w)
	if err != nil {
		return append(dst, raw...)
	}
	dst = n.appendJSON(dst)
	p.free(n)
	return dst
}

// CanonicalJSON appends a text to dst that is the same for all valid JSON
// texts of the same value: members sorted by name, numbers in one form. It is
// for comparing, not for speed. A text that isn't valid is appended as it is.
func CanonicalJSON(dst, raw []byte) []byte {
	p := normalScratch.Get().(*Pool)
	defer normalScratch.Put(p)
	w := p.takeWork()
	defer p.giveWork(w)
	n, err := p.read(raw, docMaxHeight, w)
	if err != nil {
		return append(dst, raw...)
	}
	dst = n.appendCanonical(dst)
	p.free(n)
	return dst
}

func (n *docNode) appendCanonical(dst []byte) []byte {
	switch n.kind {
	case decode.Number:
		return appendCanonicalNumber(dst, n.text.bytes())
	case decode.Array:
		dst = append(dst, '[')
		for i, item := range n.arr.items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendCanonical(dst)
		}
		return append(dst, ']')
	case decode.Object:
		members := slices.Clone(n.obj.members[:n.obj.n])
		slices.SortFunc(members, func(a, b docMember) int { return bytes.Compare(a.key.bytes(), b.key.bytes()) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.key.appendQuoted(dst)
			dst = append(dst, ':')
			dst = m.node.appendCanonical(dst)
		}
		return append(dst, '}')
	}
	return n.appendJSON(dst)
}
