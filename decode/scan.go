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
	for {
		w := load(b, i)
		m := stops(w)
		if m == 0 {
			seen |= w
			i += 8
			continue
		}
		seen |= w & (m&-m - 1)
		i += bits.TrailingZeros64(m) >> 3
		if i >= len(b) {
			return ^len(b), 0
		}
		if b[i] == '"' {
			if seen&highs != 0 {
				found |= foundHigh
			}
			return i, found
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
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = scanDigits(b, i); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i] == '.' {
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
	i, _ = scanString(b, i+1)
	if i < 0 {
		return i, false
	}
	i++
	if i >= len(b) || b[i] != ':' {
		i = skipSpace(b, i)
		if i >= len(b) || b[i] != ':' {
			return ^i, false
		}
	}
	i = skipSpace(b, i+1)

value:
	if i < len(b) && (b[i] == '{' || b[i] == '[') {
		goto open
	}
	if i = scanScalar(b, i); i < 0 {
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
	if b[i] != ']'+byte(inside)*('}'-']') {
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
