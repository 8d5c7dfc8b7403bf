package workload

import "unicode/utf8"

// style is how a producer escapes JSON strings beyond what it must.
type style uint8

const (
	styleRaw   style = iota // only what RFC 8259 demands
	styleASCII              // everything beyond ASCII as \uXXXX, astral characters as a surrogate pair
	styleHTML               // < > & U+2028 U+2029 too
	styleSlash              // as ASCII, and the solidus
	numStyles
)

const hexDigits = "0123456789abcdef"

// appendEscaped appends the inside of a JSON string that holds s. s must be valid UTF-8.
func appendEscaped[T ~string | ~[]byte](dst []byte, s T, st style) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			dst = appendRune(dst, r, st)
			i += n
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c < ' ', st == styleHTML && (c == '<' || c == '>' || c == '&'):
			dst = appendHex(dst, uint16(c))
		case c == '/' && st == styleSlash:
			dst = append(dst, `\/`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendRune(dst []byte, r rune, st style) []byte {
	escape := st == styleASCII || st == styleSlash || st == styleHTML && (r == '\u2028' || r == '\u2029')
	if !escape {
		return utf8.AppendRune(dst, r)
	}
	if r < 0x10000 {
		return appendHex(dst, uint16(r))
	}
	r -= 0x10000
	dst = appendHex(dst, 0xd800+uint16(r>>10))
	return appendHex(dst, 0xdc00+uint16(r&0x3ff))
}

func appendHex(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

func appendQuoted[T ~string | ~[]byte](dst []byte, s T, st style) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s, st)
	return append(dst, '"')
}
