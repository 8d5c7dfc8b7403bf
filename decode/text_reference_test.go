package decode

import (
	"fmt"
	"strconv"
	"unicode/utf16"
)

// referenceUnits gives a JSON string's text as UTF-16 code units, by the letter: escapes name units, bytes are decoded by
// the table of the WHATWG Encoding Standard's UTF-8 decoder. Pairing and replacing is left to utf16.Decode, once all of
// the text is there, deltas or not.
func referenceUnits(raw []byte) []uint16 {
	var units []uint16
	for i := 0; i < len(raw); {
		if raw[i] == '\\' {
			if raw[i+1] == 'u' {
				n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
				if err != nil {
					panic(err)
				}
				units = append(units, uint16(n))
				i += 6
				continue
			}
			c := map[byte]byte{'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, '"': '"', '\\': '\\', '/': '/'}[raw[i+1]]
			units = append(units, uint16(c))
			i += 2
			continue
		}
		j := i
		for j < len(raw) && raw[j] != '\\' {
			j++
		}
		for _, r := range whatwgDecode(raw[i:j]) {
			units = utf16.AppendRune(units, r)
		}
		i = j
	}
	return units
}

// whatwgDecode follows the standard's "UTF-8 decoder" step by step, with its own variables.
func whatwgDecode(b []byte) (out []rune) {
	var codePoint rune
	seen, needed := 0, 0
	lower, upper := byte(0x80), byte(0xBF)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if needed == 0 {
			switch {
			case c <= 0x7F:
				out = append(out, rune(c))
			case c >= 0xC2 && c <= 0xDF:
				needed, codePoint = 1, rune(c&0x1F)
			case c >= 0xE0 && c <= 0xEF:
				if c == 0xE0 {
					lower = 0xA0
				}
				if c == 0xED {
					upper = 0x9F
				}
				needed, codePoint = 2, rune(c&0xF)
			case c >= 0xF0 && c <= 0xF4:
				if c == 0xF0 {
					lower = 0x90
				}
				if c == 0xF4 {
					upper = 0x8F
				}
				needed, codePoint = 3, rune(c&0x7)
			default:
				out = append(out, 0xFFFD)
			}
			continue
		}
		if c < lower || c > upper {
			codePoint, needed, seen, lower, upper = 0, 0, 0, 0x80, 0xBF
			i-- // "restore byte to ioQueue"
			out = append(out, 0xFFFD)
			continue
		}
		lower, upper = 0x80, 0xBF
		codePoint = codePoint<<6 | rune(c&0x3F)
		if seen++; seen == needed {
			out = append(out, codePoint)
			codePoint, needed, seen = 0, 0, 0
		}
	}
	if needed != 0 {
		out = append(out, 0xFFFD)
	}
	return out
}

func referenceText(raws ...[]byte) string {
	var units []uint16
	for _, raw := range raws {
		units = append(units, referenceUnits(raw)...)
	}
	return string(utf16.Decode(units))
}

// deltaText reads pieces the way a store does, from AppendDelta and a carry.
func deltaText(raws ...[]byte) string {
	var dst []byte
	var carry uint16
	for _, raw := range raws {
		dst = AppendDelta(dst, raw, &carry)
	}
	if carry != 0 {
		dst = append(dst, replacement...)
	}
	return string(dst)
}

func show(b []byte) string { return fmt.Sprintf("%+q", b) }
