package watch

// block is one thing to read: a message, a tool call, a thought, a subagent with all it did, or a note that was whole
// from the start. It has a headline and parts below it.
type block struct {
	head  row
	parts []*part
	group bool // a subagent: its parts are blocks, and notes of its life

	parent  *block
	key     string // in the table that finds it
	settled bool   // of a call: its arguments are whole
	changes int    // of an activity
	ended   bool   // its producer closed it
	spilt   bool   // its beginning is on the screen for good

	cache      []row // of a finished block
	cacheWidth int
}

// part is text below a headline, with a word before it or none, or a block within a group.
type part struct {
	word  string
	style style
	text  flow
	inner *block
}

const (
	indent = "  "
	rail   = "| "
	// deepest bounds the rails that are drawn, so that nesting can't take the width away.
	deepest = 4
	// narrowest is the width below which nothing is wrapped here.
	narrowest = 24
)

// add begins a part.
func (b *block) add(word string, st style, text string) *part {
	p := &part{word: word, style: st}
	p.text.append(text)
	b.parts = append(b.parts, p)
	return p
}

// put places a block into a group.
func (b *block) put(inner *block) {
	inner.parent = b
	b.parts = append(b.parts, &part{inner: inner})
}

// done says whether nothing can change any more.
func (b *block) done() bool {
	if !b.ended {
		return false
	}
	for _, p := range b.parts {
		if p.inner != nil && !p.inner.done() {
			return false
		}
	}
	return true
}

// rows draws the block at a depth of groups; columns 0 is no limit.
func (b *block) rows(columns, depth int) []row {
	if b.cache != nil && b.cacheWidth == columns {
		return b.cache
	}
	rows := b.draw(nil, columns, depth)
	if b.done() {
		b.cache, b.cacheWidth = rows, columns
	}
	return rows
}

func (b *block) draw(rows []row, columns, depth int) []row {
	if !b.spilt {
		rows = paragraph(rows, b.head, columns, indent)
	}
	for _, p := range b.parts {
		if p.inner == nil {
			rows = p.draw(rows, columns)
			continue
		}
		rows = p.drawInner(rows, columns, depth)
	}
	return rows
}

// drawInner draws a block within a group, a rail before each row.
func (p *part) drawInner(rows []row, columns, depth int) []row {
	if depth >= deepest {
		return append(rows, p.inner.rows(columns, depth)...)
	}
	for _, r := range p.inner.rows(less(columns, len(indent+rail)), depth+1) {
		rows = append(rows, append(row{{text: indent}, {style: faint, text: rail}}, r...))
	}
	return rows
}

// less takes n columns off a limit.
func less(columns, n int) int {
	if columns <= 0 {
		return 0
	}
	return max(1, columns-n)
}

func (p *part) draw(rows []row, columns int) []row {
	if p.text.empty() && p.word == "" {
		return rows
	}
	word := p.word
	if word != "" && !p.text.empty() {
		word += " "
	}
	hang := indent
	for range len(word) {
		hang += " "
	}
	for i, c := range p.text.lines(less(columns, len(hang))) {
		text := span{p.style, p.text.line(c)}
		switch {
		case text.text == "" && (i > 0 || word == ""):
			rows = append(rows, row{}) // no blanks at a line's end
		case i > 0:
			rows = append(rows, row{{text: hang}, text})
		case word != "":
			rows = append(rows, row{{text: indent}, {style: faint, text: word}, text})
		default:
			rows = append(rows, row{{text: indent}, text})
		}
	}
	return rows
}
