package decode

import (
	"bytes"
	"unicode/utf8"
)

// Sanitize gives valid JSON text whose strings hold nothing but valid UTF-8 and no surrogate escape that is no half of a
// pair; what was wrong is U+FFFD now, as AppendString makes it. Parsers that keep such bytes or escapes as they are can be
// given what it returns. Text that is clean already, as almost all is, comes back as raw itself, without a copy; else the
// clean text is appended to dst, and that is what comes back.
func Sanitize(dst, raw []byte) []byte {
	valid := utf8.Valid(raw)
	lone := loneSurrogate(raw, 0)
	if valid && lone == len(raw) {
		return raw
	}
	start := 0
	for {
		if valid {
			dst = append(dst, raw[start:lone]...)
		} else {
			dst = appendRepaired(dst, raw[start:lone])
		}
		if lone == len(raw) {
			return dst
		}
		dst = append(dst, replacement...)
		start = lone + 6
		lone = loneSurrogate(raw, start)
	}
}

// loneSurrogate gives the index of the next surrogate escape from i on that is no half of a pair, or len(raw).
func loneSurrogate(raw []byte, i int) int {
	for {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			return len(raw)
		}
		i += n
		u, ok := unit(raw[i:])
		switch {
		case !ok:
			// A backslash in valid JSON is never the last byte; in anything else this ends all the same.
			if i += 2; i > len(raw) {
				return len(raw)
			}
		case isHigh(u):
			if low, ok := unit(raw[i+6:]); !ok || !isLow(low) {
				return i
			}
			i += 12
		case isLow(u):
			return i
		default:
			i += 6
		}
	}
}
