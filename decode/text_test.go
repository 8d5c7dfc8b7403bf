package decode

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"
)

var textCases = []struct{ name, raw, want string }{
	{"empty", ``, ""},
	{"plain", `abc`, "abc"},
	{"short escapes", `\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t"},
	{"one escape in the ninth place", `12345678\n9`, "12345678\n9"},
	{"a unit", `\u00e9\u20AC\u0041\u0000`, "é€A\x00"},
	{"a pair", `a\ud83d\ude00b`, "a😀b"},
	{"a pair in capitals", `\uD83D\uDE00`, "😀"},
	{"the ends of the pairs' range", `\ud800\udc00\udbff\udfff`, "\U00010000\U0010FFFF"},
	{"a lone high", `a\ud83db`, "a\uFFFDb"},
	{"a lone high at the end", `a\ud83d`, "a\uFFFD"},
	{"a lone low", `a\ude00b`, "a\uFFFDb"},
	{"low before high", `\ude00\ud83d`, "\uFFFD\uFFFD"},
	{"two highs and a low", `\ud83d\ud83d\ude00`, "\uFFFD😀"},
	{"a high and a unit", `\ud83d\u0041`, "\uFFFDA"},
	{"a high and a short escape", `\ud83d\n`, "\uFFFD\n"},
	{"a high and its low as a byte sequence", `\ud83d` + "\xed\xb8\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
	{"text behind units", `\u0041bcdefghijklm`, "Abcdefghijklm"},
	{"characters", "é✅😀", "é✅😀"},
	{"characters and escapes", "é\\n✅\\t😀 and \\\"more\\\"", "é\n✅\t😀 and \"more\""},
	{"a stray continuation", "a\x80b", "a\uFFFDb"},
	{"two stray ones", "\x80\xbf", "\uFFFD\uFFFD"},
	{"a torn sequence of two", "\xc3a", "\uFFFDa"},
	{"a torn one of three, one byte", "\xe2a", "\uFFFDa"},
	{"a torn one of three, two bytes", "\xe2\x82a", "\uFFFDa"},
	{"a torn one of four, three bytes", "\xf0\x9f\x98a", "\uFFFDa"},
	{"a torn one at the end", "a\xf0\x9f\x98", "a\uFFFD"},
	{"torn ones in a row", "\xe2\x82\xe2\x82\xac", "\uFFFD€"},
	{"an encoded surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	{"overlong two", "\xc0\xaf", "\uFFFD\uFFFD"},
	{"overlong three", "\xe0\x80\xaf", "\uFFFD\uFFFD\uFFFD"},
	{"overlong four", "\xf0\x80\x80\xaf", "\uFFFD\uFFFD\uFFFD\uFFFD"},
	{"beyond U+10FFFF", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
	{"never bytes", "\xfe\xff\xf5", "\uFFFD\uFFFD\uFFFD"},
	{"the standard's own example", "\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"},
	{"bad bytes that grow", strings.Repeat("\xff", 40), strings.Repeat("\uFFFD", 40)},
	{"a sequence cut by an escape", "\xc3\\n\xa9", "\uFFFD\n\uFFFD"},
}

func TestAppendString(t *testing.T) {
	for _, tc := range textCases {
		t.Run(tc.name, func(t *testing.T) {
			if got := referenceText([]byte(tc.raw)); got != tc.want {
				t.Errorf("the reference gives %+q", got)
			}
			for _, room := range []int{0, 1, 7, 100} {
				dst := append(make([]byte, 0, 2+room), "> "...)
				if diff := cmp.Diff("> "+tc.want, string(AppendString(dst, []byte(tc.raw)))); diff != "" {
					t.Error(diff)
				}
			}
			// What stands around must not matter.
			for n := range 9 {
				pad := strings.Repeat("x", n)
				if got := string(AppendString(nil, []byte(pad+tc.raw+pad))); got != referenceText([]byte(pad+tc.raw+pad)) {
					t.Errorf("padded by %d: %+q", n, got)
				}
			}
			if !strings.Contains(tc.raw, `\`) {
				if diff := cmp.Diff("> "+tc.want, string(AppendValidUTF8([]byte("> "), []byte(tc.raw)))); diff != "" {
					t.Error("AppendValidUTF8", diff)
				}
			}
		})
	}
}

// Text that isn't JSON is nobody's case, but must not bring the process down.
func TestAppendStringOfUncheckedText(t *testing.T) {
	for _, raw := range []string{`\`, `a\`, `\x`, `\u`, `\u12`, `\u12G4`, `\ud83d\`, `\ud83d\u`, `\ud83d\u12`} {
		if got := AppendString(nil, []byte(raw)); !utf8.Valid(got) {
			t.Errorf("%q: %q", raw, got)
		}
		Sanitize(nil, []byte(raw))
	}
}

func TestAppendDelta(t *testing.T) {
	type piece struct {
		Text  string
		Carry uint16
	}
	for _, tc := range []struct {
		name string
		raws []string
		want []piece
	}{
		{"D01", []string{`a\ud83d`, `\ude00b`}, []piece{{"a", 0xD83D}, {"😀b", 0}}},
		{"nothing follows the high one", []string{`a\ud83d`, `b`}, []piece{{"a", 0xD83D}, {"\uFFFDb", 0}}},
		{"an escape follows it", []string{`\ud83d`, `\n`}, []piece{{"", 0xD83D}, {"\uFFFD\n", 0}}},
		{"another high one follows", []string{`\ud83d`, `\ud83c`, `\udf89`}, []piece{{"", 0xD83D}, {"\uFFFD", 0xD83C}, {"🎉", 0}}},
		{"an empty piece between", []string{`\ud83d`, ``, `\ude00`}, []piece{{"", 0xD83D}, {"", 0xD83D}, {"😀", 0}}},
		{"a low one first", []string{`\ude00`, `\ud83d`}, []piece{{"\uFFFD", 0}, {"", 0xD83D}}},
		{"a pair and a high one", []string{`\ud83d\ude00\ud83d`, `\ude00`}, []piece{{"😀", 0xD83D}, {"😀", 0}}},
		{"a high one not at the end", []string{`\ud83dx`}, []piece{{"\uFFFDx", 0}}},
		{"bytes don't join", []string{"\xf0\x9f", "\x98\x80"}, []piece{{"\uFFFD", 0}, {"\uFFFD\uFFFD", 0}}},
		{"an escaped backslash before u", []string{`\\ud83d`, `\\ude00`}, []piece{{`\ud83d`, 0}, {`\ude00`, 0}}},
		{"plain pieces", []string{`a`, `b`}, []piece{{"a", 0}, {"b", 0}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []piece
			var carry uint16
			for _, raw := range tc.raws {
				text := AppendDelta(nil, []byte(raw), &carry)
				got = append(got, piece{string(text), carry})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, tc := range []struct{ name, s, want string }{
		{"empty", "", `""`},
		{"plain", "abc", `"abc"`},
		{"quote and backslash", `say "a\b"`, `"say \"a\\b\""`},
		{"short forms", "\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"control characters", "\x00\x01\x0b\x1f\x7f", `"\u0000\u0001\u000b\u001f` + "\x7f" + `"`},
		{"no HTML, no line separators", "<&>\u2028\u2029/", "\"<&>\u2028\u2029/\""},
		{"characters", "é✅😀", `"é✅😀"`},
		{"bad UTF-8", "a\xe2\x82b\xff", "\"a\uFFFDb\uFFFD\""},
		{"eight and one", "12345678\"", `"12345678\""`},
		{"escapes that grow", strings.Repeat("\x01", 30), `"` + strings.Repeat(`\u0001`, 30) + `"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff("> "+tc.want, string(AppendQuoted([]byte("> "), []byte(tc.s)))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff("> "+tc.want, string(AppendQuotedString([]byte("> "), tc.s))); diff != "" {
				t.Error(diff)
			}
			for n := range 10 {
				s := strings.Repeat("x", n) + tc.s + "y"
				text := AppendQuotedString(nil, s)
				if got := string(AppendString(nil, text[1:len(text)-1])); !json.Valid(text) || got != strings.ToValidUTF8(s, "\uFFFD") && utf8.ValidString(s) {
					t.Errorf("%q comes back as %q", s, got)
				}
			}
		})
	}
}

