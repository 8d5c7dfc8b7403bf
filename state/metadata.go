package state

import (
	"strings"

	"github.com/aguistream/aguistream/decode"
)

// Member is one member of an open object.
type Member struct {
	Key   string
	Value JSON
}

// Metadata is an open object in member order. Nil is an absent one; an empty one that is there is not nil.
type Metadata []Member

// wideMetadata is the width from which a scan over the keys is given up for an index.
const wideMetadata = 16

// keyIndex finds a member of wide metadata in constant time. It is kept beside the metadata it indexes, and rebuilt when
// it doesn't cover it.
type keyIndex map[string]int

// MergeJSON merges the members of an object (validated JSON text) by rule 108: per key, last write wins, in the first
// one's place, without recursion; a null is a value. Merging {} makes an absent one an empty one.
//
// Where it is wide, one call costs the width once; a Store's messages keep an index instead.
func (md *Metadata) MergeJSON(raw []byte) {
	var keys keyIndex
	md.merge(raw, &keys)
}

// Clone is a deep copy in its own memory.
func (md Metadata) Clone() Metadata {
	if md == nil {
		return nil
	}
	c := make(Metadata, len(md))
	for i, m := range md {
		c[i] = Member{Key: strings.Clone(m.Key), Value: m.Value.clone()}
	}
	return c
}

// Get is the value under a key; nil when there is none.
func (md Metadata) Get(key string) JSON {
	for i := range md {
		if md[i].Key == key {
			return md[i].Value
		}
	}
	return nil
}

// merge returns by how many bytes the metadata grew.
func (md *Metadata) merge(raw []byte, keys *keyIndex) int {
	if *md == nil {
		*md = Metadata{}
	}
	grown := 0
	decode.Members(raw, func(key, value []byte) bool {
		if i := md.find(key, keys); i >= 0 {
			m := &(*md)[i]
			old := len(m.Value)
			// Not written over in place: the value may have been lent.
			m.Value = NormalizeJSON(make(JSON, 0, len(value)), value)
			grown += len(m.Value) - old
			return true
		}
		m := Member{Key: string(key), Value: NormalizeJSON(make(JSON, 0, len(value)), value)}
		if *keys != nil {
			(*keys)[m.Key] = len(*md)
		}
		*md = append(*md, m)
		grown += len(m.Key) + len(m.Value)
		return true
	})
	return grown
}

func (md *Metadata) find(key []byte, keys *keyIndex) int {
	if len(*md) < wideMetadata {
		for i := range *md {
			if (*md)[i].Key == string(key) {
				return i
			}
		}
		return -1
	}
	if len(*keys) != len(*md) {
		*keys = make(keyIndex, 2*len(*md))
		for i := range *md {
			(*keys)[(*md)[i].Key] = i
		}
	}
	if i, ok := (*keys)[string(key)]; ok {
		return i
	}
	return -1
}

func (md Metadata) size() int {
	n := 0
	for i := range md {
		n += len(md[i].Key) + len(md[i].Value)
	}
	return n
}
