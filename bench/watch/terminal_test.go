package watch

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// terminal is as much of one as a View needs. It fails the test on any escape sequence that a View has no business to
// send, and on a control other than CR and LF.
type terminal struct {
	t             *testing.T
	columns, rows int
	lines         []line // scrollback and screen
	top           int    // the screen's first line
	y, x          int    // the cursor, y from the first of lines
	wrap          bool
}

// line is one row, a cell a column; the second cell of a wide character is empty. soft: the next row continues it.
type line struct {
	cells []string
	soft  bool
}

func newTerminal(t *testing.T, columns, rows int) *terminal {
	return &terminal{t: t, columns: columns, rows: rows, lines: make([]line, 1), wrap: true}
}

func (s *terminal) size() (int, int) { return s.columns, s.rows }

func (s *terminal) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b["):
			text = s.sequence(text[2:])
		case text[0] == '\n':
			s.x = 0 // as a terminal driver that maps LF to CR LF
			s.feed()
			text = text[1:]
		case text[0] == '\r':
			s.x = 0
			text = text[1:]
		default:
			end := strings.IndexAny(text, "\x1b\r\n")
			if end < 0 {
				end = len(text)
			}
			s.put(text[:end])
			text = text[end:]
		}
	}
	if !s.wrap {
		s.t.Errorf("wrapping is left off after %q", p)
	}
	return len(p), nil
}

func (s *terminal) sequence(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		s.t.Fatalf("torn sequence %q", text)
	}
	par, final := text[:end], text[end]
	switch {
	case final == 'm':
	case final == 'K' && par == "":
		l := &s.lines[s.y]
		l.cells, l.soft = l.cells[:min(s.x, len(l.cells))], false
	case final == 'J' && par == "":
		l := &s.lines[s.y]
		l.cells, l.soft = l.cells[:min(s.x, len(l.cells))], false
		s.lines = s.lines[:s.y+1]
	case final == 'A':
		n, err := strconv.Atoi(par)
		if err != nil || n < 1 {
			s.t.Fatalf("sequence %q", par)
		}
		s.y = max(s.top, s.y-n)
	case par == "?7" && (final == 'h' || final == 'l'):
		s.wrap = final == 'h'
	default:
		s.t.Fatalf("sequence ESC [ %s %c", par, final)
	}
	return text[end+1:]
}

func (s *terminal) feed() {
	if s.y++; s.y == len(s.lines) {
		s.lines = append(s.lines, line{})
	}
	s.top = max(s.top, s.y-s.rows+1)
}

func (s *terminal) put(text string) {
	for _, r := range text {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			s.t.Errorf("control %q reached the terminal", r)
		}
	}
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		w := g.Width()
		if w == 0 {
			if s.x > 0 {
				s.lines[s.y].cells[s.x-1] += g.Value()
			}
			continue
		}
		if s.x+w > s.columns {
			if !s.wrap {
				s.x = s.columns - w
			} else {
				s.lines[s.y].soft = true
				s.x = 0
				s.feed()
			}
		}
		l := &s.lines[s.y]
		for len(l.cells) < s.x+w {
			l.cells = append(l.cells, " ")
		}
		l.cells[s.x] = g.Value()
		if w == 2 {
			l.cells[s.x+1] = ""
		}
		s.x += w
	}
}

// resize does what most terminals do: long rows are wrapped anew, and the cursor stays with its text.
func (s *terminal) resize(columns, rows int) {
	var lines []line
	for y := 0; y < len(s.lines); y++ {
		if y == s.y {
			s.y = len(lines) // the cursor stands at a line's start here
		}
		cells := s.lines[y].cells
		for s.lines[y].soft {
			y++
			cells = append(slices.Clip(cells), s.lines[y].cells...)
		}
		for len(cells) > columns {
			lines = append(lines, line{cells[:columns:columns], true})
			cells = cells[columns:]
		}
		lines = append(lines, line{cells: cells})
	}
	s.lines, s.columns, s.rows = lines, columns, rows
	s.top = max(0, s.y-rows+1)
}

func (s *terminal) text(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(strings.Join(l.cells, ""), " "))
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// screen is what is seen, all what is seen and what scrolled off.
func (s *terminal) screen() string { return s.text(s.lines[s.top:]) }
func (s *terminal) all() string    { return s.text(s.lines) }

// widest is the most columns that any line takes.
func widest(text string) int {
	most := 0
	for l := range strings.SplitSeq(text, "\n") {
		most = max(most, width(l))
	}
	return most
}