func TestSanitize(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"a number", `5`, ""},
		{"clean", `{"a":"b\n\\ud83d","c":["\ud83d\ude00",null]}`, ""},
		{"clean characters", `["é✅😀"]`, ""},
		{"a lone high", `["\ud83d"]`, `["` + "\uFFFD" + `"]`},
		{"a lone low in a key", `{"\ude00":1}`, `{"` + "\uFFFD" + `":1}`},
		{"a high and a unit", `"\ud83d\u0041"`, `"` + "\uFFFD" + `\u0041"`},
		{"highs in a row", `"\ud83d\ud83d\ude00\ud83d"`, `"` + "\uFFFD" + `\ud83d\ude00` + "\uFFFD" + `"`},
		{"an escaped backslash and more", `"\\\ud83d\\"`, `"\\` + "\uFFFD" + `\\"`},
		{"bad UTF-8", "[\"a\xe2\x82\",\"\xff\"]", "[\"a\uFFFD\",\"\uFFFD\"]"},
		{"both", "[\"\xff\\ud83d\xff\"]", "[\"\uFFFD\uFFFD\uFFFD\"]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			raw := []byte(tc.raw)
			got := Sanitize(make([]byte, 0, 100), raw)
			if tc.want == "" {
				if &got[0] != &raw[0] || len(got) != len(raw) {
					t.Errorf("clean text was copied: %q", got)
				}
				return
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// wellFormed gives a random JSON string's inside, rich in halves and bad bytes.
func wellFormed(r *rand.Rand) []byte {
	parts := []string{`\ud83d`, `\ude00`, `\uD83D`, `\n`, `\"`, `\\`, `\u0041`, "u", "d83d", "abcdefgh", "é", "✅", "😀", "\xff", "\xe2", "\x82", "\xf0\x9f", "\x98\x80", "\xed\xa0", " "}
	var b []byte
	for range r.IntN(12) {
		b = append(b, parts[r.IntN(len(parts))]...)
	}
	return b
}

func TestTextAgainstTheReferences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var p fastjson.Parser
	for range 100_000 {
		raw := wellFormed(r)
		want := referenceText(raw)
		if got := string(AppendString(nil, raw)); got != want {
			t.Fatalf("%s: %+q, want %+q", show(raw), got, want)
		}
		text := append(append([]byte(`["`), raw...), `"]`...)
		clean := Sanitize(nil, text)
		v, err := p.ParseBytes(clean)
		if err != nil {
			t.Fatalf("%s: fastjson: %v", show(clean), err)
		}
		if got := string(v.GetStringBytes("0")); got != want {
			t.Fatalf("%s: fastjson reads %+q, want %+q", show(clean), got, want)
		}
		if !bytes.Equal(Sanitize(nil, clean), clean) {
			t.Fatalf("%s isn't clean", show(clean))
		}
		next := wellFormed(r)
		if len(raw) > 0 && len(next) > 0 {
			want := referenceText(raw, next)
			if got := deltaText(raw, next); got != want {
				t.Fatalf("%s, %s: %+q, want %+q", show(raw), show(next), got, want)
			}
		}
	}
}
