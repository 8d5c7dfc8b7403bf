package decode

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var validTexts = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `10`, `-1.5`, `1e5`, `1E+5`, `1.25e-10`, `0.0`, `0e0`, `""`, `"a"`, " \t\n\r1\r\n\t ",
	`"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\uD83D\uDE00"`, `"\ud83d"`, `"é✅😀"`, "\"\x7f\"", `"12345678"`, `"1234567\n"`, `"12345678\n"`,
	`[1,2,3]`, `[ 1 , 2 ]`, `[[],{}]`, `{"a":1}`, `{ "a" : 1 , "b" : [ ] }`, `{"":""}`, `{"a":1,"a":2}`, "{\n\"a\":\n1}",
	"\"\xff\"", "\"\xc3\"", "{\"\xed\xa0\x80\":1}", `[[[[[[[[[[1]]]]]]]]]]`, `{"a":{"b":{"c":[{"d":null}]}}}`, `"\u00e9 and more text behind it"`,
	`123456789012345678901234567890`, `1e999999999999`, `{"a":[],"b":{},"c":[{}],"d":{"e":[]}}`,
}

// D05 and its like: what must not pass.
var invalidTexts = []string{
	``, ` `, `1.0.1`, `01`, `-01`, `+1`, `1.`, `.5`, `1e`, `1e+`, `-`, `--1`, `0x1`, `NaN`, `Infinity`, `-Infinity`, `1 2`, `1,`, `"\x41"`, `"\u12G4"`,
	`"\u12"`, `"\u"`, `"\`, `"\"`, `"`, `"abc`, "\"a\nb\"", "\"a\x00b\"", "\"\x1f\"", `'a'`, `tru`, `truE`, `true1`, `nul`, `fals`, `falsey`, `None`,
	`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[,]`, `[1 2]`, `[1]]`, `[1}`, `{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`,
	`{a:1}`, `{1:1}`, `{"a":1]`, `{"a":1}}`, `{"a"::1}`, `{"a":1,,"b":2}`, `{"a":}`, `[{]}`, `[{"a":1]`, "\xEF\xBB\xBF1", "\x001", "1\x00", "\v1", "1\f",
	`[DONE]`, `/**/1`, `1//`, `{"a":1 "b":2}`, `[[[[`, `{"a":{"a":{"a":`, "\xff", `"a"b`, `"1234567`, `"12345678`, `[1,2`, `e5`, `1e5.5`, `[-]`, `{"x":01}`,
	`{"x":+1}`, `{"x":1.}`, `{"x":.5}`, `{"x":"\x41"}`, "{\"x\":\"a\tb\"}", `{"x":tru}`,
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	hold := func(text string) {
		t.Helper()
		if got, want := Valid([]byte(text), 10_000), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for i, list := range [][]string{validTexts, invalidTexts} {
		for _, text := range list {
			if json.Valid([]byte(text)) != (i == 0) {
				t.Errorf("%q is in the wrong list", text)
			}
			hold(text)
			hold(`{"member":` + text + `}`)
			hold("[" + text + "," + text + "]")
			for n := range len(text) {
				hold(text[:n])
				hold(text[n:])
			}
			for n := range 17 {
				hold(strings.Repeat(" ", n) + text)
				hold(`["` + strings.Repeat("x", n) + `",` + text + `]`)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		hold(string(mutate(r, []byte(validTexts[r.IntN(len(validTexts))]))))
	}
}

// mutate changes a byte or a few, mostly into bytes that mean something to JSON.
func mutate(r *rand.Rand, b []byte) []byte {
	const telling = "{}[]:,\"\\u/0123456789eE+-. \t\n\r\x00\x1f\x7f\x80\xc3\xe2\xed\xf4\xfftrnfals"
	b = append([]byte(nil), b...)
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b) + 1)
		c := telling[r.IntN(len(telling))]
		switch r.IntN(4) {
		case 0:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		case 1:
			if i < len(b) {
				b = append(b[:i], b[i+1:]...)
			}
		case 2:
			if i < len(b) {
				b[i] = c
			}
		case 3:
			j := r.IntN(len(b) + 1)
			b = append(append([]byte(nil), b[:i]...), b[min(i, j):]...)
		}
	}
	return b
}

