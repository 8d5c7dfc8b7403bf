package decode

import "bytes"

// DefaultFrameLimit is the most bytes that a Framer lets pend when its Limit is 0.
const DefaultFrameLimit = 8 << 20

// Frame is one event of the stream, as dispatched.
type Frame struct {
	Data   []byte // the data lines' values, joined by newlines; lent until the next call of Feed, Next or Finish
	Offset int64  // where the frame's first data line begins in the stream
	Line   bool   // the data is one line as it lay in the chunk
}

// Framer takes an event stream apart into frames, by the full grammar of WHATWG HTML, "Server-sent events": lines end in
// LF, CR or CRLF, a byte-order mark may stand at the very start, several data lines join with a newline, comments and
// unknown fields are passed over, and a block without a data line is no frame. A `data` line without a value makes one, an
// empty one. The frames don't depend on how the stream is cut into chunks. The zero value is ready; a Framer is not safe
// for concurrent use.
//
// A frame whose one data line lies whole in a chunk is lent from the chunk. What a chunk leaves torn is carried over, so
// the chunk is free again once Next has returned false. No byte is looked at more than a fixed number of times, whatever
// the chunking.
type Framer struct {
	// Limit bounds the bytes of a frame that may pend: the open line, whatever its field, and the block's data, id and
	// event name so far. 0 is DefaultFrameLimit. Comments don't count; they are let go as they come.
	Limit int

	in    []byte // the chunk
	pos   int    // read so far
	base  int64  // stream offset of in[0]
	lf    int    // the next LF in the chunk, len(in) if none; stale when below pos
	cr    int    // the same for CR
	err   error
	quiet bool // nothing is pending and the start is over: a frame may be lent straight away

	begun  bool // the place for a byte-order mark is behind
	skipLF bool // the last line ended in a CR: an LF now belongs to it
	open   bool // a line has begun in an earlier chunk
	note   bool // that line is a comment
	has    bool // the block has a data line
	owned  bool // data is in buf
	spent  bool // buf was lent with the last frame and is free again

	// room is the length up to which the open line may grow in buf without a look at anything else; 0 while it may not.
	room int

	// buf holds what must outlive its chunk:
	//
	//	[ joined data, maybe with its first line's field name in front | open line ]
	//	                                                               ^ line
	buf    []byte
	line   int   // where that line begins in buf
	lineAt int64 // stream offset of the line

	data   []byte // joined data so far: in buf, or a line of the chunk
	dataAt int64  // stream offset of the first data line
	mark   int    // bytes seen of a byte-order mark

	id       []byte
	newID    bool // the block has an id line
	lastID   []byte
	event    []byte
	lastName []byte
	retry    int64

	used, idle int // for letting buf go
}

// Buffers up to keptBuffer are kept; a larger one that was used for less than a quarter over idleFeeds chunks is let go.
const (
	keptBuffer = 64 << 10
	idleFeeds  = 16
)

var byteOrderMark = [3]byte{0xEF, 0xBB, 0xBF}

// Feed gives the next bytes of the stream. The chunk is lent until Next has returned false; feeding earlier is allowed, at
// the price of a copy.
func (f *Framer) Feed(chunk []byte) {
	if f.Hold(chunk) {
		return
	}
	f.room = 0
	f.reclaim()
	if f.err != nil {
		f.base += int64(len(chunk))
		return
	}
	if rest := f.in[f.pos:]; len(rest) > 0 {
		chunk = append(append(make([]byte, 0, len(rest)+len(chunk)), rest...), chunk...)
		if f.has && !f.owned {
			f.own()
		}
	}
	if cap(f.buf) > keptBuffer {
		f.loosen()
	}
	f.release(f.pos)
	f.in = chunk
}

// release lets the chunk go, n bytes of which were read: an idle stream pins nobody's memory.
func (f *Framer) release(n int) {
	f.base += int64(n)
	f.in = nil
	f.pos = 0
	f.lf = -1
	f.cr = -1
}

