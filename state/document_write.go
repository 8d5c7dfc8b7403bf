package state

import "github.com/aguistream/aguistream/decode"

func (n *docNode) appendJSON(dst []byte) []byte {
	switch n.kind {
	case decode.String:
		return n.text.appendQuoted(dst)
	case decode.Number:
		return append(dst, n.text.bytes()...)
	case decode.True:
		return append(dst, "true"...)
	case decode.False:
		return append(dst, "false"...)
	case decode.Array:
		dst = append(dst, '[')
		for i, item := range n.arr.items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case decode.Object:
		dst = append(dst, '{')
		first := true
		for i := range n.obj.members[:n.obj.n] {
			m := &n.obj.members[i]
			if m.node == nil {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = m.key.appendQuoted(dst)
			dst = append(dst, ':')
			dst = m.node.appendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// equal compares two trees by value: members in any order, numbers exactly.
func (n *docNode) equal(m *docNode) bool {
	if n.kind != m.kind {
		return false
	}
	switch n.kind {
	case decode.String:
		return string(n.text.bytes()) == string(m.text.bytes())
	case decode.Number:
		return equalNumbers(n.text.bytes(), m.text.bytes())
	case decode.Array:
		if n.arr.n != m.arr.n {
			return false
		}
		others := m.arr.items()
		for i, item := range n.arr.items() {
			if !item.equal(others[i]) {
				return false
			}
		}
	case decode.Object:
		if n.obj.live != m.obj.live {
			return false
		}
		for i := range n.obj.members[:n.obj.n] {
			one := &n.obj.members[i]
			if one.node == nil {
				continue
			}
			at := m.obj.find(one.key.bytes())
			if at < 0 || !one.node.equal(m.obj.members[at].node) {
				return false
			}
		}
	}
	return true
}
