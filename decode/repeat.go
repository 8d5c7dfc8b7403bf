package decode

import "math/bits"

// Repeat recognises frames that equal an earlier one but for the value of one string member, as those of a streamed text
// do in their delta, and for that of the timestamp. What is the same bytes is the same JSON, so only what varies is
// scanned; nothing is believed that Event.Decode has not checked. The zero value matches nothing until Learn.
type Repeat struct {
	// The frame's unvarying parts, one behind the other:
	//
	//	head "text" tail           without a timestamp
	//	head 123 middle "text" tail  with one in front of the text
	//	head "text" middle 123 tail  with one behind it
	parts        []byte
	middle, tail int // where they begin in parts; 0: there is no middle
	stampFirst   bool
}

// Learn takes a frame that ev has decoded as the pattern, with f as the member that varies. The frame must have lain on one
// line (Frame.Line): a line end inside means something else on the wire. It is false, and nothing matches, when f is not a
// string.
func (r *Repeat) Learn(ev *Event, f Field) bool {
	*r = Repeat{parts: r.parts[:0]}
	if ev.Kind(f) != String {
		return false
	}
	b, text := ev.Frame, ev.spans[f]
	text.start, text.end = text.start+1, text.end-1
	stamp, stamped := ev.spans[FieldTimestamp], false
	if ev.Kind(FieldTimestamp) == Number {
		n := scanStamp(b, int(stamp.start))
		stamped = n == int(stamp.end)
	}
	switch {
	case stamped && stamp.start < text.start:
		r.stampFirst = true
		r.parts = append(r.parts, b[:stamp.start]...)
		r.middle = len(r.parts)
		r.parts = append(r.parts, b[stamp.end:text.start]...)
		r.tail = len(r.parts)
		r.parts = append(r.parts, b[text.end:]...)
	case stamped:
		r.parts = append(r.parts, b[:text.start]...)
		r.middle = len(r.parts)
		r.parts = append(r.parts, b[text.end:stamp.start]...)
		r.tail = len(r.parts)
		r.parts = append(r.parts, b[stamp.end:]...)
	default:
		r.parts = append(r.parts, b[:text.start]...)
		r.tail = len(r.parts)
		r.parts = append(r.parts, b[text.end:]...)
	}
	r.parts = append(r.parts, "\n\n"...)
	return true
}

// Shrink forgets the pattern, and lets go of its memory where that is large.
func (r *Repeat) Shrink() {
	*r = Repeat{parts: small(r.parts)}
}

// longestStamp is the most digits of which every number is an integer that the protocol allows.
const longestStamp = 15

// scanStamp reads a positive integer at i, and gives the index behind it; i where there is none that is sure to be one.
func scanStamp(b []byte, i int) int {
	start := i
	if i >= len(b) || b[i] == '0' {
		return start
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i-start > longestStamp {
		return start
	}
	return i
}

// Only tells whether the event has no members but those of set that its type describes.
func (ev *Event) Only(set FieldSet) bool {
	s := &shapes[ev.Type]
	return ev.present&^(set&(s.required|s.optional)) == 0 && len(ev.unknown) == 0
}

// Match tells whether rest, which begins where a frame may (see Framer.Rest), begins with a whole frame of the pattern on
// one data line. It gives the string's text between the quotes, whether that is plain (see Event.IsPlain), and the frame's
// length with its line ends; 0 when it is no match, which says nothing about the frame.
func (r *Repeat) Match(rest []byte) (text []byte, plain bool, n int) {
	if len(r.parts) == 0 || len(rest) < 6+len(r.parts) || string(rest[:5]) != "data:" {
		return nil, false, 0
	}
	i := 6
	if rest[5] != ' ' {
		i = 5
	}
	head := r.parts[:r.tail]
	if r.middle > 0 {
		head = r.parts[:r.middle]
	}
	if i = follow(rest, i, head); i < 0 {
		return nil, false, 0
	}
	middle := r.parts[r.middle:r.tail]
	if r.stampFirst {
		end := scanStamp(rest, i)
		if end == i {
			return nil, false, 0
		}
		if i = follow(rest, end, middle); i < 0 {
			return nil, false, 0
		}
	}
	start := i
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
	i = end
	if r.middle > 0 && !r.stampFirst {
		if i = follow(rest, i, middle); i < 0 {
			return nil, false, 0
		}
		behind := scanStamp(rest, i)
		if behind == i {
			return nil, false, 0
		}
		i = behind
	}
	if i = follow(rest, i, r.parts[r.tail:]); i < 0 {
		return nil, false, 0
	}
	return rest[start:end], plain, i
}

// follow gives the index behind part, which is what stands at i; -1 when it isn't.
func follow(b []byte, i int, part []byte) int {
	if len(b)-i < len(part) || string(b[i:i+len(part)]) != string(part) {
		return -1
	}
	return i + len(part)
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
