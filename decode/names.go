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

type typeSlot struct {
	name string
	t    Type
}

var (
	fieldSlots = buildFieldSlots()
	typeSlots  = buildTypeSlots()
)

func fieldSlotOf(head, tail uint64) uint64 {
	return (head ^ tail<<3) * fieldMultiplier >> (64 - slotBits)
}

func typeSlotOf(name []byte) uint64 {
	head, tail := words(name)
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
	s := &typeSlots[typeSlotOf(name)]
	if s.name != string(name) {
		return Unknown
	}
	return s.t
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
		slots[typeSlotOf([]byte(typeNames[t]))] = typeSlot{typeNames[t], t}
	}
	return slots
}
