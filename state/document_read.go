package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"unicode/utf8"

	"github.com/aguistream/aguistream/decode"
)

var (
	errNotJSON = errors.New("not a JSON text")
	errTooDeep = errors.New("nested too deep")
)

// docReader builds a tree straight from JSON text that was validated before:
// it stays within the text whatever that holds, but does not check all of
// RFC 8259 again.
type docReader struct {
	p     docRoom
	text  []byte
	at    int
	depth int // containers that may still be opened
	work  *docWork
	body  []byte // the last string as it is in the text
	plain bool   // the last string needs no escape
	own   bool   // the last string lies in the text, not in the scratch
	err   error
}

// read gives the tree of a whole text, or nil and why.
func (p *Pool) read(raw []byte, depth int, w *docWork) (*docNode, error) {
	return docRoom{Pool: p}.read(raw, depth, w)
}

func (p docRoom) read(raw []byte, depth int, w *docWork) (*docNode, error) {
	if p.block != nil {
		raw = p.block.keep(raw)
	}
	r := docReader{p: p, text: raw, depth: min(depth, docMaxHeight), work: w}
	n := r.value()
	if n == nil {
		return nil, r.err
	}
	if r.space(); r.at != len(raw) {
		p.free(n)
		return nil, errNotJSON
	}
	return n, nil
}

func (r *docReader) fail(err error) *docNode {
	if r.err == nil {
		r.err = err
	}
	return nil
}

