package state

import (
	"errors"
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
	err   error
}

// read gives the tree of a whole text, or nil and why.
func (p *Pool) read(raw []byte, depth int) (*docNode, error) {
	r := docReader{p: p, text: raw, depth: min(depth, docMaxHeight), work: p.takeWork()}
	n := r.value()
	p.giveWork(r.work)
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
		return r.p.newString(text)
	case '{':
		return r.object()
	case '[':
		return r.array()
	case 't':
		return r.literal("true", decode.True)
	case 'f':
		return r.literal("false", decode.False)
	case 'n':
		return r.literal("null", decode.Null)
	default:
		if c != '-' && (c < '0' || c > '9') {
			return r.fail(errNotJSON)
		}
		return r.number()
	}
}

func (r *docReader) literal(word string, kind decode.Kind) *docNode {
	if len(r.text)-r.at < len(word) || string(r.text[r.at:r.at+len(word)]) != word {
		return r.fail(errNotJSON)
	}
	r.at += len(word)
	return r.p.newLiteral(kind)
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
	return r.p.newNumber(r.text[start:r.at])
}

// str reads a string and gives its text: the text's own bytes when they need
// no change, else the scratch.
func (r *docReader) str() ([]byte, bool) {
	start := r.at + 1
	i, wide := start, false
	for i < len(r.text) {
		c := r.text[i]
		if c == '"' {
			body := r.text[start:i]
			r.at = i + 1
			if wide && !utf8.Valid(body) {
				r.work.text = decode.AppendString(r.work.text[:0], body)
				return r.work.text, true
			}
			return body, true
		}
		if c == '\\' {
			return r.escaped(start, i)
		}
		wide = wide || c >= utf8.RuneSelf
		i++
	}
	return nil, false
}

func (r *docReader) escaped(start, i int) ([]byte, bool) {
	for i < len(r.text) {
		switch r.text[i] {
		case '"':
			r.at = i + 1
			r.work.text = decode.AppendString(r.work.text[:0], r.text[start:i])
			return r.work.text, true
		case '\\':
			i++
		}
		i++
	}
	return nil, false
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
		key = r.p.newText(name)
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
