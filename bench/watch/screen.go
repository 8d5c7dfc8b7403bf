package watch

import (
	"io"
	"strconv"
)

// screen prints rows for good and keeps a region below them that is drawn again. Between two calls the cursor stands on
// the line below the region and nothing is switched on or off, so that whatever ends the program leaves a terminal in
// order.
type screen struct {
	w     io.Writer
	color bool
	buf   []byte

	drawn   []int // the width of each row of the region
	columns int   // when it was drawn
	err     error
}

const (
	wrapOff   = "\x1b[?7l" // a row that the terminal finds wider than we do must not become two
	wrapOn    = "\x1b[?7h"
	eraseLine = "\x1b[K"
	eraseDown = "\x1b[J"
)

// print writes rows where nothing is drawn again.
func (s *screen) print(rows []row) {
	s.buf = s.buf[:0]
	for _, r := range rows {
		s.buf = append(r.append(s.buf, s.color), '\n')
	}
	s.write()
}

// frame prints rows for good where the region began, and draws the region below them, in one write.
func (s *screen) frame(ready, region []row, columns int) {
	if len(ready) == 0 && len(region) == 0 && len(s.drawn) == 0 {
		return
	}
	s.buf = append(s.buf[:0], '\r')
	if up := s.taken(columns); up > 0 {
		s.buf = append(s.buf, "\x1b["...)
		s.buf = strconv.AppendInt(s.buf, int64(up), 10)
		s.buf = append(s.buf, 'A')
	}
	for _, r := range ready {
		s.line(r)
	}
	s.drawn, s.columns = s.drawn[:0], columns
	if len(region) > 0 {
		s.buf = append(s.buf, wrapOff...)
		for _, r := range region {
			s.line(r)
			s.drawn = append(s.drawn, r.width())
		}
		s.buf = append(s.buf, wrapOn...)
	}
	// Not before the rows: where that would erase a whole screen, some terminals scroll it off instead.
	s.buf = append(s.buf, eraseDown...)
	s.write()
}

// line writes a row over what was there. It is erased before, from its first column on: terminals take a line that is
// erased whole for empty when they wrap anew, but one erased from the middle for as long as it ever was.
func (s *screen) line(r row) {
	s.buf = append(s.buf, eraseLine...)
	s.buf = append(r.append(s.buf, s.color), "\r\n"...)
}

// taken is how many lines the region takes now. A terminal that became narrower has wrapped the rows that no longer
// fitted, as nearly all do.
func (s *screen) taken(columns int) int {
	n := 0
	for _, w := range s.drawn {
		n++
		if columns > 0 && columns < s.columns {
			n += max(0, w-1) / columns
		}
	}
	return n
}

func (s *screen) write() {
	if s.err != nil || len(s.buf) == 0 {
		return
	}
	_, s.err = s.w.Write(s.buf)
}
