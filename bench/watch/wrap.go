package watch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// cut is one line of a wrapped text: text[from:to].
type cut struct{ from, to int }

// width is how many columns a cleaned line takes.
func width(s string) int { return displaywidth.String(s) }

// wrapLine cuts s[from:to], which holds no line feed, into lines of at most columns; 0 is no limit. It breaks at blanks
// (which it drops there) and beside wide characters, if no punctuation is torn off, and within a word only when that is longer than a line, or when
// words don't matter. A character is never broken, so one that is wider than a line stands alone on one.
func wrapLine(dst []cut, s string, from, to, columns int, words bool) []cut {
	if columns <= 0 || to-from <= columns { // nothing is wider than it has bytes
		return append(dst, cut{from, to})
	}
	start, col := from, 0  // of the line
	gap, gapCol := from, 0 // the line's last place to break: where the next would begin
	dropping := false      // blanks that follow a break
	before := ""           // the wide character that came last, if one did
	at := from
	for g := displaywidth.StringGraphemes(s[from:to]); g.Next(); {
		c, w := g.Value(), g.Width()
		next := at + len(c)
		blank := c == " "
		if dropping && blank {
			start, gap, at = next, next, next
			continue
		}
		dropping = false
		if words && (w == 2 || before != "") && !blank && !closes(c) && !opens(before) {
			gap, gapCol = at, col
		}
		before = ""
		if w == 2 {
			before = c
		}
		if col+w > columns && at > start {
			switch {
			case blank && words:
				dst = append(dst, cut{start, trimmed(s, start, at)})
				start, gap, col, dropping = next, next, 0, true
				at = next
				continue
			case words && gap > start && gap <= at && trimmed(s, start, gap) > start:
				dst = append(dst, cut{start, trimmed(s, start, gap)})
				start, col = gap, col-gapCol
			default:
				dst = append(dst, cut{start, at})
				start, col = at, 0
			}
			gap, gapCol = start, 0
		}
		col += w
		at = next
		if blank {
			gap, gapCol = at, col
		}
	}
	if dropping && start == to && len(dst) > 0 { // only blanks were left
		return dst
	}
	return append(dst, cut{start, to})
}

// closes says whether a character belongs to what stands before it, opens whether to what follows.
func closes(c string) bool { return in(c, unicode.Pe, unicode.Pf, unicode.Po, unicode.Pd) }
func opens(c string) bool  { return in(c, unicode.Ps, unicode.Pi) }

func in(c string, ranges ...*unicode.RangeTable) bool {
	r, n := utf8.DecodeRuneInString(c)
	return n > 0 && unicode.In(r, ranges...)
}

// trimmed is where s[from:to] ends without the blanks at its end.
func trimmed(s string, from, to int) int { return from + len(strings.TrimRight(s[from:to], " ")) }

// stillOpen are the last lines of a text that more text may wrap anew; those before them stand.
const stillOpen = 2

// flow is a cleaned text that grows, and its lines at the width asked for last: growth costs what is new and the last
// lines, not the whole.
type flow struct {
	b     strings.Builder
	clean cleaner
	from  int // what comes before is on the screen for good

	columns int
	cuts    []cut
	kept    int // lines that stand
	whole   int // where what follows them begins
}

// append adds text. Empty lines at the start are dropped.
func (f *flow) append(s string) {
	if f.b.Len() == 0 {
		s = strings.TrimLeft(s, "\r\n")
	}
	f.clean.append(&f.b, s)
}

func (f *flow) empty() bool { return f.b.Len() == 0 }

func (f *flow) line(c cut) string { return f.b.String()[c.from:c.to] }

// lines are the lines at this width, lent until the next call.
func (f *flow) lines(columns int) []cut {
	if f.columns != columns {
		f.columns, f.cuts, f.whole, f.kept = columns, f.cuts[:0], f.from, 0
	}
	s := f.b.String()
	f.cuts = f.cuts[:f.kept]
	for {
		n := strings.IndexByte(s[f.whole:], '\n')
		if n < 0 {
			break
		}
		f.cuts = wrapLine(f.cuts, s, f.whole, f.whole+n, columns, true)
		f.whole += n + 1
		f.kept = len(f.cuts)
	}
	f.cuts = wrapLine(f.cuts, s, f.whole, len(s), columns, true)
	if n := len(f.cuts) - stillOpen; n > f.kept {
		f.kept, f.whole = n, f.cuts[n].from
	}
	cuts := f.cuts
	for len(cuts) > 1 && cuts[len(cuts)-1].from == cuts[len(cuts)-1].to { // empty lines at the end wait for more
		cuts = cuts[:len(cuts)-1]
	}
	return cuts
}

// leave gives up the first n of the lines that lines returned, fewer than all: they are on the screen for good.
func (f *flow) leave(n int) {
	f.from = f.cuts[n].from
	f.cuts = f.cuts[n:]
	f.kept = max(0, f.kept-n)
	f.whole = max(f.whole, f.from)
}
