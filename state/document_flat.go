package state

import (
	"bytes"

	"github.com/aguistream/aguistream/decode"
)

// A small document is held as its own compact JSON text. A tree of it would
// take ten times the memory, and with thousands of documents, each cold in
// cache when its turn comes, memory is what time goes into: to read the text
// from the start to where a patch leads costs less than to follow a tree there.
//
// Patches change the text in place. They do so only where they succeed, in the
// common ways: whatever else comes (a failure, a limit, an unusual shape) undoes
// what the patch did, makes the tree, and has the patch applied to that. So the
// tree alone decides what fails, and why.
const (
	docFlatText = 2 << 10 // longer documents are trees
	docFlatWide = 32      // with more members in an object they are, too
	docFlatOps  = 8       // and where a patch has more operations
)

// flatText writes the compact form of a JSON text: strings minimally escaped,
// numbers as written.
type flatText struct {
	r      docReader
	out    []byte
	names  []flatSpan // of the open objects' members, in out
	open   int        // containers
	height int        // most of them at once
	braces int        // objects
	square int        // arrays
}

type flatSpan struct{ from, to int }

// flatten gives the compact form of a validated text, which lies in the scratch.
// Not ok: it takes a tree.
func (w *docWork) flatten(raw []byte, depth int) (v flatValue, ok bool) {
	f := flatText{r: docReader{text: raw, depth: depth, work: w}, out: w.flat[:0], names: w.names[:0]}
	ok = f.value()
	f.r.space()
	w.names, w.flat = f.names[:0], f.out
	return flatValue{text: f.out, height: f.height, clear: f.clear()}, ok && f.r.at == len(raw) && len(f.out) <= docFlatText
}

// flatValue is a value's compact text.
type flatValue struct {
	text   []byte
	height int  // how deep it is nested
	clear  bool // no string in it has an escape, a brace or a bracket
}

// clear says whether every brace and bracket is one of a container.
func (f *flatText) clear() bool {
	t := f.out
	return bytes.IndexByte(t, '\\') < 0 &&
		bytes.Count(t, []byte("{")) == f.braces && bytes.Count(t, []byte("}")) == f.braces &&
		bytes.Count(t, []byte("[")) == f.square && bytes.Count(t, []byte("]")) == f.square
}

func (f *flatText) value() bool {
	r := &f.r
	switch c := r.space(); c {
	case '"':
		return f.str()
	case '{':
		return f.enter(c) && f.object()
	case '[':
		return f.enter(c) && f.array()
	default:
		start := r.at
		for r.at < len(r.text) && !docEnds[r.text[r.at]] {
			r.at++
		}
		f.out = append(f.out, r.text[start:r.at]...)
		return flatScalar(r.text[start:r.at])
	}
}

// flatScalar says whether a word is one that the tree knows.
func flatScalar(word []byte) bool {
	switch string(word) {
	case "true", "false", "null":
		return true
	case "", "-":
		return false
	}
	for _, c := range word {
		if !docDigit[c] {
			return false
		}
	}
	return word[0] == '-' || word[0] >= '0' && word[0] <= '9'
}

func (f *flatText) str() bool {
	text, ok := f.r.str()
	if !ok {
		return false
	}
	if !f.r.plain {
		f.out = decode.AppendQuoted(f.out, text)
		return true
	}
	f.out = append(f.out, '"')
	f.out = append(f.out, text...)
	f.out = append(f.out, '"')
	return true
}

func (f *flatText) enter(c byte) bool {
	f.r.at++
	f.out = append(f.out, c)
	f.open++
	f.height = max(f.height, f.open)
	return f.open <= f.r.depth
}

func (f *flatText) leave(c byte) {
	f.out = append(f.out, c)
	f.open--
}

func (f *flatText) array() bool {
	f.square++
	for more := f.r.begins(']'); more; {
		if !f.value() || !f.goesOn(']', &more) {
			return false
		}
	}
	f.leave(']')
	return true
}

func (f *flatText) object() bool {
	f.braces++
	base := len(f.names)
	for more := f.r.begins('}'); more; {
		if !f.name(base) || f.r.space() != ':' {
			return false
		}
		f.r.at++
		f.out = append(f.out, ':')
		if !f.value() || !f.goesOn('}', &more) {
			return false
		}
	}
	f.names = f.names[:base]
	f.leave('}')
	return true
}

// goesOn passes what follows a child: a comma, with more behind it, or the end.
func (f *flatText) goesOn(end byte, more *bool) bool {
	c := f.r.space()
	f.r.at++
	if *more = c == ','; *more {
		f.out = append(f.out, c)
	}
	return *more || c == end
}

// name writes a member's name, which must be new in its object.
func (f *flatText) name(base int) bool {
	if f.r.space() != '"' || len(f.names)-base >= docFlatWide {
		return false
	}
	own := flatSpan{from: len(f.out)}
	if !f.str() {
		return false
	}
	own.to = len(f.out)
	for _, other := range f.names[base:] {
		if other.to-other.from == own.to-own.from && bytes.Equal(f.out[other.from:other.to], f.out[own.from:own.to]) {
			return false
		}
	}
	f.names = append(f.names, own)
	return true
}

// setFlat makes the document the text's compact form, if that is small and
// plain enough.
func (d *Document) setFlat(raw []byte) bool {
	if len(raw) > docFlatText {
		return false
	}
	w := d.pool.takeWork()
	defer d.pool.giveWork(w)
	v, ok := w.flatten(raw, d.maxDepth())
	if !ok || len(v.text) > d.maxBytes() {
		return false
	}
	d.dropTree()
	if d.pool != nil {
		d.pool.doc.count(1 + len(v.text)/4) // about what its tree would have taken
	}
	d.flat = append(d.pool.growBuffer(d.flat[:0], len(v.text)), v.text...)
	d.clear = v.clear
	return true
}

// tree makes the document a tree if it is a text.
func (d *Document) tree() {
	if len(d.flat) == 0 {
		return
	}
	w := d.pool.takeWork()
	d.block = d.pool.takeBlock(len(d.flat))
	d.root, _ = docRoom{d.pool, d.block}.read(d.flat, docMaxHeight, w) // it is our own
	d.pool.giveWork(w)
	d.dropFlat()
}

func (d *Document) dropFlat() {
	if d.pool != nil && len(d.flat) > 0 {
		d.pool.messages.count() // the buffers' epochs go on where there are no messages, too
	}
	d.pool.putBuffer(d.flat)
	d.flat = nil
}
