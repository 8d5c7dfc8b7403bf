package decode

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// DefaultDepth is the nesting that Event.Decode and Valid allow when they are told 0.
const DefaultDepth = 256

// Kind is the JSON kind of a member's value.
type Kind uint8

// Absent is the kind of a member that the event doesn't have.
const (
	Absent Kind = iota
	String
	Number
	Object
	Array
	True
	False
	Null
	numKinds
)

var kindNames = [numKinds]string{"absent", "a string", "a number", "an object", "an array", "true", "false", "null"}

// String names the kind as error texts do.
func (k Kind) String() string {
	if k >= numKinds {
		return ""
	}
	return kindNames[k]
}

// span is where a value lies in the frame.
type span struct{ start, end uint32 }

// Event is one frame, checked and taken apart as far as its top-level members. It holds no values, only where they lie:
// everything it gives borrows the frame and is valid as long as that is. The zero value is ready for Decode, and one
// Event decodes any number of frames, one after another, without allocating. It is not safe for concurrent use.
type Event struct {
	Type   Type
	Frame  []byte // lent by whoever called Decode
	Number int64  // of the event in its stream, from 1; set by the caller
	Offset int64  // of the frame in its stream; set by the caller

	present FieldSet
	plain   FieldSet // strings that stand for themselves: ASCII without escapes
	kinds   [numKinds]FieldSet
	kind    [64]Kind // of present members only: nothing below is cleared between frames
	spans   [64]span
	unknown []span // names of members that no type uses, without their quotes
}

// keptUnknown is how many unknown names an Event keeps room for; a frame with more doesn't make it big for ever.
const keptUnknown = 256

// typeFirst is how almost every frame begins, `{"type":`, as a word.
var typeFirst = binary.LittleEndian.Uint64([]byte(`{"type":`))

// Decode checks the whole frame in one pass and finds its type and members. It takes what encoding/json.Valid takes (RFC
// 8259, and invalid UTF-8 inside strings, which is repaired when the string is read), so long as it is an object, nested
// no deeper than depth (0: DefaultDepth; the event object is the first level), with a `type` that is a string. Of members
// with one name the last counts; names are compared after unescaping. A type that isn't known is no error here.
//
// The error is an *Error with the byte offset in the frame: KindDecode when the depth is crossed, else KindJSON. After an
// error the event is not to be used.
func (ev *Event) Decode(frame []byte, depth int) error {
	ev.Type = Unknown
	ev.Frame = frame
	ev.present = 0
	ev.plain = 0
	ev.kinds = [numKinds]FieldSet{}
	if len(ev.unknown) > keptUnknown {
		ev.unknown = nil
	}
	ev.unknown = ev.unknown[:0]
	if depth <= 0 {
		depth = DefaultDepth
	}

	b := frame
	var f Field
	var i int
	if len(b) > 16 && binary.LittleEndian.Uint64(b) == typeFirst && b[8] > ' ' {
		i = 8
		f = FieldType
	} else {
		var err error
		if f, i, err = ev.enter(depth); err != nil {
			return err
		}
	}
	for {
		start := i
		var k Kind
		bit := FieldSet(1) << (f & 63)
		plain := FieldSet(0)
		switch c := b[i]; c {
		case '"':
			// Most strings' first word is all of them, or has nothing in it that calls for a closer look.
			w := load(b, i+1)
			m := stops(w)
			end := i + 1 + bits.TrailingZeros64(m)>>3
			if m != 0 && end < len(b) && b[end] == '"' {
				w &= m&-m - 1
				if w&highs == 0 {
					plain = bit
				}
			} else {
				var found uint
				if end, found = scanString(b, i+1); end < 0 {
					return ev.malformed(^end)
				}
				if found == 0 {
					plain = bit
				}
			}
			i = end + 1
			k = String
		case '{', '[':
			end, deep := scanNested(b, i, depth-1)
			if end < 0 {
				if deep {
					return ev.tooDeep(^end, depth)
				}
				return ev.malformed(^end)
			}
			k = Object
			if c == '[' {
				k = Array
			}
			i = end
		case 't':
			k = True
			i = scanLiteral(b, i, "true")
		case 'f':
			k = False
			i = scanLiteral(b, i, "false")
		case 'n':
			k = Null
			i = scanLiteral(b, i, "null")
		default:
			k = Number
			i = scanNumber(b, i)
		}
		if i < 0 {
			return ev.malformed(^i)
		}

		if f < NumFields {
			if ev.present&bit != 0 {
				ev.kinds[ev.kind[f]&7] &^= bit
				ev.plain &^= bit
			}
			ev.plain |= plain
			ev.present |= bit
			ev.kinds[k&7] |= bit
			ev.kind[f] = k
			ev.spans[f] = span{uint32(start), uint32(i)}
			if f == FieldType {
				ev.Type = Unknown
				if plain != 0 {
					ev.Type = TypeOf(b[start+1 : i-1])
				} else if k == String {
					ev.Type = TypeOf(ev.TypeName())
				}
			}
		}

		if i < len(b) && b[i] <= ' ' {
			i = skipSpace(b, i)
		}
		if i >= len(b) {
			return ev.malformed(i)
		}
		if b[i] != ',' {
			break
		}
		i++
		if i < len(b) && b[i] <= ' ' {
			i = skipSpace(b, i)
		}
		if f, i = ev.member(b, i); i < 0 {
			return ev.malformed(^i)
		}
	}
	if b[i] != '}' {
		return ev.malformed(i)
	}
	if i++; i != len(b) {
		if i = skipSpace(b, i); i != len(b) {
			return ev.malformed(i)
		}
	}
	if !ev.kinds[String].Has(FieldType) {
		return ev.untyped()
	}
	if uint64(len(b)) > math.MaxUint32 {
		// A span holds 32 bits. The text was checked all the same, so that which error it is stays the rule's choice.
		return &Error{Kind: KindDecode, Reason: "frame over the limit", Limit: math.MaxUint32}
	}
	return nil
}

