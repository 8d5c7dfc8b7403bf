package plain

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote gives the text of a JSON string; the string's own bytes, where it
// holds no escape.
func unquote(raw []byte) []byte {
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return body
	}
	return appendText(make([]byte, 0, len(body)), body, nil)
}

// appendText appends the text of a JSON string's body. A lone surrogate escape
// becomes U+FFFD, but for a high one at the very end when there is a carry: it
// waits there for the item's next delta, whose low half it may meet. An empty
// delta leaves the carry as it is, since deltas only concatenate.
func appendText(dst, body []byte, carry *rune) []byte {
	if carry != nil && *carry != 0 && len(body) > 0 {
		high := *carry
		*carry = 0
		if low, ok := unicodeEscape(body); ok && isLow(low) {
			dst = utf8.AppendRune(dst, utf16.DecodeRune(high, low))
			body = body[6:]
		} else {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
	}
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		body = body[i:]
		r, ok := unicodeEscape(body)
		if !ok {
			dst = append(dst, shortEscape(body[1]))
			body = body[2:]
			continue
		}
		body = body[6:]
		if isHigh(r) {
			if len(body) == 0 && carry != nil {
				*carry = r
				return dst
			}
			if low, ok := unicodeEscape(body); ok && isLow(low) {
				dst = utf8.AppendRune(dst, utf16.DecodeRune(r, low))
				body = body[6:]
				continue
			}
		}
		// AppendRune writes U+FFFD for a surrogate.
		dst = utf8.AppendRune(dst, r)
	}
}

func isHigh(r rune) bool { return r >= 0xD800 && r < 0xDC00 }
func isLow(r rune) bool  { return r >= 0xDC00 && r < 0xE000 }

func shortEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func unicodeEscape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// repairUTF8 replaces each maximal subpart of an ill-formed sequence by one
// U+FFFD, as the WHATWG decoder does (encoding/json would replace each byte).
func repairUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = subpart(b)
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// subpart gives the length of the maximal subpart that b, which is ill-formed,
// begins with (Unicode, table 3-7).
func subpart(b []byte) int {
	low, high, want := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		want = 1
	case c >= 0xE0 && c <= 0xEF:
		want = 2
		if c == 0xE0 {
			low = 0xA0
		}
		if c == 0xED {
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		want = 3
		if c == 0xF0 {
			low = 0x90
		}
		if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for n <= want && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}

// appendQuoted appends s as a JSON string, with the escapes that JSON demands
// and no others.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
