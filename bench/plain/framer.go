package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// frameLimit is the number of bytes that may be pending for one frame: the
// open line, the data joined so far, the event name and the last event id.
const frameLimit = 8 << 20

var byteOrderMark = []byte("\xEF\xBB\xBF")

// framer reads an event stream as the WHATWG grammar has it.
type framer struct {
	pos      int64 // stream offset of the chunk's first byte
	line     []byte
	lineAt   int64 // stream offset of the open line's first byte
	later    bool  // a first line has been seen: no byte-order mark any more
	skipLF   bool  // the last byte was a CR: a LF that follows belongs to it
	data     []byte
	hasData  bool
	dataAt   int64 // stream offset of the frame's first data line
	event    []byte
	id       []byte
	overflow error
}

// feed takes a chunk apart and hands out each frame; the data is lent until
// the call returns. It stops for good at the limit.
func (f *framer) feed(chunk []byte, frame func(data []byte, offset int64)) error {
	// Each search for a line end starts where the last one stopped, so a
	// stream without any CR (or LF) is still looked through only once.
	lf, cr := -1, -1
	i := 0
	for i < len(chunk) && f.overflow == nil {
		if f.skipLF {
			f.skipLF = false
			if chunk[i] == '\n' {
				i++
				f.lineAt = f.pos + int64(i)
				continue
			}
		}
		lf, cr = next(chunk, i, lf, '\n'), next(chunk, i, cr, '\r')
		end := min(lf, cr)
		if !f.fits(end - i) {
			break
		}
		if end == len(chunk) {
			f.line = append(f.line, chunk[i:]...)
			break
		}
		line := chunk[i:end]
		if len(f.line) > 0 {
			f.line = append(f.line, line...)
			line = f.line
		}
		f.take(line, frame)
		f.line = f.line[:0]
		f.skipLF = chunk[end] == '\r'
		i = end + 1
		f.lineAt = f.pos + int64(i)
	}
	f.pos += int64(len(chunk))
	return f.overflow
}

// next gives the place of the first c from i on, len(chunk) for none; known is
// the last answer, which holds until it has been passed.
func next(chunk []byte, i, known int, c byte) int {
	if known >= i {
		return known
	}
	if k := bytes.IndexByte(chunk[i:], c); k >= 0 {
		return i + k
	}
	return len(chunk)
}

func (f *framer) fits(more int) bool {
	if len(f.line)+len(f.data)+len(f.event)+len(f.id)+more <= frameLimit {
		return true
	}
	f.overflow = fmt.Errorf("a frame is larger than %d bytes", frameLimit)
	if !f.hasData {
		f.dataAt = f.lineAt
	}
	return false
}

// take handles one whole line.
func (f *framer) take(line []byte, frame func([]byte, int64)) {
	at := f.lineAt
	if !f.later {
		f.later = true
		if bytes.HasPrefix(line, byteOrderMark) {
			line = line[len(byteOrderMark):]
			at += int64(len(byteOrderMark))
		}
	}
	if len(line) == 0 {
		f.dispatch(frame)
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if !f.hasData {
			f.hasData, f.dataAt = true, at
			f.data = append(f.data[:0], value...)
			return
		}
		f.data = append(append(f.data, '\n'), value...)
	case "event":
		f.event = append(f.event[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			f.id = append(f.id[:0], value...)
		}
	}
}

func (f *framer) dispatch(frame func([]byte, int64)) {
	f.event = f.event[:0]
	if !f.hasData {
		return
	}
	f.hasData = false
	frame(f.data, f.dataAt)
	f.data = f.data[:0]
	if cap(f.data) > 1<<20 {
		f.data = nil
	}
}

// finish is told that the bytes have ended. A frame that lacks only its blank
// line counts when its data is one whole JSON value.
func (f *framer) finish(frame func([]byte, int64)) {
	if f.overflow != nil {
		return
	}
	if len(f.line) > 0 {
		f.take(f.line, frame)
		f.line = f.line[:0]
	}
	if f.hasData && json.Valid(f.data) {
		f.dispatch(frame)
	}
	f.hasData = false
}