// D07: nesting.
func TestValidLimitsNesting(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	mixed := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2))
	}
	for _, tc := range []struct {
		name  string
		text  []byte
		depth int
		want  bool
	}{
		{"a scalar at 1", []byte("1"), 1, true},
		{"one level at 1", []byte("[]"), 1, true},
		{"two levels at 1", []byte("[[]]"), 1, false},
		{"siblings at 2", []byte("[[],[],{}]"), 2, true},
		{"256 by default", nested(256), 0, true},
		{"257 by default", nested(257), 0, false},
		{"256 mixed", mixed(256), 256, true},
		{"258 mixed", mixed(258), 256, false},
		{"300 at 300", nested(300), 300, true},
		{"301 at 300", nested(301), 300, false},
		{"mixed at 10,000", mixed(10_000), 10_000, true},
		{"a million at a million", nested(1_000_000), 1_000_000, true},
		{"a million unclosed", nested(2_000_000)[:1_000_000], 2_000_000, false},
	} {
		if got := Valid(tc.text, tc.depth); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestNestingTakesLinearTime(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("times say nothing here")
	}
	for _, unit := range []string{"[", `{"a":`, "[{\"a\":"} {
		took := func(n int) time.Duration {
			text := []byte(strings.Repeat(unit, n))
			best := time.Hour
			for range 3 {
				start := time.Now()
				Valid(text, 1<<30)
				best = min(best, time.Since(start))
			}
			return best
		}
		double, single := took(400_000), took(200_000)
		for tries := 0; float64(double) > 2.5*float64(single) && tries < 10; tries++ { // a busy machine only ever adds
			double, single = min(double, took(400_000)), min(single, took(200_000))
		}
		if ratio := float64(double) / float64(single); ratio > 2.5 {
			t.Errorf("%s: twice the size takes %.1f times as long", unit, ratio)
		}
	}
}

func TestLoad(t *testing.T) {
	text := []byte("abcdefghijklmnopqrstuvwxyz")
	for n := range len(text) + 1 {
		for i := range n + 3 {
			var want uint64
			for k := 7; k >= 0; k-- {
				want <<= 8
				if i+k < n {
					want |= uint64(text[i+k])
				}
			}
			if got := load(text[:n:n], i); got != want {
				t.Errorf("load at %d of %d: %x, want %x", i, n, got, want)
			}
		}
	}
}

// The marks must be right for every byte at every place, whatever stands around it.
func TestStops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300_000 {
		w := r.Uint64()
		if r.IntN(2) == 0 {
			// Few stops, so that late ones are met.
			w = w&0x1f1f1f1f1f1f1f1f | 0x4040404040404040
			w = w&^(0xff<<(8*uint(r.IntN(8)))) | uint64(r.IntN(256))<<(8*uint(r.IntN(8)))
		}
		first := func(hit func(byte) bool) int {
			for k := range 8 {
				if hit(byte(w >> (8 * k))) {
					return k
				}
			}
			return 8
		}
		lowest := func(m uint64) int {
			for k := range 8 {
				if m>>(8*k)&0xff != 0 {
					return k
				}
			}
			return 8
		}
		if got, want := lowest(stops(w)), first(func(c byte) bool { return c < 0x20 || c == '"' || c == '\\' }); got != want {
			t.Fatalf("stops(%016x): %d, want %d", w, got, want)
		}
		if got, want := lowest(escapes(w)), first(func(c byte) bool { return c > 0x7f || c == '\\' }); got != want {
			t.Fatalf("escapes(%016x): %d, want %d", w, got, want)
		}
	}
}
