package watch

import "slices"

// region is the part of the screen that is drawn again: the blocks that are open, in at most so many rows. When they
// need more, a message or thought that began first lets its beginning go to the screen for good, and grows there like
// any other output; what else is too long shows its headline and its end until it is done.
func (g *grouped) region(columns, most int) []row {
	if most < 1 {
		return nil
	}
	shown, waiting := g.shown(columns)
	need := 0
	for _, b := range shown {
		need += len(b.rows)
	}
	if waiting > 0 {
		most--
	}
	if need > most {
		need -= g.spill(shown, columns, need-most)
	}
	var rows []row
	if need <= most {
		for _, b := range shown {
			rows = append(rows, b.rows...)
		}
	} else {
		rows = squeeze(shown, columns, most)
	}
	if waiting > 0 {
		rows = append(rows, row{{faint, clip("... "+count(waiting, "block")+" done, waiting", columns-4)}})
	}
	return rows
}

// drawn is a block and its rows.
type drawn struct {
	*block
	rows []row
}

// shown are the blocks that aren't done, first the one whose beginning is on the screen for good, and how many are done
// but have to wait for it.
func (g *grouped) shown(columns int) (open []drawn, waiting int) {
	for _, b := range g.open {
		switch {
		case b.done():
			waiting++
		case b.spilt:
			open = slices.Insert(open, 0, drawn{b, b.rows(columns, 0)})
		default:
			open = append(open, drawn{b, b.rows(columns, 0)})
		}
	}
	return open, waiting
}

// spillable says whether a block only grows at its end: a message or a thought by itself.
func (b *block) spillable() bool {
	return len(b.parts) == 1 && b.parts[0].inner == nil && b.key != "" && (b.key[:1] == messageKey || b.key[:1] == thoughtKey)
}

// spill gives up n rows, or as many as it can, of the beginning of the first block that allows it, and puts that one
// first. It says how many.
func (g *grouped) spill(shown []drawn, columns, n int) int {
	at := slices.IndexFunc(shown, func(b drawn) bool { return b.spillable() })
	if at < 0 || shown[0].spilt && at != 0 {
		return 0
	}
	b := shown[at]
	n = min(n, len(b.rows)-stillOpen)
	heads := len(b.rows) - len(b.parts[0].draw(nil, columns))
	if n <= heads {
		return 0
	}
	g.ready = append(g.ready, b.rows[:n]...)
	b.parts[0].text.leave(n - heads)
	b.spilt = true
	b.rows = b.rows[n:]
	copy(shown[1:at+1], shown[:at])
	shown[0] = b
	return n
}

// squeeze draws blocks in fewer rows than they need, a fair share each; the eldest ones are left out where there isn't
// room for a headline and a row of each.
func squeeze(blocks []drawn, columns, most int) []row {
	var rows []row
	if len(blocks) > most/2 {
		fit := max(1, (most-1)/2)
		left := len(blocks) - fit
		if most > 1 && left > 0 {
			rows = append(rows, row{{faint, clip("... "+count(left, "more block")+" open", columns-4)}})
			most--
		}
		blocks = blocks[left:]
	}
	needs := make([]int, len(blocks))
	for i, b := range blocks {
		needs[i] = len(b.rows)
	}
	for i, share := range shares(needs, most) {
		rows = append(rows, shorten(blocks[i].rows, share)...)
	}
	return rows
}

// shares divides rows among blocks: none gets more than it needs, and what one leaves is for the others.
func shares(needs []int, rows int) []int {
	out := make([]int, len(needs))
	left := len(needs)
	for served := true; served && left > 0; {
		served = false
		share := rows / left
		for i, n := range needs {
			if out[i] == 0 && n > 0 && n <= share {
				out[i], rows, left, served = n, rows-n, left-1, true
			}
		}
	}
	for i, n := range needs {
		if out[i] == 0 && n > 0 {
			out[i] = rows / left
			rows, left = rows-out[i], left-1
		}
	}
	return out
}

// shorten keeps the headline and the end.
func shorten(rows []row, most int) []row {
	if len(rows) <= most {
		return rows
	}
	if most <= 1 {
		return rows[:max(0, most)]
	}
	out := append([]row{}, rows[0])
	if most > 2 {
		out = append(out, row{{text: indent}, {faint, "... " + count(len(rows)-most+1, "row")}})
	}
	return append(out, rows[len(rows)-(most-len(out)):]...)
}
