package state

import (
	"bytes"
	"unicode/utf8"

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
	d.pool.putBuffer(d.flat)
	d.flat = nil
}

// applyFlat applies a patch to the text, if it can.
func (d *Document) applyFlat(p *Patch, object bool) bool {
	if len(p.ops) > docFlatOps || d.root != nil {
		return false
	}
	w := d.pool.takeWork()
	defer d.pool.giveWork(w)
	if len(d.flat) == 0 {
		d.flat, d.clear = append(d.pool.growBuffer(nil, len("{}")), "{}"...), true
	}
	e := flatEdit{d: d, w: w, object: object}
	undo := len(p.ops) > 1 || len(p.ops) == 1 && p.ops[0].verb == verbMove
	if undo {
		w.before = append(w.before[:0], d.flat...)
	}
	for i := range p.ops {
		if !e.do(&p.ops[i]) {
			if undo {
				d.flat = append(d.flat[:0], w.before...)
			}
			return false
		}
	}
	return true
}

// flatEdit applies the operations of one patch to a document's text.
type flatEdit struct {
	d      *Document
	w      *docWork
	object bool // it has to stay one
	copied int
	token  []byte // the last one that spot followed
}

func (e *flatEdit) do(op *patchOp) bool {
	switch op.verb {
	case verbAdd, verbReplace:
		if len(op.value) > docFlatText {
			return false
		}
		v, ok := e.w.flatten(op.value, e.d.maxDepth())
		return ok && e.put(op.path, v, op.verb == verbAdd)
	case verbRemove:
		return e.remove(op.path)
	case verbTest:
		return e.test(op)
	}
	// What is moved or copied is put aside, since the text moves.
	v, ok := e.value(op.from)
	if !ok {
		return false
	}
	if op.verb == verbCopy {
		e.copied += len(v.text)
		if e.copied > min(e.d.maxCopyBytes(), fewNodes) { // no value has more values than bytes
			return false
		}
	} else if string(op.from) == string(op.path) {
		return true
	} else if pointerInside(op.path, op.from) || !e.remove(op.from) {
		return false
	}
	v.height = flatHeight(v.text)
	return e.put(op.path, v, true)
}

// value gives a copy of the value at a pointer.
func (e *flatEdit) value(pointer []byte) (flatValue, bool) {
	from, ok := 0, true
	if len(pointer) > 0 {
		var s flatSpot
		s, ok = e.spot(pointer)
		from, ok = s.value, ok && s.found
	}
	if !ok {
		return flatValue{}, false
	}
	e.w.flat = append(e.w.flat[:0], e.d.flat[from:e.d.end(from)]...)
	return flatValue{text: e.w.flat, clear: e.d.clear}, true
}

func (e *flatEdit) test(op *patchOp) bool {
	held, ok := e.value(op.path)
	if !ok {
		return false
	}
	x, errX := e.d.pool.read(held.text, docMaxHeight, e.w)
	y, errY := e.d.pool.read(op.value, docMaxHeight, e.w)
	ok = errX == nil && errY == nil && x.equal(y)
	e.d.pool.free(x)
	e.d.pool.free(y)
	return ok
}

func (e *flatEdit) put(pointer []byte, v flatValue, add bool) bool {
	if len(pointer) == 0 {
		return (!e.object || v.text[0] == '{') && v.height <= e.d.maxDepth() && e.splice(0, len(e.d.flat), v.text, v.clear)
	}
	s, ok := e.spot(pointer)
	if !ok || s.depth+v.height > e.d.maxDepth() {
		return false
	}
	t := e.d.flat
	isArray := t[s.open] == '['
	if s.found && (!add || !isArray) {
		return e.splice(s.value, e.d.end(s.value), v.text, v.clear)
	}
	if !add {
		return false
	}
	in := e.w.insert[:0]
	if !s.found && s.from > s.open+1 {
		in = append(in, ',')
	}
	clear := v.clear
	if !isArray {
		in = decode.AppendQuoted(in, e.token)
		clear = clear && !bytes.ContainsAny(in, "{}[]\\")
		in = append(in, ':')
	}
	in = append(in, v.text...)
	if s.found {
		in = append(in, ',')
	}
	e.w.insert = in
	return e.splice(s.from, s.from, in, clear)
}

func (e *flatEdit) remove(pointer []byte) bool {
	if len(pointer) == 0 {
		return false
	}
	s, ok := e.spot(pointer)
	if !ok || !s.found {
		return false
	}
	t := e.d.flat
	from, to := s.from, e.d.end(s.value)
	switch {
	case t[to] == ',':
		to++
	case t[from-1] == ',':
		from--
	}
	return e.splice(from, to, nil, true)
}