// space skips white space and gives the byte after it, 0 at the end.
func (r *docReader) space() byte {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

func (r *docReader) value() *docNode {
	switch c := r.space(); c {
	case '"':
		text, ok := r.str()
		if !ok {
			return r.fail(errNotJSON)
		}
		n := r.p.newScalar(decode.String, r.hold(text))
		n.size = n.text.quotedLen()
		return n
	case '{':
		return r.object()
	case '[':
		return r.array()
	case 't':
		return r.literal("true", &docTrue)
	case 'f':
		return r.literal("false", &docFalse)
	case 'n':
		return r.literal("null", &docNull)
	default:
		if c != '-' && (c < '0' || c > '9') {
			return r.fail(errNotJSON)
		}
		return r.number()
	}
}

func (r *docReader) literal(word string, n *docNode) *docNode {
	if len(r.text)-r.at < len(word) || string(r.text[r.at:r.at+len(word)]) != word {
		return r.fail(errNotJSON)
	}
	r.at += len(word)
	return n
}

// docDigit is what a number is made of.
var docDigit = func() (in [256]bool) {
	for _, c := range []byte("0123456789-+.eE") {
		in[c] = true
	}
	return in
}()

func (r *docReader) number() *docNode {
	start := r.at
	for r.at < len(r.text) && docDigit[r.text[r.at]] {
		r.at++
	}
	digits := r.text[start:r.at]
	if string(digits) == "-" {
		return r.fail(errNotJSON)
	}
	if len(digits) == 1 {
		return &docDigits[digits[0]&0xf]
	}
	r.own, r.plain = true, true
	n := r.p.newScalar(decode.Number, r.hold(digits))
	n.size = len(digits)
	return n
}

// hold keeps the text of the last string. In a block it stays where it is, or
// is unescaped there; only one that repair made longer needs a place of its own.
func (r *docReader) hold(text []byte) docText {
	switch {
	case r.p.block == nil || !r.own && len(text) > len(r.body):
		return r.p.newText(text, r.plain)
	case len(text) == 0:
		return docText{plain: true}
	case !r.own:
		text = r.body[:copy(r.body, text)]
	}
	return docText{p: &text[0], n: uint32(len(text)), class: docTextLent, plain: r.plain}
}

// str reads a string and gives its text: the text's own bytes when they need
// no change, else the scratch.
func (r *docReader) str() ([]byte, bool) {
	start := r.at + 1
	i := start
	for i+8 <= len(r.text) {
		if m := docStops(binary.LittleEndian.Uint64(r.text[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		i += 8
	}
	for i < len(r.text) {
		switch c := r.text[i]; {
		case c == '"':
			r.at, r.plain, r.own = i+1, true, true
			return r.text[start:i], true
		case c == '\\' || c >= utf8.RuneSelf:
			return r.unplain(start, i)
		case c < ' ':
			return nil, false
		}
		i++
	}
	return nil, false
}

// docStops marks in each byte of a word's top bit whether str must look at it:
// quotes, backslashes, control characters and what is no ASCII. A carry may
// mark bytes above a marked one, never below.
func docStops(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote - ones) | (slash - ones) | (w - ones*' ') | w) & tops
}

// unplain reads on from the first byte that is a backslash or no ASCII.
func (r *docReader) unplain(start, i int) ([]byte, bool) {
	escaped := false
	for i < len(r.text) {
		switch r.text[i] {
		case '"':
			r.at = i + 1
			body := r.text[start:i]
			r.plain = !escaped
			if r.own = !escaped && utf8.Valid(body); r.own {
				return body, true
			}
			r.body = body
			r.work.text = decode.AppendString(r.work.text[:0], body)
			return r.work.text, true
		case '\\':
			escaped = true
			i++
		}
		i++
	}
	return nil, false
}

// skip passes over a value without building it and gives its text.
func (r *docReader) skip() ([]byte, bool) {
	c := r.space()
	start, open := r.at, 0
	for r.at < len(r.text) {
		switch c {
		case '"':
			if !r.skipString() {
				return nil, false
			}
		case '{', '[':
			open++
			r.at++
		case '}', ']':
			open--
			r.at++
		case ',', ':':
			r.at++
		default:
			for r.at < len(r.text) && !docEnds[r.text[r.at]] {
				r.at++
			}
		}
		if open <= 0 {
			return r.text[start:r.at], open == 0 && r.at > start
		}
		c = r.space()
	}
	return nil, false
}

// docEnds is what ends a number or a word.
var docEnds = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true, ':': true, ' ': true, '\n': true, '\r': true, '\t': true}

func (r *docReader) skipString() bool {
	i := r.at + 1
	for {
		n := bytes.IndexByte(r.text[i:], '"')
		if n < 0 {
			return false
		}
		end := i + n
		back := end
		for back > i && r.text[back-1] == '\\' {
			back--
		}
		i = end + 1
		if (end-back)%2 == 0 {
			r.at = i
			return true
		}
	}
}

func (r *docReader) array() *docNode {
	if r.depth == 0 {
		return r.fail(errTooDeep)
	}
	r.depth--
	r.at++
	base, w := len(r.work.items), r.work
	n := r.p.newContainer(decode.Array)
	for more := r.begins(']'); more; {
		item := r.value()
		if item == nil {
			break
		}
		w.items = append(w.items, item)
		n.hold(item)
		more = r.goesOn(n, ']')
	}
	items := w.items[base:]
	if r.err == nil {
		n.arr.fill(r.p, items)
		n.mix(!n.arr.lent && len(items) > 0)
		r.depth++
	} else {
		for _, item := range items {
			r.p.free(item)
		}
		r.p.free(n)
		n = nil
	}
	clear(items)
	w.items = w.items[:base]
	return n
}

// begins says whether a container has a first child, and passes its end if not.
func (r *docReader) begins(end byte) bool {
	if r.space() == end {
		r.at++
		return false
	}
	return true
}

// goesOn says whether another child of n follows; if not, n has ended or the
// text is broken.
func (r *docReader) goesOn(n *docNode, end byte) bool {
	c := r.space()
	r.at++
	switch c {
	case ',':
		n.size++
		return true
	case end:
	default:
		r.fail(errNotJSON)
	}
	return false
}

func (r *docReader) object() *docNode {
	if r.depth == 0 {
		return r.fail(errTooDeep)
	}
	r.depth--
	r.at++
	base, w := len(r.work.members), r.work
	n := r.p.newContainer(decode.Object)
	for more := r.begins('}'); more && r.member(n, base); {
		more = r.goesOn(n, '}')
	}
	members := w.members[base:]
	if r.err == nil {
		n.obj.fill(r.p, members)
		n.mix(!n.obj.lent && len(members) > 0)
		r.depth++
	} else {
		for i := range members {
			r.p.putText(members[i].key)
			r.p.free(members[i].node)
		}
		n.obj.members, n.obj.n = nil, 0
		n.mixed = true // its index
		r.p.free(n)
		n = nil
	}
	clear(members)
	w.members = w.members[:base]
	return n
}

// member reads one member of n, whose members so far are those of the scratch
// from base on. Of duplicates the last value stands in the first one's place.
func (r *docReader) member(n *docNode, base int) bool {
	if r.space() != '"' {
		r.fail(errNotJSON)
		return false
	}
	name, ok := r.str()
	if !ok {
		r.fail(errNotJSON)
		return false
	}
	o := n.obj
	at := o.find(name)
	var key docText
	if at < 0 {
		key = r.hold(name)
	}
	if r.space() != ':' {
		r.p.putText(key)
		r.fail(errNotJSON)
		return false
	}
	r.at++
	child := r.value()
	if child == nil {
		r.p.putText(key)
		return false
	}
	w := r.work
	n.hold(child)
	if at >= 0 {
		o.members = w.members[base:]
		n.size -= o.members[at].node.size + 1 // the comma too
		r.p.free(o.members[at].node)
		o.members[at].node = child
		return true
	}
	w.members = append(w.members, docMember{head: docHead(key.bytes()), key: key, node: child})
	o.members = w.members[base:]
	o.n++
	o.revived(r.p, o.n-1)
	n.size += key.quotedLen() + 1
	n.mixed = n.mixed || !key.lent() || o.slots != nil
	return true
}

// fill gives an array that was read its items.
func (a *docArray) fill(p docRoom, items []*docNode) {
	if a.n = len(items); a.n > 0 {
		a.buf, a.lent = p.takeList(a.n)
		copy(a.buf, items)
	}
}

// fill gives an object that was read its members.
func (o *docObject) fill(p docRoom, members []docMember) {
	if o.members = nil; len(members) > 0 {
		o.members, o.lent = p.takeMembers(len(members))
		copy(o.members, members)
	}
}