// Next gives the next whole frame. False means that the chunk is used up, or that there is an error.
func (f *Framer) Next() (Frame, bool) {
	if f.pos == len(f.in) && !f.spent {
		f.release(f.pos) // the last frame ended with the chunk
		return Frame{}, false
	}
	if f.quiet {
		in, p := f.in, f.pos
		if p+6 <= len(in) && string(in[p:p+5]) == "data:" {
			if f.lf < p {
				f.lf = find(in, p+5, '\n')
			}
			end, after := f.lf, f.lf+1
			// A CR is looked for in this line only: most frames of a chunk are passed over by Pass.
			if n := bytes.IndexByte(in[p:end], '\r'); n >= 0 {
				if end = p + n; end != f.lf-1 || after >= len(in) || in[after] != '\r' {
					return f.next()
				}
				after++
			}
			if after < len(in) && in[after] == '\n' && end-p <= f.limit() {
				f.pos = after + 1
				at := f.base + int64(p)
				if p += 5; p < end && in[p] == ' ' {
					p++
				}
				f.lastName = f.lastName[:0]
				return Frame{in[p:end:end], at, true}, true
			}
		}
	}
	return f.next()
}

func find(in []byte, from int, c byte) int {
	n := bytes.IndexByte(in[from:], c)
	if n < 0 {
		return len(in)
	}
	return from + n
}

func (f *Framer) limit() int {
	if f.Limit <= 0 {
		return DefaultFrameLimit
	}
	return f.Limit
}

// next reads line by line.
func (f *Framer) next() (Frame, bool) {
	f.reclaim()
	if f.err != nil || !f.begun && !f.begin() {
		return Frame{}, false
	}
	for {
		if f.skipLF && f.pos < len(f.in) {
			f.skipLF = false
			if f.in[f.pos] == '\n' {
				f.pos++
			}
		}
		end := f.lineEnd()
		piece := f.in[f.pos:end]
		at := f.base + int64(f.pos)
		if end == len(f.in) {
			f.carry(piece, at)
			return Frame{}, false
		}
		f.pos = end + 1
		if f.in[end] == '\r' {
			if f.pos == len(f.in) {
				f.skipLF = true
			} else if f.in[f.pos] == '\n' {
				f.pos++
			}
		}
		if !f.open {
			if len(piece) == 0 {
				if fr, ok := f.dispatch(); ok {
					return fr, true
				}
				continue
			}
			if piece[0] == ':' {
				continue
			}
			if f.over(len(piece), at) {
				return Frame{}, false
			}
			f.field(piece, at, false)
			continue
		}
		f.open = false
		if f.note {
			continue
		}
		// An open line has a byte at least, so this is no blank one.
		if f.over(len(f.buf)-f.line+len(piece), f.lineAt) {
			return Frame{}, false
		}
		f.buf = append(f.buf, piece...)
		f.used = max(f.used, len(f.buf))
		f.field(f.buf[f.line:], f.lineAt, true)
	}
}

// lineEnd gives the index of the next CR or LF, or of the chunk's end. Where the next of each is stays noted: a chunk is
// searched once for either, also when it has only one of them.
func (f *Framer) lineEnd() int {
	if f.lf < f.pos {
		f.lf = find(f.in, f.pos, '\n')
	}
	if f.cr < f.pos {
		f.cr = find(f.in, f.pos, '\r')
	}
	return min(f.lf, f.cr)
}

// begin passes over a byte-order mark; false: the chunk doesn't tell yet whether there is one.
func (f *Framer) begin() bool {
	for f.mark < len(byteOrderMark) {
		if f.pos == len(f.in) {
			f.release(f.pos)
			return false
		}
		if f.in[f.pos] != byteOrderMark[f.mark] {
			break
		}
		f.pos++
		f.mark++
	}
	f.begun = true
	if 0 < f.mark && f.mark < len(byteOrderMark) {
		// No mark after all: what looked like one begins a line.
		f.buf = append(f.buf, byteOrderMark[:f.mark]...)
		f.open = true
		f.note = false
		f.line = 0
		f.lineAt = 0
	}
	return true
}

