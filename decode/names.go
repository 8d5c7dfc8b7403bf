package decode

import "encoding/binary"

// Names are found by perfect hashing of words that the scanner has in hand: a multiplication puts every name into a slot
// of its own, and one comparison tells whether it is the name. The multipliers were found by trial; a test holds that no
// two names meet.
const (
	fieldMultiplier = 0x3b979ab1bc2dce1f
	typeMultiplier  = 0x30b95ff183c471d5
	slotBits        = 7
)

type fieldSlot struct {
	head, tail uint64
	name       string
	field      Field
}

// A type's name is compared by four words, which overlap and are all of it: no type has more than 32 bytes.
type typeSlot struct {
	head, second, third, tail uint64
	size                      int
	t                         Type
}

var (
	fieldSlots = buildFieldSlots()
	typeSlots  = buildTypeSlots()
)

func fieldSlotOf(head, tail uint64) uint64 {
	return (head ^ tail<<3) * fieldMultiplier >> (64 - slotBits)
}

func typeSlotOf(head, tail uint64) uint64 {
	return (head ^ tail<<3) * typeMultiplier >> (64 - slotBits)
}

// words gives a name's first eight bytes (fewer: zeros above) and, if it has eight or more, its last eight.
func words(name []byte) (head, tail uint64) {
	if len(name) < 8 {
		return load(name, 0), 0
	}
	return binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[len(name)-8:])
}

// fieldByWords finds a name whose words are at hand.
func fieldByWords(name []byte, head, tail uint64) Field {
	s := &fieldSlots[fieldSlotOf(head, tail)]
	if s.head != head || s.tail != tail || len(s.name) != len(name) {
		return NumFields
	}
	if len(name) > 16 && s.name != string(name) {
		return NumFields
	}
	return s.field
}

// fieldEscaped finds a name that is written with escapes. It needn't look at names too long to be any of ours.
func fieldEscaped(raw []byte) Field {
	const longest = 19
	if len(raw) > 6*longest {
		return NumFields
	}
	var buf [6 * longest]byte
	name := AppendString(buf[:0], raw)
	head, tail := words(name)
	return fieldByWords(name, head, tail)
}

// TypeOf finds the type of a wire name; Unknown if there is none.
func TypeOf(name []byte) Type {
	head, tail := words(name)
	s := &typeSlots[typeSlotOf(head, tail)]
	if s.head != head || s.tail != tail || s.size != len(name) {
		return Unknown
	}
	if second, third := innerWords(name); s.second != second || s.third != third {
		return Unknown
	}
	return s.t
}

// innerWords gives what lies between a name's first and last eight bytes, so far as that is no more than 16 bytes.
func innerWords(name []byte) (second, third uint64) {
	if len(name) <= 16 {
		return 0, 0
	}
	return load(name, 8), load(name, len(name)-16)
}

func buildFieldSlots() (slots [1 << slotBits]fieldSlot) {
	for f, name := range fieldNames {
		head, tail := words([]byte(name))
		slots[fieldSlotOf(head, tail)] = fieldSlot{head, tail, name, Field(f)}
	}
	for i := range slots {
		if slots[i].name == "" {
			slots[i].field = NumFields
		}
	}
	return slots
}

func buildTypeSlots() (slots [1 << slotBits]typeSlot) {
	for t := Unknown + 1; t < NumTypes; t++ {
		name := []byte(typeNames[t])
		head, tail := words(name)
		second, third := innerWords(name)
		slots[typeSlotOf(head, tail)] = typeSlot{head, second, third, tail, len(name), t}
	}
	return slots
}
