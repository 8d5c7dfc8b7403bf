package state

import (
	"bytes"
	"unicode/utf8"

	"github.com/aguistream/aguistream/decode"
)

// applyFlat applies a patch to the text, if it can.
func (d *Document) applyFlat(p *Patch, object bool) bool {
	if len(p.ops) > docFlatOps || d.root != nil || object && !d.IsObject() {
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
	switch {
	case op.verb == verbCopy:
		e.copied += len(v.text)
		if e.copied > min(e.d.maxCopyBytes(), fewNodes) { // no value has more values than bytes
			return false
		}
	case string(op.from) == string(op.path):
		return true
	case pointerInside(op.path, op.from) || !e.remove(op.from):
		return false
	}
	v.height = flatHeight(v.text)
	return e.put(op.path, v, true)
}

// held gives the value at a pointer, as it lies in the document.
func (e *flatEdit) held(pointer []byte) (text []byte, ok bool) {
	from := 0
	if len(pointer) > 0 {
		s, ok := e.spot(pointer)
		if !ok || !s.found {
			return nil, false
		}
		from = s.value
	}
	return e.d.flat[from:e.d.end(from)], true
}

// value gives a copy of the value at a pointer.
func (e *flatEdit) value(pointer []byte) (flatValue, bool) {
	held, ok := e.held(pointer)
	e.w.flat = append(e.w.flat[:0], held...)
	return flatValue{text: e.w.flat, clear: e.d.clear}, ok
}

func (e *flatEdit) test(op *patchOp) bool {
	held, ok := e.held(op.path)
	if !ok {
		return false
	}
	// Mostly the two are written alike.
	if len(op.value) <= docFlatText {
		if v, ok := e.w.flatten(op.value, docMaxHeight); ok && bytes.Equal(v.text, held) {
			return true
		}
	}
	x, errX := e.d.pool.read(held, docMaxHeight, e.w)
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
	if len(e.token) > docFlatText {
		return false // before the scratch grows by a name that can't go in
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
	if len(name) <= docFlatText && !docPlain(name) { // a longer one is no member's
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
	const near = 16 // the end of a small one is found soonest by a look at each byte
	open := 0
	for end := min(i+near, len(t)); i < end; i++ {
		switch t[i] {
		case opening:
			open++
		case closing:
			if open--; open == 0 {
				return i + 1
			}
		}
	}
	for open > 0 {
		n := bytes.IndexByte(t[i:], closing)
		open += bytes.Count(t[i:i+n], []byte{opening}) - 1
		i += n + 1
	}
	return i
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
