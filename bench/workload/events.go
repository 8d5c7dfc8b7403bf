package workload

import "bytes"

// Events are the JSON texts of the frames of a body, in order. It reads the whole event stream
// grammar (all three line ends, comments, data over several lines, a byte-order mark), so recorded
// and mutated bodies will do too. Values on one line are lent from body.
func Events(body []byte) [][]byte {
	var events [][]byte
	for _, b := range blocks(body) {
		if b.hasData {
			events = append(events, b.data)
		}
	}
	return events
}

// block is a run of lines up to its blank line, which is where it can be cut out or replaced.
type block struct {
	start, end int // in the body, blank line included
	data       []byte
	hasData    bool
}

var byteOrderMark = []byte("\ufeff")

func blocks(body []byte) []block {
	var list []block
	var b block
	lines := 0
	at := 0
	if bytes.HasPrefix(body, byteOrderMark) {
		at = len(byteOrderMark)
		b.start = at
	}
	for at < len(body) {
		line, next := cutLine(body, at)
		at = next
		if len(line) > 0 {
			b.line(line)
			lines++
			continue
		}
		if lines > 0 {
			b.end = at
			list = append(list, b)
		}
		b, lines = block{start: at}, 0
	}
	if lines > 0 {
		b.end = len(body)
		list = append(list, b)
	}
	return list
}

func cutLine(body []byte, at int) (line []byte, next int) {
	n := bytes.IndexAny(body[at:], "\r\n")
	if n < 0 {
		return body[at:], len(body)
	}
	next = at + n + 1
	if body[at+n] == '\r' && next < len(body) && body[next] == '\n' {
		next++
	}
	return body[at : at+n], next
}

func (b *block) line(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) != "data" {
		return
	}
	value = bytes.TrimPrefix(value, []byte(" "))
	if !b.hasData {
		b.hasData, b.data = true, value
		return
	}
	b.data = bytes.Join([][]byte{b.data, value}, []byte{'\n'})
}
