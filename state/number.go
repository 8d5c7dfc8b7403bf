package state

import (
	"bytes"
	"strconv"
)

// number is a JSON number taken apart: 0.d1d2d3... x 10^(exp+shift), with no
// zero at either end of the digits. Zero has no digits.
type number struct {
	neg   bool
	whole []byte // the digits before the point ...
	part  []byte // ... and behind it, zeros at the outer ends cut off
	exp   []byte // the exponent's digits without leading zeros; may be longer than any integer
	down  bool   // the exponent is negative
	shift int64
}

// exponentDigits is how many digits of an exponent are sure to fit an int64
// with room for a shift.
const exponentDigits = 18

func splitNumber(raw []byte) (n number) {
	if len(raw) > 0 && raw[0] == '-' {
		n.neg = true
		raw = raw[1:]
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		n.exp = raw[i+1:]
		raw = raw[:i]
		if len(n.exp) > 0 && (n.exp[0] == '-' || n.exp[0] == '+') {
			n.down = n.exp[0] == '-'
			n.exp = n.exp[1:]
		}
		n.exp = bytes.TrimLeft(n.exp, "0")
	}
	n.whole = raw
	if i := bytes.IndexByte(raw, '.'); i >= 0 {
		n.whole, n.part = raw[:i], raw[i+1:]
	}
	n.whole = bytes.TrimLeft(n.whole, "0")
	n.shift = int64(len(n.whole))
	if len(n.whole) == 0 {
		lead := len(n.part)
		n.part = bytes.TrimLeft(n.part, "0")
		n.shift = int64(len(n.part) - lead)
	}
	n.part = bytes.TrimRight(n.part, "0")
	if len(n.part) == 0 {
		n.whole = bytes.TrimRight(n.whole, "0")
	}
	if len(n.whole)+len(n.part) == 0 {
		return number{}
	}
	return n
}

func (n *number) digits() int { return len(n.whole) + len(n.part) }

func (n *number) digit(i int) byte {
	if i < len(n.whole) {
		return n.whole[i]
	}
	return n.part[i-len(n.whole)]
}

// exponent gives exp+shift when it is small enough for an int64.
func (n *number) exponent() (int64, bool) {
	if len(n.exp) > exponentDigits {
		return 0, false
	}
	var e int64
	for _, c := range n.exp {
		e = 10*e + int64(c-'0')
	}
	if n.down {
		e = -e
	}
	return e + n.shift, true
}

// equalNumbers says whether two JSON numbers have the same value, exactly,
// whatever their digits and exponents, in linear time.
func equalNumbers(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := splitNumber(a), splitNumber(b)
	if x.neg != y.neg || x.digits() != y.digits() {
		return false
	}
	for i := range x.digits() {
		if x.digit(i) != y.digit(i) {
			return false
		}
	}
	ex, okx := x.exponent()
	ey, oky := y.exponent()
	if okx && oky {
		return ex == ey
	}
	return bytes.Equal(x.appendExponent(nil), y.appendExponent(nil))
}

// appendExponent appends exp+shift in decimal. An exponent beyond int64 is
// split into its last eighteen digits, which the shift goes into, and those
// before them, which take the carry.
func (n *number) appendExponent(dst []byte) []byte {
	if e, ok := n.exponent(); ok {
		return strconv.AppendInt(dst, e, 10)
	}
	cut := len(n.exp) - exponentDigits
	low := number{exp: n.exp[cut:]}
	tail, _ := low.exponent()
	if n.down {
		tail -= n.shift
		dst = append(dst, '-')
	} else {
		tail += n.shift
	}
	const base = 1_000_000_000_000_000_000
	head := append([]byte(nil), n.exp[:cut]...)
	switch {
	case tail < 0:
		tail += base
		head = decrement(head)
	case tail >= base:
		tail -= base
		head = increment(head)
	}
	start := len(dst)
	dst = append(dst, head...)
	if len(dst) == start {
		return strconv.AppendInt(dst, tail, 10)
	}
	digits := strconv.AppendInt(nil, tail, 10)
	for range exponentDigits - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

func increment(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

// decrement takes one from a number above zero; zero has no digits.
func decrement(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != '0' {
			digits[i]--
			break
		}
		digits[i] = '9'
	}
	return bytes.TrimLeft(digits, "0")
}

// appendCanonicalNumber writes a number so that equal values have equal text:
// plain where that is short, else one digit, the others and an exponent.
func appendCanonicalNumber(dst, raw []byte) []byte {
	n := splitNumber(raw)
	count := n.digits()
	if count == 0 {
		return append(dst, '0')
	}
	if n.neg {
		dst = append(dst, '-')
	}
	const plain = 21
	e, ok := n.exponent()
	switch {
	case ok && e > 0 && e <= plain && int64(count) <= e:
		dst = n.appendDigits(dst, 0, count)
		return appendZeros(dst, int(e)-count)
	case ok && e > 0 && e <= plain:
		dst = n.appendDigits(dst, 0, int(e))
		dst = append(dst, '.')
		return n.appendDigits(dst, int(e), count)
	case ok && e <= 0 && e > -6:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, int(-e))
		return n.appendDigits(dst, 0, count)
	}
	dst = append(dst, n.digit(0))
	if count > 1 {
		dst = append(dst, '.')
		dst = n.appendDigits(dst, 1, count)
	}
	n.shift--
	return n.appendExponent(append(dst, 'e'))
}

func (n *number) appendDigits(dst []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		dst = append(dst, n.digit(i))
	}
	return dst
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}
