package decode

import "math/bits"

// The scanners below take an index and give the index after what they read. A syntax error at p comes back as ^p, which
// is negative.

// What a string's bytes are like; 0 is plain ASCII that stands for itself.
const (
	foundHigh   = 1 << iota // a byte above 0x7f
	foundEscape             // a backslash
)

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		if b[i] != ' ' && b[i] != '\n' && b[i] != '\r' && b[i] != '\t' {
			return i
		}
		i++
	}
	return i
}

// scanString reads on from i, inside a string, and gives the index of its closing quote.
func scanString(b []byte, i int) (end int, found uint) {
	var seen uint64
	for start := i; ; {
		w := load(b, i)
		m := stops(w)
		if m == 0 {
			seen |= w
			i += 8
			if i-start >= 32 {
				i, seen = skipQuiet(b, i, seen)
				start = i
			}
			continue
		}
		seen |= w & (m&-m - 1)
		i += bits.TrailingZeros64(m) >> 3
		if uint(i) >= uint(len(b)) {
			return ^len(b), 0
		}
		if b[i] == '"' {
			return i, found | high(seen)
		}
		if b[i] != '\\' {
			return ^i, 0
		}
		found |= foundEscape
		if i = scanEscape(b, i); i < 0 {
			return i, 0
		}
	}
}

// skipQuiet goes on four words at a time while there is no stop in them: what pays in long strings only.
func skipQuiet(b []byte, i int, seen uint64) (int, uint64) {
	for ; i <= len(b)-32; i += 32 {
		w0, w1, w2, w3 := load(b, i), load(b, i+8), load(b, i+16), load(b, i+24)
		if stops(w0)|stops(w1)|stops(w2)|stops(w3) != 0 {
			break
		}
		seen |= w0 | w1 | w2 | w3
	}
	return i, seen
}

// high gives foundHigh if a byte of w has its high bit set.
func high(w uint64) uint {
	if w&highs != 0 {
		return foundHigh
	}
	return 0
}

// scanEscape reads the escape whose backslash is at i.
func scanEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return ^len(b)
	}
	if b[i+1] != 'u' {
		if unescaped[b[i+1]] == 0 {
			return ^(i + 1)
		}
		return i + 2
	}
	for k := i + 2; k < i+6; k++ {
		if k >= len(b) {
			return ^len(b)
		}
		if hexDigits[b[k]] > 15 {
			return ^k
		}
	}
	return i + 6
}

func scanNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return ^i
	}
	if b[start] == '0' {
		// No digit may follow; as what comes next it fails.
		i = start + 1
	}
	if i < len(b) && (b[i] == '.' || b[i]|0x20 == 'e') {
		return scanFraction(b, i)
	}
	return i
}

// scanFraction reads what may follow a number's integer part.
func scanFraction(b []byte, i int) int {
	if b[i] == '.' {
		if i = scanDigits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i
}

// scanDigits reads one digit or more.
func scanDigits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}

func scanLiteral(b []byte, i int, word string) int {
	for k := range len(word) {
		if i+k >= len(b) || b[i+k] != word[k] {
			return ^(i + k)
		}
	}
	return i + len(word)
}

// scanScalar reads a value that is neither object nor array.
func scanScalar(b []byte, i int) int {
	if i >= len(b) {
		return ^i
	}
	switch b[i] {
	case '"':
		end, _ := scanString(b, i+1)
		if end < 0 {
			return end
		}
		return end + 1
	case 't':
		return scanLiteral(b, i, "true")
	case 'f':
		return scanLiteral(b, i, "false")
	case 'n':
		return scanLiteral(b, i, "null")
	}
	return scanNumber(b, i)
}

// scanNested reads the object or array that begins at i. It may open as many levels as room says; deep tells that it
// wanted more, and then end is ^ of where. It doesn't recurse: whether each open level is an object is a bit in a stack,
// and the stack leaves the goroutine's own only below the default depth.
func scanNested(b []byte, i, room int) (end int, deep bool) {
	var own [DefaultDepth / 64]uint64
	stack := own[:]
	level := 0          // levels open around the current one
	inside := uint64(0) // 1: the current level is an object
	var m uint64

	// i is at an opening bracket.
open:
	if level >= room {
		return ^i, true
	}
	if level>>6 == len(stack) {
		stack = append(stack, 0)
	}
	// The bit kept at a level is that of the level around it.
	stack[level>>6] = stack[level>>6]&^(1<<(level&63)) | inside<<(level&63)
	level++
	if b[i] == '[' {
		inside = 0
		i = skipSpace(b, i+1)
		if i < len(b) && b[i] == ']' {
			goto closing
		}
		goto value
	}
	inside = 1
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		goto closing
	}

key:
	if i >= len(b) || b[i] != '"' {
		return ^i, false
	}
	// As in Event.Decode: the first word of a name is mostly all of it.
	m = stops(load(b, i+1))
	if end = i + 1 + bits.TrailingZeros64(m)>>3; m == 0 || end >= len(b) || b[end] != '"' {
		if end, _ = scanString(b, i+1); end < 0 {
			return end, false
		}
	}
	i = end + 1
	if i >= len(b) || b[i] != ':' {
		i = skipSpace(b, i)
		if i >= len(b) || b[i] != ':' {
			return ^i, false
		}
	}
	i = skipSpace(b, i+1)

value:
	if i >= len(b) {
		return ^i, false
	}
	switch b[i] {
	case '"':
		m = stops(load(b, i+1))
		if end = i + 1 + bits.TrailingZeros64(m)>>3; m == 0 || end >= len(b) || b[end] != '"' {
			if end, _ = scanString(b, i+1); end < 0 {
				return end, false
			}
		}
		i = end + 1
	case '{', '[':
		goto open
	case 't':
		i = scanLiteral(b, i, "true")
	case 'f':
		i = scanLiteral(b, i, "false")
	case 'n':
		i = scanLiteral(b, i, "null")
	default:
		i = scanNumber(b, i)
	}
	if i < 0 {
		return i, false
	}

after:
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		return ^i, false
	}
	if b[i] == ',' {
		i = skipSpace(b, i+1)
		if inside != 0 {
			goto key
		}
		goto value
	}
	if b[i] != ']'|byte(inside<<5) { // ] in an array, } in an object
		return ^i, false
	}

closing:
	i++
	level--
	inside = stack[level>>6] >> (level & 63) & 1
	if level == 0 {
		return i, false
	}
	goto after
}

// scanValue reads any value, with room levels of nesting.
func scanValue(b []byte, i, room int) (end int, deep bool) {
	if i < len(b) && (b[i] == '{' || b[i] == '[') {
		return scanNested(b, i, room)
	}
	return scanScalar(b, i), false
}

// Valid tells whether b is one JSON value by RFC 8259 with nothing but white space around it, nested no deeper than depth
// (0: DefaultDepth). Up to that depth it agrees with encoding/json.Valid, which lets invalid UTF-8 inside strings pass.
func Valid(b []byte, depth int) bool {
	if depth <= 0 {
		depth = DefaultDepth
	}
	i, _ := scanValue(b, skipSpace(b, 0), depth)
	return i >= 0 && skipSpace(b, i) == len(b)
}
