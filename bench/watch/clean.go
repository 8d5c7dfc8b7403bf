package watch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostMarks is how many combining marks and joiners may follow one another. Scripts need a few; piles of them are there
// to spill over other lines.
const mostMarks = 8

// cleaner makes text harmless to a terminal. It remembers what the end of one delta means for the next.
type cleaner struct {
	cr    bool // a carriage return came last: it is a line end if a line feed follows
	marks int
}

// append adds a piece of text. Line feeds stay; all else that isn't drawn, or that would move, colour, hide or reorder
// what is drawn, is shown: C0 and DEL as control pictures, the rest by number.
func (c *cleaner) append(b *strings.Builder, s string) {
	if !c.cr && isPlain(s) {
		if s != "" {
			c.marks = 0
		}
		b.WriteString(s)
		return
	}
	for _, r := range s { // invalid UTF-8 comes as U+FFFD
		if c.cr && r != '\n' {
			b.WriteRune(picture('\r'))
		}
		if c.cr = r == '\r'; !c.cr {
			c.rune(b, r)
		}
	}
}

// flush ends the text.
func (c *cleaner) flush(b *strings.Builder) {
	if c.cr {
		b.WriteRune(picture('\r'))
	}
	*c = cleaner{}
}

func (c *cleaner) rune(b *strings.Builder, r rune) {
	if joins(r) {
		if c.marks++; c.marks > mostMarks {
			fmt.Fprintf(b, "<U+%04X>", r)
			return
		}
		b.WriteRune(r)
		return
	}
	c.marks = 0
	switch {
	case r == '\t':
		b.WriteString("    ") // no stops: a column would be needed, and text is wrapped anew at each width
	case r == '\n' || r >= ' ' && r < 0x7f:
		b.WriteRune(r)
	case r < ' ' || r == 0x7f:
		b.WriteRune(picture(r))
	case hides(r):
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && (c < ' ' || c >= 0x7f) {
			return false
		}
	}
	return true
}

// picture is the sign of a C0 control or DEL.
func picture(r rune) rune {
	if r == 0x7f {
		return '\u2421'
	}
	return '\u2400' + r
}

// joins says whether a rune adds to the one before it.
func joins(r rune) bool {
	return r == '\u200c' || r == '\u200d' || r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc)
}

// hides says whether a rune shows nothing or changes how others are shown: C1 controls, direction marks, overrides and
// isolates, zero-width blanks, tags (which can smuggle text), line and paragraph separators, what Unicode has not given
// out. The joiners that scripts and emoji need are not among them.
func hides(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0:
		return true
	case r == 0xad, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0: // soft hyphen, Hangul fillers
		return true
	}
	return !unicode.IsGraphic(r)
}

// clean is a whole text, made harmless; its lines stay lines.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	var c cleaner
	c.append(&b, s)
	c.flush(&b)
	return b.String()
}

// label is a text made harmless for a place where only one line is wanted: names, ids, codes.
func label(s string) string { return strings.ReplaceAll(clean(s), "\n", "\u240a") }

// clip shortens a cleaned line to about so many columns.
func clip(s string, columns int) string {
	if len(s) <= columns {
		return s
	}
	cuts := wrapLine(nil, s, 0, len(s), columns, false)
	if len(cuts) == 1 {
		return s
	}
	return s[:cuts[0].to] + "..."
}

// head is the beginning of a text that may be long, whole runes only, so that little is cleaned of what is clipped.
func head(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}