// carry keeps what the chunk leaves open.
func (f *Framer) carry(piece []byte, at int64) {
	f.release(len(f.in))
	if f.has && !f.owned {
		f.own()
	}
	if len(piece) > 0 {
		f.quiet = false
		if !f.open {
			f.open = true
			f.note = piece[0] == ':'
			f.line = len(f.buf)
			f.lineAt = at
		}
		if !f.note {
			if f.over(len(f.buf)-f.line+len(piece), f.lineAt) {
				return
			}
			f.buf = append(f.buf, piece...)
		}
	} else if !f.open && !f.has && !f.skipLF && f.begun && len(f.event) == 0 && !f.newID {
		f.quiet = true
	}
	f.used = max(f.used, len(f.buf))
	if f.open && !f.note {
		f.room = min(cap(f.buf), f.line+f.pending())
	}
}

// Hold takes a chunk that is a single byte inside a line; false: the chunk is to be fed. Feed does so by itself; who feeds
// byte by byte may save what else there is to do between two frames.
func (f *Framer) Hold(chunk []byte) bool {
	n := len(f.buf)
	if n >= f.room || len(chunk) != 1 || chunk[0] == '\n' || chunk[0] == '\r' {
		return false
	}
	f.buf = f.buf[:n+1]
	f.buf[n] = chunk[0]
	f.base++
	return true
}

// reclaim takes buf back from the frame that borrowed it.
func (f *Framer) reclaim() {
	if !f.spent {
		return
	}
	f.spent = false
	poison(f.buf)
	f.buf = f.buf[:0]
}

// loosen lets a large buffer go that has been of little use for a while. What pends is moved; data may go on lying in the
// old one till its frame ends.
func (f *Framer) loosen() {
	if f.idle++; f.used >= cap(f.buf)/4 {
		f.idle = 0
	}
	f.used = len(f.buf)
	if f.idle >= idleFeeds {
		f.idle = 0
		f.buf = append([]byte(nil), f.buf...)
	}
}

// Finish ends the stream. A last frame that lacks its blank line counts if its data is one whole JSON value; that of a
// line without its end counts with it. A torn frame is dropped. Call it once, after Next has returned false; then only
// Reset makes the Framer usable again.
func (f *Framer) Finish() (Frame, bool) {
	f.reclaim()
	if f.err != nil {
		return Frame{}, false
	}
	if !f.begun && f.mark > 0 && f.over(f.mark, 0) {
		return Frame{}, false // half a byte-order mark was an open line after all
	}
	if f.open && !f.note {
		f.field(f.buf[f.line:], f.lineAt, true)
	}
	f.open = false
	// Nesting beyond a limit is Event.Decode's to tell.
	if !f.has || !Valid(f.data, len(f.data)+1) {
		f.has = false
		f.data = nil
		return Frame{}, false
	}
	return f.dispatch()
}

// Err gives the error that stopped the Framer, an *Error of KindDecode, or nil.
func (f *Framer) Err() error { return f.err }

// Offset gives the number of bytes fed so far.
func (f *Framer) Offset() int64 { return f.base + int64(len(f.in)) }

// Reset makes the Framer ready for a new stream, with the same Limit.
func (f *Framer) Reset() {
	buf := f.buf[:0]
	if cap(buf) > keptBuffer {
		buf = nil
	}
	*f = Framer{
		Limit: f.Limit, buf: buf, id: small(f.id), lastID: small(f.lastID), event: small(f.event), lastName: small(f.lastName),
	}
}

// small empties a buffer, or lets it go if a peer made it large.
func small(b []byte) []byte {
	const kept = 1 << 10
	if cap(b) > kept {
		return nil
	}
	return b[:0]
}

// LastEventID gives the stream's last event ID as of the last block that ended. AG-UI has no use for it.
func (f *Framer) LastEventID() []byte { return f.lastID }

// EventName gives the event name of the last block that ended, empty if it had none. AG-UI has no use for it. It is lent
// until the next call.
func (f *Framer) EventName() []byte { return f.lastName }

// Retry gives the reconnection time, in milliseconds, that the stream asked for last; 0 if it didn't.
func (f *Framer) Retry() int64 { return f.retry }
