package decode

import "math"

// maxSafe is the largest integer that a JSON number carries without loss everywhere (2^53 - 1), the schema's bound.
const maxSafe = 1<<53 - 1

// isSafeInteger tells whether a valid JSON number is integral and within ±maxSafe. The value counts, not the spelling:
// 1.0 and 1e3 are integers (JSON Schema 2020-12), 1.5 is none.
func isSafeInteger(num []byte) bool {
	i := 0
	if num[0] == '-' {
		i = 1
	}
	if digits := num[i:]; len(digits) < 16 && allDigits(digits) {
		return true
	}
	// The value is 0.d1d2d3... times ten to the power of point, leading and trailing zeros of the digits left out.
	var value uint64
	point, count, zeros := 0, 0, 0
	fraction := false
	for ; i < len(num) && num[i]|0x20 != 'e'; i++ {
		if num[i] == '.' {
			fraction = true
			continue
		}
		d := num[i] - '0'
		if count == 0 && d == 0 {
			if fraction {
				point--
			}
			continue
		}
		if !fraction {
			point++
		}
		if d == 0 {
			zeros++
			continue
		}
		// Digits beyond the 17th can't be part of a safe integer; count alone then decides.
		for ; zeros > 0; zeros-- {
			count++
			if count <= 17 {
				value *= 10
			}
		}
		count++
		if count <= 17 {
			value = value*10 + uint64(d)
		}
	}
	if count == 0 {
		return true
	}
	point += exponent(num[i:])
	if point < count || point > 16 {
		return false
	}
	for ; count < point; count++ {
		value *= 10
	}
	return value <= maxSafe
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// exponent reads "e", a sign, and digits, or nothing. It stops growing where no frame has digits enough to make up for it.
func exponent(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	negative := b[1] == '-'
	if negative || b[1] == '+' {
		b = b[1:]
	}
	n := 0
	for _, c := range b[1:] {
		if n < math.MaxInt/32 {
			n = n*10 + int(c-'0')
		}
	}
	if negative {
		return -n
	}
	return n
}
