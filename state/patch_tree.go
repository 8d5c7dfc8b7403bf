package state

import (
	"github.com/valyala/fastjson"

	"github.com/aguistream/aguistream/decode"
)

// patchReader builds trees from an operation's value.
type patchReader struct {
	p     *Pool
	work  *docWork
	depth int // containers that may still be opened
}

// value gives a value's tree; nil: it is nested deeper than a document may be.
func (r *patchReader) value(v *fastjson.Value) *docNode {
	switch v.Type() {
	case fastjson.TypeString:
		text, _ := v.StringBytes()
		return r.p.newString(text)
	case fastjson.TypeNumber:
		r.work.text = v.MarshalTo(r.work.text[:0])
		return r.p.newNumber(r.work.text)
	case fastjson.TypeTrue:
		return r.p.newLiteral(decode.True)
	case fastjson.TypeFalse:
		return r.p.newLiteral(decode.False)
	case fastjson.TypeNull:
		return r.p.newLiteral(decode.Null)
	}
	if r.depth == 0 {
		return nil
	}
	r.depth--
	var n *docNode
	if v.Type() == fastjson.TypeArray {
		n = r.array(v)
	} else {
		n = r.object(v)
	}
	r.depth++
	return n
}

func (r *patchReader) array(v *fastjson.Value) *docNode {
	items, _ := v.Array()
	n := r.p.newContainer(decode.Array)
	for _, item := range items {
		child := r.value(item)
		if child == nil {
			r.p.free(n)
			return nil
		}
		n.insertItem(r.p, n.arr.n, child)
	}
	return n
}

// object keeps the last of duplicates, in the first one's place.
func (r *patchReader) object(v *fastjson.Value) *docNode {
	members, _ := v.Object()
	n := r.p.newContainer(decode.Object)
	whole := true
	members.Visit(func(name []byte, value *fastjson.Value) {
		if !whole {
			return
		}
		child := r.value(value)
		if child == nil {
			whole = false
			return
		}
		if at := n.obj.find(name); at >= 0 {
			r.p.free(n.swap(at, child))
			return
		}
		n.addMember(r.p, r.p.newText(name), child)
	})
	if !whole {
		r.p.free(n)
		return nil
	}
	return n
}
