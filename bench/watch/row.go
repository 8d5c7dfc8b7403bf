package watch

import "strings"

// style is how a piece of text looks where there is colour. Whatever it says is said in words too.
type style uint8

const (
	plain style = iota
	faint
	bold
	agentStyle
	userStyle
	toolStyle
	stateStyle
	groupStyle
	goodStyle
	warnStyle
	badStyle
	askStyle
)

// sgr are the parameters that select a style after a reset.
var sgr = [...]string{
	faint: "2", bold: "1", agentStyle: "1;36", userStyle: "1;34", toolStyle: "1;33", stateStyle: "32", groupStyle: "1;35",
	goodStyle: "1;32", warnStyle: "33", badStyle: "1;31", askStyle: "1;35",
}

// span is cleaned text in one style, row one line of them.
type (
	span struct {
		style style
		text  string
	}
	row []span
)

func (r row) width() int {
	n := 0
	for _, s := range r {
		n += width(s.text)
	}
	return n
}

// append adds the row's bytes, without a line end.
func (r row) append(dst []byte, color bool) []byte {
	for _, s := range r {
		if !color || s.style == plain || s.text == "" {
			dst = append(dst, s.text...)
			continue
		}
		dst = append(dst, "\x1b["...)
		dst = append(dst, sgr[s.style]...)
		dst = append(dst, 'm')
		dst = append(dst, s.text...)
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

// paragraph wraps spans that follow one another into rows; the second and later ones are indented.
func paragraph(dst []row, spans row, columns int, indent string) []row {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	text := b.String()
	first := wrapLine(nil, text, 0, len(text), columns, true)
	cuts := first[:1]
	if len(first) > 1 {
		rest := first[1].from
		cuts = wrapLine(cuts, text, rest, len(text), max(1, columns-len(indent)), true)
	}
	for i, c := range cuts {
		r := row{}
		if i > 0 {
			r = append(r, span{text: indent})
		}
		dst = append(dst, spans.slice(r, c))
	}
	return dst
}

// slice adds the spans' part that lies in c, an interval of their joined text.
func (r row) slice(dst row, c cut) row {
	at := 0
	for _, s := range r {
		from, to := max(c.from-at, 0), min(c.to-at, len(s.text))
		if from < to {
			dst = append(dst, span{s.style, s.text[from:to]})
		}
		at += len(s.text)
	}
	return dst
}
