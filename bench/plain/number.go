package plain

import (
	"encoding/json"
	"math/big"
	"strings"
)

// decimal is a JSON number by its value: the digits without zeros at either
// end, times ten to the exponent. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent string // a whole number, as text: it may be larger than any int
}

func decimalOf(n json.Number) decimal {
	s := string(n)
	var d decimal
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa, exp, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent := new(big.Int)
	if exp != "" {
		exponent.SetString(strings.TrimPrefix(exp, "+"), 10)
	}
	exponent.Sub(exponent, big.NewInt(int64(len(fraction))))
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(d.digits))))
	d.exponent = exponent.String()
	return d
}

func equalNumbers(a, b json.Number) bool {
	return a == b || decimalOf(a) == decimalOf(b)
}

const maxSafeInteger = 1<<53 - 1

// safeInteger tells whether n is integral by value (1.0 and 1e3 are) and lies
// within the integers that every JSON reader keeps exact.
func safeInteger(n json.Number) bool {
	d := decimalOf(n)
	if d.digits == "" {
		return true
	}
	exponent, ok := new(big.Int).SetString(d.exponent, 10)
	if !ok || exponent.Sign() < 0 || exponent.Cmp(big.NewInt(16)) > 0 || len(d.digits) > 16 {
		return false
	}
	v, ok := new(big.Int).SetString(d.digits+strings.Repeat("0", int(exponent.Int64())), 10)
	return ok && v.Cmp(big.NewInt(maxSafeInteger)) <= 0
}