// splice puts text in the place of what is from from to to.
func (e *flatEdit) splice(from, to int, text []byte, clear bool) bool {
	t := e.d.flat
	n := len(t) - (to - from) + len(text)
	if n > docFlatText || n > len(t) && n > e.d.maxBytes() {
		return false
	}
	if n > cap(t) {
		t = e.d.pool.growBuffer(t, n-len(t))
	}
	tail := t[to:len(t):len(t)]
	t = t[:max(n, len(t))]
	copy(t[from+len(text):], tail)
	copy(t[from:], text)
	e.d.flat, e.d.clear = t[:n], e.d.clear && clear
	return true
}

// flatSpot is where a pointer leads.
type flatSpot struct {
	open  int  // where the container begins that it leads into
	depth int  // of that, itself counted
	found bool // something is there
	from  int  // it begins here, with its name; else it would go here
	value int  // where its value begins
}

// spot finds where a pointer other than "" leads; not ok: into nothing.
func (e *flatEdit) spot(pointer []byte) (s flatSpot, ok bool) {
	t, at := e.d.flat, 0
	for depth := 1; ; depth++ {
		e.token, pointer = pointerToken(pointer, &e.w.token)
		switch t[at] {
		case '{':
			s, ok = e.member(at), true
		case '[':
			s, ok = e.item(at)
		default:
			return s, false
		}
		s.open, s.depth = at, depth
		if !ok || len(pointer) == 0 {
			return s, ok
		}
		if !s.found {
			return s, false
		}
		at = s.value
	}
}

// member finds the token's member of the object that begins at open.
func (e *flatEdit) member(open int) flatSpot {
	t, name := e.d.flat, e.token
	if !docPlain(name) {
		quoted := decode.AppendQuoted(e.w.quoted[:0], name)
		e.w.quoted, name = quoted, quoted[1:len(quoted)-1]
	}
	i := open + 1
	for t[i] == '"' {
		// A name ends with a quote, and none that is plain or escaped has another: what compares equal is equal.
		if end := i + 1 + len(name); end+1 < len(t) && t[end] == '"' && t[end+1] == ':' && string(t[i+1:end]) == string(name) {
			return flatSpot{found: true, from: i, value: end + 2}
		}
		i = e.d.end(flatString(t, i) + 1)
		if t[i] == ',' {
			i++
		}
	}
	return flatSpot{from: i}
}

// docPlain says whether a name is written in JSON as it is.
func docPlain(name []byte) bool {
	for _, c := range name {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// item finds the token's item of the array that begins at open.
func (e *flatEdit) item(open int) (flatSpot, bool) {
	t := e.d.flat
	want, ok := pointerIndex(e.token)
	end := string(e.token) == "-"
	if !ok && !end {
		return flatSpot{}, false
	}
	i := open + 1
	for n := 0; t[i] != ']'; n++ {
		if n == want && !end {
			return flatSpot{found: true, from: i, value: i}, true
		}
		if i = e.d.end(i); t[i] == ',' {
			i++
			continue
		}
		return flatSpot{from: i}, end || n+1 == want
	}
	return flatSpot{from: i}, end || want == 0
}

// end is where the value ends that begins at i of the document's text.
func (d *Document) end(i int) int {
	t := d.flat
	switch c := t[i]; {
	case c == '"':
		return flatString(t, i)
	case d.clear && c == '{':
		return flatClose(t, i, '{', '}')
	case d.clear && c == '[':
		return flatClose(t, i, '[', ']')
	case c == '{' || c == '[':
		for open := 0; ; {
			switch t[i] {
			case '"':
				i = flatString(t, i)
				continue
			case '{', '[':
				open++
			case '}', ']':
				if open--; open == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(t) && t[i] != ',' && t[i] != '}' && t[i] != ']' {
		i++
	}
	return i
}

// flatClose is where the container ends that begins at i of a clear text: all
// braces and brackets there are those of containers, and so come in pairs.
func flatClose(t []byte, i int, opening, closing byte) int {
	for open := 0; ; {
		n := bytes.IndexByte(t[i+1:], closing)
		open += bytes.Count(t[i+1:i+1+n], []byte{opening})
		i += 1 + n
		if open == 0 {
			return i + 1
		}
		open--
	}
}

// flatString is where the string ends that begins at i.
func flatString(t []byte, i int) int {
	for i++; t[i] != '"'; i++ {
		if t[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// flatHeight is how deep a value is nested.
func flatHeight(t []byte) (height int) {
	for i, open := 0, 0; i < len(t); i++ {
		switch t[i] {
		case '"':
			i = flatString(t, i) - 1
		case '{', '[':
			open++
			height = max(height, open)
		case '}', ']':
			open--
		}
	}
	return height
}
