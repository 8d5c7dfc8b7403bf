package state

import "bytes"

// validPointer says whether text is a JSON Pointer (RFC 6901 section 3):
// ^(/([^/~]|~[01])*)*$.
func validPointer[T string | []byte](text T) bool {
	if len(text) == 0 {
		return true
	}
	if text[0] != '/' {
		return false
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '~' {
			continue
		}
		if i++; i == len(text) || text[i] != '0' && text[i] != '1' {
			return false
		}
	}
	return true
}

// pointerToken cuts the first reference token off a pointer that isn't empty
// and unescapes it, into scratch if it has to.
func pointerToken(pointer []byte, scratch *[]byte) (token, rest []byte) {
	token = pointer[1:]
	if i := bytes.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	i := bytes.IndexByte(token, '~')
	if i < 0 {
		return token, rest
	}
	out := append((*scratch)[:0], token[:i]...)
	for ; i < len(token); i++ {
		c := token[i]
		if c == '~' {
			i++
			c = '~'
			if token[i] == '1' {
				c = '/'
			}
		}
		out = append(out, c)
	}
	*scratch = out
	return out, rest
}

// pointerParent cuts a pointer that isn't empty before its last token.
func pointerParent(pointer []byte) (parent, last []byte) {
	i := bytes.LastIndexByte(pointer, '/')
	return pointer[:i], pointer[i:]
}

// pointerInside says whether inner names a place within outer. Tokens are
// escaped in one way only, so what compares equal is equal token by token.
func pointerInside(inner, outer []byte) bool {
	return len(inner) > len(outer) && inner[len(outer)] == '/' && bytes.HasPrefix(inner, outer)
}

// pointerIndex reads an array index (RFC 6901 section 4): digits without a
// leading zero.
func pointerIndex(token []byte) (int, bool) {
	if len(token) == 0 || len(token) > 18 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	i := 0
	for _, c := range token {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = 10*i + int(c-'0')
	}
	return i, true
}

// step follows one reference token; nil: there is nothing.
func (n *docNode) step(token []byte) *docNode {
	switch {
	case n.obj != nil:
		if at := n.obj.find(token); at >= 0 {
			return n.obj.members[at].node
		}
	case n.arr != nil:
		if i, ok := pointerIndex(token); ok && i < n.arr.n {
			return n.arr.items()[i]
		}
	}
	return nil
}

// walk follows a whole pointer.
func (n *docNode) walk(pointer []byte, scratch *[]byte) *docNode {
	for len(pointer) > 0 && n != nil {
		var token []byte
		token, pointer = pointerToken(pointer, scratch)
		n = n.step(token)
	}
	return n
}
