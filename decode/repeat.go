package decode

import (
	"bytes"
	"math/bits"
)

// Repeat recognises frames that equal an earlier one but for the value of one string member, as those of a streamed text
// do in their delta. What is the same bytes is the same JSON, so only the string is scanned; nothing is believed that
// Event.Decode has not checked. The zero value matches nothing until Learn.
type Repeat struct {
	head []byte // the frame up to the string's first byte
	tail []byte // from its closing quote to the end, and the frame's two line ends
}

// Learn takes a frame that ev has decoded as the pattern, with f as the member that varies. It is false, and the pattern
// as before, when f is not a string or the frame is one whose bytes mean something else on a line (a line end inside).
func (r *Repeat) Learn(ev *Event, f Field) bool {
	if ev.Kind(f) != String {
		return false
	}
	s := ev.spans[f]
	head, tail := ev.Frame[:s.start+1], ev.Frame[s.end-1:]
	if bytes.ContainsAny(head, "\r\n") || bytes.ContainsAny(tail, "\r\n") {
		return false
	}
	r.head = append(r.head[:0], head...)
	r.tail = append(append(r.tail[:0], tail...), "\n\n"...)
	return true
}

// Only tells whether the event has no members but those of set: unknown ones neither.
func (ev *Event) Only(set FieldSet) bool { return ev.present&^set == 0 && len(ev.unknown) == 0 }

// Match tells whether rest, which begins where a frame may (see Framer.Rest), begins with a whole frame of the pattern on
// one data line. It gives the string's text between the quotes, whether that is plain (see Event.IsPlain), and the frame's
// length with its line ends; 0 when it is no match, which says nothing about the frame.
func (r *Repeat) Match(rest []byte) (text []byte, plain bool, n int) {
	i := 6
	if len(rest) < i+len(r.head)+len(r.tail) || len(r.tail) == 0 || string(rest[:5]) != "data:" {
		return nil, false, 0
	}
	if rest[5] != ' ' {
		i = 5
	}
	if string(rest[i:i+len(r.head)]) != string(r.head) {
		return nil, false, 0
	}
	i += len(r.head)
	w := load(rest, i)
	m := stops(w)
	end := i + bits.TrailingZeros64(m)>>3
	if m != 0 && end < len(rest) && rest[end] == '"' {
		plain = w&(m&-m-1)&highs == 0
	} else {
		var found uint
		if end, found = scanString(rest, i); end < 0 {
			return nil, false, 0
		}
		plain = found == 0
	}
	if len(rest)-end < len(r.tail) || string(rest[end:end+len(r.tail)]) != string(r.tail) {
		return nil, false, 0
	}
	return rest[i:end], plain, end + len(r.tail)
}

// Rest gives the unread part of the chunk, and its offset in the stream, when a frame may begin right there and nothing
// pends; else nil. Pass takes bytes of it as read.
func (f *Framer) Rest() ([]byte, int64) {
	if !f.quiet {
		return nil, 0
	}
	return f.in[f.pos:], f.base + int64(f.pos)
}

// Pass takes the first n bytes of Rest, whole frames on one line each, as read.
func (f *Framer) Pass(n int) {
	f.pos += n
	f.lastName = f.lastName[:0]
}
