package decode

import (
	"encoding/binary"
	"unsafe"
)

// The scanners look at eight bytes at a time, held in a word with the first byte lowest. Their tests leave the high bit
// of a byte set where it matched. A borrow can set bits above the first match too, so only the lowest bit is trusted.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load reads eight bytes at i, which is not negative; bytes beyond the end read as 0, which ends a JSON string like any
// control character does.
func load(b []byte, i int) uint64 {
	if i <= len(b)-8 {
		// The condition is the bounds check; the compiler would make two more of its own.
		return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
	}
	return loadTail(b, i)
}

// loadTail is the rare case of load, kept out of it so that load is inlined.
//

//go:noinline
func loadTail(b []byte, i int) uint64 {
	n := len(b) - i
	if n <= 0 {
		return 0
	}
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:]) >> (8 * uint(8-n))
	}
	var w uint64
	for k := n - 1; k >= 0; k-- {
		w = w<<8 | uint64(b[i+k])
	}
	return w
}

// stops marks what ends a run of a JSON string: quote, backslash, control characters. The xor with 2 moves the quote
// next to the control characters, so that one comparison finds both.
func stops(w uint64) uint64 {
	return (((w ^ 2*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) &^ w & highs
}

// escapes marks what keeps a validated string from being copied as it is: backslash and all that is not ASCII.
func escapes(w uint64) uint64 {
	return ((w^'\\'*ones)-ones)&^w&highs | w&highs
}
