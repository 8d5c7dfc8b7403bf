package watch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(s string, cuts []cut) []string {
	var out []string
	for _, c := range cuts {
		out = append(out, s[c.from:c.to])
	}
	return out
}

func TestWrap(t *testing.T) {
	cases := []struct {
		name    string
		text    string
		columns int
		want    []string
	}{
		{"nothing", "", 10, []string{""}},
		{"short", "one two", 10, []string{"one two"}},
		{"at the width", "0123456789", 10, []string{"0123456789"}},
		{"at a blank", "one two three", 8, []string{"one two", "three"}},
		{"a blank that doesn't fit is dropped", "12345678 9", 8, []string{"12345678", "9"}},
		{"blanks behind it too", "12345678   9", 8, []string{"12345678", "9"}},
		{"blanks at the end", "12345678   ", 8, []string{"12345678"}},
		{"a word longer than a line", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a long word after a short one", "ab cdefghij", 4, []string{"ab", "cdef", "ghij"}},
		{"blanks at the start stay", "    code here", 10, []string{"    code", "here"}},
		{"blanks at the start, and a long word", "   abcdefgh", 6, []string{"   abc", "defgh"}},
		{"wide characters", "世界你好吗", 4, []string{"世界", "你好", "吗"}},
		{"a wide one that would straddle the edge", "世界你好", 5, []string{"世界", "你好"}},
		{"wide after narrow", "abc世界", 4, []string{"abc", "世界"}},
		{"narrow after wide stays together", "世界abc", 5, []string{"世界", "abc"}},
		{"a stop stays with its word", "世界你好。吗", 8, []string{"世界你", "好。吗"}},
		{"a bracket too", "世界你「好」", 8, []string{"世界你", "「好」"}},
		{"narrow punctuation too", `"世界你","好"`, 7, []string{`"世界`, `你","`, `好"`}},
		{"combining marks take no room", strings.Repeat("e\u0301", 5), 5, []string{strings.Repeat("e\u0301", 5)}},
		{"a mark stays with its letter", strings.Repeat("e\u0301", 6), 5, []string{strings.Repeat("e\u0301", 5), "e\u0301"}},
		{"an emoji family is one character", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5, []string{"👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"}},
		{"flags", "🇮🇸🇫🇷🇯🇵", 4, []string{"🇮🇸🇫🇷", "🇯🇵"}},
		{"a wide one in one column", "世界", 1, []string{"世", "界"}},
		{"no limit", "one two three", 0, []string{"one two three"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := lines(c.text, wrapLine(nil, c.text, 0, len(c.text), c.columns, true))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// A text that comes in pieces has the lines of the same text at once, also after its beginning was given up.
func TestFlowGrowsAsItWouldAtOnce(t *testing.T) {
	text := "The quick brown 狐狸 jumps\nover\n\nthe lazy 🐕‍🦺 dog, twice: e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301 and  so on"
	for columns := 1; columns < 30; columns++ {
		var whole flow
		whole.append(text)
		want := lines(whole.b.String(), whole.lines(columns))

		var grown flow
		var left []string
		for _, r := range text {
			grown.append(string(r))
			cuts := grown.lines(columns)
			if n := len(cuts) - stillOpen; n > 0 && len(left)%2 == 0 {
				left = append(left, lines(grown.b.String(), cuts[:n])...)
				grown.leave(n)
			}
		}
		got := append(left, lines(grown.b.String(), grown.lines(columns))...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d columns (-at once +grown):\n%s", columns, diff)
		}
	}
}

func TestClean(t *testing.T) {
	cases := []struct {
		name   string
		deltas []string
		want   string
	}{
		{"plain", []string{"a b"}, "a b"},
		{"line ends", []string{"a\nb\r\nc"}, "a\nb\nc"},
		{"a line end in two deltas", []string{"a\r", "\nb"}, "a\nb"},
		{"a carriage return alone", []string{"a\rb"}, "a␍b"},
		{"at the end", []string{"a\r"}, "a␍"},
		{"tab", []string{"a\tb"}, "a    b"},
		{"colour", []string{"\x1b[31mred\x1b[0m"}, "␛[31mred␛[0m"},
		{"title", []string{"\x1b]0;mine\x07"}, "␛]0;mine␇"},
		{"an escape in two deltas", []string{"\x1b", "[2J"}, "␛[2J"},
		{"C0", []string{"\x00\x08\x0b\x0c\x1f"}, "␀␈␋␌␟"},
		{"DEL", []string{"\x7f"}, "␡"},
		{"C1", []string{"\u009b31m\u0085"}, "<U+009B>31m<U+0085>"},
		{"override", []string{"a\u202egnp.exe\u202c"}, "a<U+202E>gnp.exe<U+202C>"},
		{"isolates and marks", []string{"\u2066\u2067\u2068\u2069\u200e\u200f\u061c"}, "<U+2066><U+2067><U+2068><U+2069><U+200E><U+200F><U+061C>"},
		{"separators", []string{"\u2028\u2029"}, "<U+2028><U+2029>"},
		{"zero width", []string{"\u200b\ufeff\u2060\u00ad"}, "<U+200B><U+FEFF><U+2060><U+00AD>"},
		{"tags", []string{"\U000e0041"}, "<U+E0041>"},
		{"what emoji and scripts need stays", []string{"👩‍🚀 ❤️ क्ष می\u200cخواهم"}, "👩‍🚀 ❤️ क्ष می\u200cخواهم"},
		{"a pile of marks", []string{"a" + strings.Repeat("\u0301", 10)}, "a" + strings.Repeat("\u0301", 8) + "<U+0301><U+0301>"},
		{"a pile in pieces", []string{"a" + strings.Repeat("\u0301", 8), "\u0301"}, "a" + strings.Repeat("\u0301", 8) + "<U+0301>"},
		{"bytes that are no UTF-8", []string{"a\xffb"}, "a\ufffdb"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			var clean cleaner
			for _, d := range c.deltas {
				clean.append(&b, d)
			}
			clean.flush(&b)
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
