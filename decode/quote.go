package decode

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"
)

const lowerHex = "0123456789abcdef"

// AppendQuoted appends s as a JSON string with its quotes. Only what RFC 8259 demands is escaped: the quote, the backslash
// and control characters, these in their short form where there is one; HTML's characters, U+2028 and U+2029 stay as they
// are. Invalid UTF-8 is replaced as AppendValidUTF8 does, so that the result is always JSON.
func AppendQuoted(dst, s []byte) []byte {
	if !utf8.Valid(s) {
		s = AppendValidUTF8(nil, s)
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		dst = slices.Grow(dst, len(s)-i+8)
		out := dst[:cap(dst)]
		o := len(dst)
		for i < len(s) {
			w := load(s, i)
			binary.LittleEndian.PutUint64(out[o:], w)
			n := min(8, len(s)-i)
			if m := stops(w); m != 0 {
				n = min(n, bits.TrailingZeros64(m)>>3)
			}
			i += n
			o += n
			if n < 8 && i < len(s) {
				out = appendEscape(out[:o], s[i])
				o = len(out)
				i++
				break
			}
		}
		dst = out[:o]
	}
	return append(dst, '"')
}

// AppendQuotedString is AppendQuoted for a string.
func AppendQuotedString(dst []byte, s string) []byte {
	// AppendQuoted only reads, so the string's bytes can be lent to it.
	return AppendQuoted(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', lowerHex[c>>4], lowerHex[c&15])
}
