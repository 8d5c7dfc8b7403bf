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
	p     *Pool
	text  []byte
	at    int
	depth int // containers that may still be opened
	work  *docWork
	plain bool // the last string needs no escape
	own   bool // the last string lies in the text, not in the scratch
	err   error
}

// read gives the tree of a whole text, or nil and why.
func (p *Pool) read(raw []byte, depth int, w *docWork) (*docNode, error) {
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
		return r.p.newString(text, r.plain)
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
	return r.p.newNumber(digits)
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
	n := r.p.newContainer(decode.Array)
	if r.space() == ']' {
		r.at++
		r.depth++
		return n
	}
	for {
		item := r.value()
		if item == nil {
			r.p.free(n)
			return nil
		}
		n.insertItem(r.p, n.arr.n, item)
		c := r.space()
		r.at++
		if c == ',' {
			continue
		}
		if c == ']' {
			r.depth++
			return n
		}
		r.p.free(n)
		return r.fail(errNotJSON)
	}
}

func (r *docReader) object() *docNode {
	if r.depth == 0 {
		return r.fail(errTooDeep)
	}
	r.depth--
	r.at++
	n := r.p.newContainer(decode.Object)
	if r.space() == '}' {
		r.at++
		r.depth++
		return n
	}
	for {
		if !r.member(n) {
			r.p.free(n)
			return r.fail(errNotJSON)
		}
		c := r.space()
		r.at++
		if c == ',' {
			continue
		}
		if c == '}' {
			r.depth++
			return n
		}
		r.p.free(n)
		return r.fail(errNotJSON)
	}
}

// member reads one member into n. Of duplicates the last value stands in the
// first one's place.
func (r *docReader) member(n *docNode) bool {
	if r.space() != '"' {
		return false
	}
	name, ok := r.str()
	if !ok {
		return false
	}
	at := n.obj.find(name)
	var key docText
	if at < 0 {
		key = r.p.newText(name, r.plain)
	}
	if r.space() != ':' {
		r.p.putText(key)
		return false
	}
	r.at++
	child := r.value()
	if child == nil {
		r.p.putText(key)
		return false
	}
	if at < 0 {
		n.addMember(r.p, key, child)
		return true
	}
	r.p.free(n.swap(at, child))
	return true
}
