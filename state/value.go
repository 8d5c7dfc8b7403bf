package state

import (
	"iter"
	"unsafe"

	"github.com/aguistream/aguistream/decode"
)

// A Value is a read-only view of a value within a Document. It and the strings
// that it gives are lent: valid until the Document is next changed or reset.
// The zero Value is of kind Absent.
type Value struct{ n *docNode }

// Kind is the value's JSON type.
func (v Value) Kind() decode.Kind {
	if v.n == nil {
		return decode.Absent
	}
	return v.n.kind
}

// Str is a string's text, unescaped; "" for any other kind.
func (v Value) Str() string {
	if v.Kind() != decode.String {
		return ""
	}
	return v.n.text.string()
}

// Num is a number's digits as written; "" for any other kind.
func (v Value) Num() string {
	if v.Kind() != decode.Number {
		return ""
	}
	return v.n.text.string()
}

// Bool says whether the value is true.
func (v Value) Bool() bool { return v.Kind() == decode.True }

// Len is the number of an array's items or of an object's members, else 0.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return v.n.len()
}

// Index is an array's item, from 0; absent when there is none.
func (v Value) Index(i int) Value {
	if v.n == nil || v.n.arr == nil || i < 0 || i >= v.n.arr.n {
		return Value{}
	}
	return Value{v.n.arr.items()[i]}
}

// Member is an object's member of that name. It takes constant time.
func (v Value) Member(name string) (Value, bool) {
	if v.n == nil || v.n.obj == nil {
		return Value{}, false
	}
	at := v.n.obj.find(viewOf(name))
	if at < 0 {
		return Value{}, false
	}
	return Value{v.n.obj.members[at].node}, true
}

// Members goes over an object's members in their order. The document must not
// be changed meanwhile.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.n == nil || v.n.obj == nil {
			return
		}
		for i := range v.n.obj.members[:v.n.obj.n] {
			m := &v.n.obj.members[i]
			if m.node != nil && !yield(m.key.string(), Value{m.node}) {
				return
			}
		}
	}
}

// AppendJSON appends the value's JSON text, compact, to dst; nothing for an
// absent one.
func (v Value) AppendJSON(dst []byte) []byte {
	if v.n == nil {
		return dst
	}
	return v.n.appendJSON(dst)
}

// viewOf lends a string's bytes to code that only reads them.
func viewOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