// enter reads up to the first member's value when the frame doesn't begin as almost all do.
func (ev *Event) enter(depth int) (Field, int, error) {
	b := ev.Frame
	i := skipSpace(b, 0)
	if i == len(b) {
		return 0, 0, &Error{Kind: KindJSON, Reason: "the data is empty"}
	}
	if b[i] != '{' {
		end, deep := scanValue(b, i, depth)
		if deep {
			return 0, 0, ev.tooDeep(^end, depth)
		}
		if end < 0 {
			return 0, 0, ev.malformed(^end)
		}
		if end = skipSpace(b, end); end != len(b) {
			return 0, 0, ev.malformed(end)
		}
		return 0, 0, &Error{Kind: KindJSON, Offset: int64(i), Reason: "the data is no JSON object"}
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		if end := skipSpace(b, i+1); end != len(b) {
			return 0, 0, ev.malformed(end)
		}
		return 0, 0, ev.untyped()
	}
	f, i := ev.member(b, i)
	if i < 0 {
		return 0, 0, ev.malformed(^i)
	}
	return f, i, nil
}

// member reads a name and its colon and gives the index of the value's first byte. A name that no type uses is noted and
// comes back as NumFields.
func (ev *Event) member(b []byte, i int) (Field, int) {
	if i >= len(b) || b[i] != '"' {
		return 0, ^i
	}
	i++
	var found uint
	var head, tail uint64
	end := i
	head = load(b, i)
	if m := stops(head); m != 0 {
		end += bits.TrailingZeros64(m) >> 3
		head &= m&-m>>7 - 1
		if end >= len(b) || b[end] != '"' {
			if end, found = scanString(b, end); end < 0 {
				return 0, end
			}
		}
	} else {
		// The second word ends all of our names but a few.
		w := load(b, i+8)
		m := stops(w)
		if end = i + 8 + bits.TrailingZeros64(m)>>3; m == 0 || end >= len(b) || b[end] != '"' {
			if end, found = scanString(b, i+8); end < 0 {
				return 0, end
			}
		}
		tail = load(b, end-8)
	}
	var f Field
	if found&foundEscape == 0 {
		f = fieldByWords(b[i:end], head, tail)
	} else {
		f = fieldEscaped(b[i:end])
	}
	if f == NumFields {
		ev.unknown = append(ev.unknown, span{uint32(i), uint32(end)})
	}
	i = end + 1
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) || b[i] != ':' {
		return 0, ^i
	}
	i++
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		return 0, ^i
	}
	return f, i
}

func (ev *Event) malformed(at int) error {
	reason := "not JSON"
	if at >= len(ev.Frame) {
		reason = "the JSON text ends too early"
	}
	return &Error{Kind: KindJSON, Type: ev.Type.String(), Offset: int64(at), Reason: reason}
}

func (ev *Event) tooDeep(at, depth int) error {
	return &Error{Kind: KindDecode, Type: ev.Type.String(), Offset: int64(at), Reason: "nesting deeper than the limit", Limit: int64(depth)}
}

func (ev *Event) untyped() error {
	if !ev.present.Has(FieldType) {
		return &Error{Kind: KindJSON, Field: "type", Reason: "missing"}
	}
	return &Error{Kind: KindJSON, Field: "type", Offset: int64(ev.spans[FieldType].start), Reason: mismatch(wantString, ev.kind[FieldType])}
}
