package state

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestEqualNumbers(t *testing.T) {
	huge := strings.Repeat("9", 40)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "10e-1", true},
		{"0.1e1", "1", true},
		{"1e400", "10e399", true},
		{"1e400", "1e401", false},
		{"-0", "0", true},
		{"-0.0e5", "0e-7", true},
		{"-1", "1", false},
		{"100", "1e2", true},
		{"100", "1E+002", true},
		{"0.001", "1e-3", true},
		{"0.0010", "100e-5", true},
		{"12.50", "1.25e1", true},
		{"12.50", "1.25e2", false},
		{"9007199254740993", "9007199254740992", false},
		{"0.1", "0.10000000000000000001", false},
		{"1e" + huge, "1e" + huge, true},
		{"10e" + huge, "1e1" + strings.Repeat("0", 40), true},
		{"1e-" + huge, "10e-1" + strings.Repeat("0", 40), true},
		{"0.1e-" + huge, "1e-1" + strings.Repeat("0", 40), true},
		{"1e1" + strings.Repeat("0", 40), "1e" + huge, false},
		{"0.1e1" + strings.Repeat("0", 40), "1e" + huge, true},
		{"1e" + huge, "1e-" + huge, false},
		{"0e" + huge, "0", true},
		{"0.01e1000000000000000001", "1e999999999999999999", true},
		{"1000e999999999999999999", "1e1000000000000000002", true},
		{"0.001e-999999999999999999", "1e-1000000000000000002", true},
		{"1000e-1000000000000000002", "1e-999999999999999999", true},
		{"10e-1000000000000000000", "1e-999999999999999999", true},
		{"1e00000000000000000000000000007", "1e7", true},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := equalNumbers([]byte(pair[0]), []byte(pair[1])); got != c.want {
				t.Errorf("%s == %s: %v", pair[0], pair[1], got)
			}
			same := string(appendCanonicalNumber(nil, []byte(pair[0]))) == string(appendCanonicalNumber(nil, []byte(pair[1])))
			if same != c.want {
				t.Errorf("%s and %s in canonical form: %v", pair[0], pair[1], same)
			}
		}
	}
}

// A number of a megabyte is compared in a moment, whatever it is worth.
func TestEqualNumbersCost(t *testing.T) {
	long := strings.Repeat("8", 1<<20)
	start := time.Now()
	for _, pair := range [][2]string{
		{long, long[1:] + "8.0"},
		{"1e" + long, "10e" + long[1:] + "7"},
		{"1e1000000000", "10e999999999"},
		{"0." + strings.Repeat("0", 1<<20) + "1", "1e-1048577"},
	} {
		if !equalNumbers([]byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%.20s and %.20s differ", pair[0], pair[1])
		}
	}
	if spent := time.Since(start); spent > 5*time.Second {
		t.Errorf("took %v", spent)
	}
}

func TestCanonicalNumber(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"0", "0"}, {"-0", "0"}, {"-0.000", "0"},
		{"1", "1"}, {"1.0", "1"}, {"10e-1", "1"},
		{"-12.50", "-12.5"}, {"1e3", "1000"}, {"1e20", "100000000000000000000"},
		{"1e21", "1e21"}, {"12e400", "1.2e401"},
		{"0.05", "0.05"}, {"5e-6", "0.000005"}, {"5e-7", "5e-7"}, {"123e-9", "1.23e-7"},
		{"1e-99999999999999999999", "1e-99999999999999999999"},
		{"12e99999999999999999999", "1.2e100000000000000000000"},
	} {
		if got := string(appendCanonicalNumber(nil, []byte(c.raw))); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.raw, got, c.want)
		}
	}
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// ratOf is the number's exact value, if that is small enough to be spelled out.
func ratOf(text string) (*big.Rat, bool) {
	if !jsonNumber.MatchString(text) || len(text) > 200 {
		return nil, false
	}
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if e, err := strconv.Atoi(exp); err != nil || e > 500 || e < -500 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

func FuzzNumber(f *testing.F) {
	for _, seed := range [][2]string{{"1", "1.0"}, {"-0", "0e5"}, {"1e400", "10e399"}, {"0.001e3", "1"}, {"12.50", "125e-1"}, {"100", "1e2"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := ratOf(a)
		if !ok {
			return
		}
		canonical := string(appendCanonicalNumber(nil, []byte(a)))
		back, ok := ratOf(canonical)
		if !jsonNumber.MatchString(canonical) || ok && back.Cmp(x) != 0 {
			t.Fatalf("%s becomes %s", a, canonical)
		}
		if !equalNumbers([]byte(a), []byte(canonical)) {
			t.Fatalf("%s differs from its canonical form %s", a, canonical)
		}
		y, ok := ratOf(b)
		if !ok {
			return
		}
		want := x.Cmp(y) == 0
		if got := equalNumbers([]byte(a), []byte(b)); got != want {
			t.Fatalf("%s == %s: %v", a, b, got)
		}
		if same := canonical == string(appendCanonicalNumber(nil, []byte(b))); same != want {
			t.Fatalf("%s and %s in canonical form: %v", a, b, same)
		}
	})
}
