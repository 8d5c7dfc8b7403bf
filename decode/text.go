package decode

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// unescaped maps the letter after a backslash to what it stands for; 0: no such escape, or u.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

var hexDigits = buildHexDigits()

func buildHexDigits() (t [256]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = byte(c - '0')
		case c >= 'a' && c <= 'f':
			t[c] = byte(c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			t[c] = byte(c - 'A' + 10)
		default:
			t[c] = 0xff
		}
	}
	return t
}

func isHigh(u uint16) bool { return u>>10 == 0xD800>>10 }
func isLow(u uint16) bool  { return u>>10 == 0xDC00>>10 }

func joined(high, low uint16) rune {
	return rune(high-0xD800)<<10 + rune(low-0xDC00) + 0x10000
}

// unit reads a \uXXXX escape at the start of raw.
func unit(raw []byte) (u uint16, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	a, b, c, d := hexDigits[raw[2]], hexDigits[raw[3]], hexDigits[raw[4]], hexDigits[raw[5]]
	if a|b|c|d > 15 {
		return 0, false
	}
	return uint16(a)<<12 | uint16(b)<<8 | uint16(c)<<4 | uint16(d), true
}

// AppendString appends the text of a JSON string, given without its quotes. Invalid UTF-8 becomes U+FFFD, one for each
// maximal subpart as WHATWG decodes, and so does each surrogate escape that is no half of a pair. dst and raw must not
// overlap.
func AppendString(dst, raw []byte) []byte {
	dst, high := appendText(dst, raw)
	if high != 0 {
		dst = append(dst, replacement...)
	}
	return dst
}

// AppendDelta appends like AppendString a piece of a text that comes in pieces. The escape of a high surrogate at the
// piece's very end is not appended but left in *carry, since the next piece may begin with its other half; a carried one
// that the piece doesn't continue is appended first, as U+FFFD. An empty piece leaves the carry as it is. Whoever ends the
// text appends U+FFFD if the carry is not 0 then.
func AppendDelta(dst, raw []byte, carry *uint16) []byte {
	if *carry != 0 {
		if len(raw) == 0 {
			return dst
		}
		if low, ok := unit(raw); ok && isLow(low) {
			dst = utf8.AppendRune(dst, joined(*carry, low))
			raw = raw[6:]
		} else {
			dst = append(dst, replacement...)
		}
	}
	dst, *carry = appendText(dst, raw)
	return dst
}

// appendText stops before a high surrogate's escape at the very end and gives it back.
func appendText(dst, raw []byte) ([]byte, uint16) {
	i := 0
	for i < len(raw) {
		// No escape is shorter than what it stands for, so from here on the room left is always the rest of raw and a
		// word; whole words are stored, and what is too much is overwritten or cut off.
		dst = slices.Grow(dst, len(raw)-i+8)
		out := dst[:cap(dst)]
		o := len(dst)
		for i < len(raw) {
			w := load(raw, i)
			binary.LittleEndian.PutUint64(out[o:], w)
			m := escapes(w)
			if m == 0 {
				n := min(8, len(raw)-i)
				i += n
				o += n
				continue
			}
			n := bits.TrailingZeros64(m) >> 3
			i += n
			o += n
			if raw[i] != '\\' {
				run := raw[i:]
				if n := bytes.IndexByte(run, '\\'); n >= 0 {
					run = run[:n]
				}
				i += len(run)
				if !utf8.Valid(run) {
					out = appendRepaired(out[:o], run)
					o = len(out)
					break
				}
				o += copy(out[o:], run)
				continue
			}
			if i+1 < len(raw) && unescaped[raw[i+1]] != 0 {
				out[o] = unescaped[raw[i+1]]
				o++
				i += 2
				continue
			}
			u, ok := unit(raw[i:])
			if !ok {
				// Not JSON: whoever gives unchecked text gets something, and no panic.
				out = append(out[:o], replacement...)
				o = len(out)
				i = min(i+2, len(raw))
				break
			}
			i += 6
			r := rune(u)
			if isHigh(u) {
				if i == len(raw) {
					return out[:o], u
				}
				r = utf8.RuneError
				if low, ok := unit(raw[i:]); ok && isLow(low) {
					r = joined(u, low)
					i += 6
				}
			}
			// A lone low one is no valid rune: AppendRune makes it U+FFFD.
			o = len(utf8.AppendRune(out[:o], r))
		}
		dst = out[:o]
	}
	return dst, 0
}

// AppendValidUTF8 appends b with each maximal subpart of invalid UTF-8 replaced by one U+FFFD, as the WHATWG Encoding
// Standard's decoder does (Go's own functions replace byte by byte, or run by run).
func AppendValidUTF8(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	return appendRepaired(dst, b)
}

func appendRepaired(dst, b []byte) []byte {
	start := 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		n, ok := sequence(b[i:])
		if !ok {
			dst = append(dst, b[start:i]...)
			dst = append(dst, replacement...)
			start = i + n
		}
		i += n
	}
	return append(dst, b[start:]...)
}

// sequence gives the length of the UTF-8 sequence at the start of b, or of the maximal subpart of one (Unicode 3.9,
// table 3-7): as many bytes as could begin a sequence, and at least one.
func sequence(b []byte) (n int, ok bool) {
	low, high := byte(0x80), byte(0xBF)
	more := 1
	switch c := b[0]; {
	case c < 0x80:
		return 1, true
	case c < 0xC2 || c > 0xF4:
		return 1, false
	case c < 0xE0:
	case c < 0xF0:
		more = 2
		if c == 0xE0 {
			low = 0xA0
		}
		if c == 0xED {
			high = 0x9F
		}
	default:
		more = 3
		if c == 0xF0 {
			low = 0x90
		}
		if c == 0xF4 {
			high = 0x8F
		}
	}
	for n = 1; n <= more; n++ {
		if n >= len(b) || b[n] < low || b[n] > high {
			return n, false
		}
		low, high = 0x80, 0xBF
	}
	return n, true
}

// textOf gives the text of a JSON string without its quotes: raw itself where that says it as it is.
func textOf(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw
	}
	return AppendString(nil, raw)
}
