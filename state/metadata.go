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
	md.merge(raw, metadataRoom{keys: new(keyIndex)})
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

// metadataRoom is where an item's metadata lies: the index over wide ones, the item's short strings, and the pool that has
// the lists of earlier items. Without ids and pool everything gets memory of its own.
type metadataRoom struct {
	keys *keyIndex
	ids  *[]byte
	pool *Pool
}

// keptValue is the size up to which a value's buffer is left for the next item.
const keptValue = 256

// left empties metadata for the next item.
func (md Metadata) left() Metadata {
	if cap(md) > wideMetadata {
		return nil
	}
	for i := range md {
		md[i].Key = ""
		poison(md[i].Value)
		if cap(md[i].Value) > keptValue {
			md[i].Value = nil
		}
	}
	return md[:0]
}

// merge returns by how many bytes the metadata grew. A value is written over where it lies: it was lent until the item's
// next change.
func (md *Metadata) merge(raw []byte, room metadataRoom) int {
	if *md == nil {
		*md = room.pool.takeMetadata()
	}
	grown := 0
	decode.Members(raw, func(key, value []byte) bool {
		if i := md.find(key, room.keys); i >= 0 {
			m := &(*md)[i]
			old := len(m.Value)
			m.Value = NormalizeJSON(m.Value[:0], value)
			grown += len(m.Value) - old
			return true
		}
		n := len(*md)
		if n < cap(*md) {
			*md = (*md)[:n+1]
		} else {
			*md = append(*md, Member{})
		}
		m := &(*md)[n]
		if room.ids != nil {
			m.Key = ownIn(room.ids, key)
		} else {
			m.Key = string(key)
		}
		if m.Value == nil {
			m.Value = make(JSON, 0, len(value))
		}
		m.Value = NormalizeJSON(m.Value[:0], value)
		if *room.keys != nil {
			(*room.keys)[m.Key] = n
		}
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
