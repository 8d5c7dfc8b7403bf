package watch

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/aguistream/aguistream/engine"
)

// inOrder prints each thing when it comes and never takes anything back. A headline says whose text follows, and comes
// again when another's came between.
type inOrder struct {
	mem     *memory
	screen  *screen
	columns func() int

	now     string // whose text the cursor stands in
	started map[string]bool
	text    cleaner
	style   style
	col     int
	begun   bool   // text has been written under the headline
	held    string // the end of a delta, which the next one may join
	lines   int    // line feeds that wait for text
}

func newInOrder(mem *memory, s *screen, columns func() int) *inOrder {
	return &inOrder{mem: mem, screen: s, columns: columns, started: map[string]bool{}}
}

func (o *inOrder) update(u engine.Update) {
	o.screen.buf = o.screen.buf[:0]
	switch u := u.(type) {
	case *engine.MessageUpdate:
		o.message(u)
	case *engine.MessagesUpdate:
		o.print(o.mem.messagesNote(u.Messages))
	case *engine.StateUpdate[engine.Raw]:
		o.print(o.mem.stateNote(u.State))
	case *engine.ReasoningUpdate:
		o.reasoning(u)
	case *engine.InterruptUpdate:
		in := u.Interrupt
		o.print(interruptNote(in, o.mem.who(in.SubagentRunID.Value, in.SubagentRunID.Present)))
	case *engine.SubagentUpdate:
		o.subagent(u)
	case *engine.ErrorUpdate:
		o.print(errorNote(u.Err))
	case *engine.Done:
		o.print(doneNote(&u.End, func(id string) string { return o.mem.names[id] }))
	}
	o.screen.write()
}

func (o *inOrder) note(b *block) {
	o.screen.buf = o.screen.buf[:0]
	o.print(b)
	o.screen.write()
}

func (o *inOrder) close() {
	o.screen.buf = o.screen.buf[:0]
	o.leave()
	o.screen.write()
}

// print prints a block that is whole.
func (o *inOrder) print(b *block) {
	o.leave()
	for _, r := range b.rows(o.columns(), 0) {
		o.screen.buf = append(r.append(o.screen.buf, o.screen.color), '\n')
	}
}

// leave ends the text that the cursor stands in.
func (o *inOrder) leave() {
	if o.now == "" {
		return
	}
	var rest strings.Builder
	o.text.flush(&rest)
	o.write(o.held+rest.String(), true)
	if o.begun {
		o.screen.buf = append(o.screen.buf, '\n')
	}
	o.now, o.held, o.col, o.lines, o.begun = "", "", 0, 0, false
}

// enter makes sure that the cursor stands in the text of key, under its headline.
func (o *inOrder) enter(key string, st style, head row) {
	if o.now == key {
		return
	}
	if o.started[key] {
		head = append(head[:len(head):len(head)], span{faint, " goes on"})
	}
	o.print(&block{head: head})
	o.now, o.style, o.started[key] = key, st, true
}

// end tells that something is whole; where it was the last to speak, the line's end tells.
func (o *inOrder) end(key string, head row, word string) {
	delete(o.started, key)
	if o.now == key {
		o.leave()
		return
	}
	o.print(&block{head: append(head[:len(head):len(head)], span{faint, word})})
}

// say writes a delta.
func (o *inOrder) say(delta string) {
	var b strings.Builder
	o.text.append(&b, delta)
	o.write(o.held+b.String(), false)
}

// write wraps and writes cleaned text. Unless it is the last, a character at its end that the next delta may add to is
// held back.
func (o *inOrder) write(s string, last bool) {
	o.held = ""
	columns := o.columns()
	colored := o.screen.color && o.style != plain && s != ""
	if colored {
		o.screen.buf = append(append(append(o.screen.buf, "\x1b["...), sgr[o.style]...), 'm')
	}
	for s != "" {
		if s[0] == '\n' {
			o.lines++
			s = s[1:]
			continue
		}
		end := strings.IndexAny(s, " \n")
		blank := end == 0
		if blank {
			end = 1
		} else if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		if s == "" && !last && !blank {
			keep := openEnd(word)
			o.held = word[keep:]
			word = word[:keep]
		}
		o.word(word, columns, blank)
	}
	if colored {
		o.screen.buf = append(o.screen.buf, "\x1b[m"...)
	}
}

// word writes what has no line feed in it, a blank or a word.
func (o *inOrder) word(word string, columns int, blank bool) {
	if word == "" {
		return
	}
	if o.begun {
		for ; o.lines > 0; o.lines-- {
			o.newLine(o.lines == 1)
		}
	} else {
		o.lines = 0
		o.screen.buf = append(o.screen.buf, indent...)
		o.col, o.begun = len(indent), true
	}
	w := width(word)
	if columns > 0 && o.col+w > columns && o.col > len(indent) && (blank || len(indent)+w <= columns) {
		o.newLine(true)
		if blank {
			return
		}
	}
	if columns == 0 || o.col+w <= columns {
		o.screen.buf = append(o.screen.buf, word...)
		o.col += w
		return
	}
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		if c := g.Width(); o.col+c > columns && o.col > len(indent) {
			o.newLine(true)
		}
		o.screen.buf = append(o.screen.buf, g.Value()...)
		o.col += g.Width()
	}
}

func (o *inOrder) newLine(indented bool) {
	o.screen.buf = append(o.screen.buf, '\n')
	o.col = 0
	if indented {
		o.screen.buf = append(o.screen.buf, indent...)
		o.col = len(indent)
	}
}

// openEnd is where the last character of a word begins if more may join it: an emoji sequence, a flag. What only takes
// marks isn't held back, since they have no width.
func openEnd(word string) int {
	at, from, wide := 0, 0, 0
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		from, wide = at, g.Width()
		at += len(g.Value())
	}
	if wide < 2 && !strings.HasSuffix(word, "\u200d") || isIdeograph(word[from:]) {
		return len(word)
	}
	return from
}
