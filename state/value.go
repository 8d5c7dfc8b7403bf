package state

import (
	"iter"

	"github.com/aguistream/aguistream/decode"
)

// Value is a read-only view of a part of a Document.
type Value struct{ n *docNode }

func (v Value) Kind() decode.Kind                { return 0 }
func (v Value) Str() string                      { return "" }
func (v Value) Num() string                      { return "" }
func (v Value) Bool() bool                       { return false }
func (v Value) Len() int                         { return 0 }
func (v Value) Index(i int) Value                { return Value{} }
func (v Value) Member(name string) (Value, bool) { return Value{}, false }
func (v Value) Members() iter.Seq2[string, Value] {
	return func(func(string, Value) bool) {}
}
func (v Value) AppendJSON(dst []byte) []byte { return dst }
