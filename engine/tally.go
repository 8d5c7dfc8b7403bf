package engine

import (
	"fmt"
	"iter"
	"strings"
)

// Tally counts by kind. The zero value has counted nothing.
type Tally[K interface {
	ErrorKind | EndKind
	String() string
}] struct {
	n [tallyRoom]int64
}

const tallyRoom = KindConfig + 1

// Of is how many there were of a kind; 0 for a kind that there is not.
func (t Tally[K]) Of(kind K) int64 {
	if int(kind) >= len(t.n) {
		return 0
	}
	return t.n[kind]
}

// Total is how many there were of all kinds.
func (t Tally[K]) Total() int64 {
	sum := int64(0)
	for _, n := range t.n {
		sum += n
	}
	return sum
}

// All gives the kinds of which there were any, in the order of their constants.
func (t Tally[K]) All() iter.Seq2[K, int64] {
	return func(yield func(K, int64) bool) {
		for k, n := range t.n {
			if n != 0 && !yield(K(k), n) { //nolint:gosec // an index into n
				return
			}
		}
	}
}

// Equal says whether two counts are the same.
func (t Tally[K]) Equal(other Tally[K]) bool { return t.n == other.n }

// String is the text of MarshalJSON.
func (t Tally[K]) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for k, n := range t.All() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", k.String(), n)
	}
	b.WriteByte('}')
	return b.String()
}

// MarshalJSON gives an object: a member for each kind of which there were any, under the kind's name.
func (t Tally[K]) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }
