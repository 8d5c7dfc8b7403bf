package decode

import "bytes"

// What a Framer does with the lines of a block, one after another, until a blank one ends it.

// over holds what pends, with an open line of n bytes, against the limit. The offset in its error is that of the first
// byte too many, which doesn't depend on the chunking.
func (f *Framer) over(n int, at int64) bool {
	rest := f.pending()
	if n <= rest {
		return false
	}
	*f = Framer{Limit: f.Limit, base: f.Offset(), err: &Error{
		Kind:   KindDecode,
		Offset: at + int64(max(rest, 0)),
		Reason: "pending bytes of a frame over the limit",
		Limit:  int64(f.limit()),
	}}
	return true
}

// pending is what the limit leaves for the open line.
func (f *Framer) pending() int {
	rest := f.limit() - len(f.data) - len(f.event)
	if f.newID {
		rest -= len(f.id)
	}
	return rest
}

// field takes one line that is neither blank nor a comment. kept tells that it lies at the end of buf.
func (f *Framer) field(line []byte, at int64, kept bool) {
	f.quiet = false
	name, value := line, line[len(line):]
	if n := bytes.IndexByte(line, ':'); n >= 0 {
		name, value = line[:n], line[n+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		f.add(value, at, kept)
		return
	case "event":
		f.event = append(f.event[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			f.id = append(f.id[:0], value...)
			f.newID = true
		}
	case "retry":
		if ms, ok := milliseconds(value); ok {
			f.retry = ms
		}
	}
	if kept {
		f.buf = f.buf[:f.line]
	}
}

func milliseconds(value []byte) (int64, bool) {
	if len(value) == 0 || len(value) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range value {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// add joins the value of a data line to the block's data.
func (f *Framer) add(value []byte, at int64, kept bool) {
	if !f.has {
		f.has = true
		f.dataAt = at
		f.data = value
		f.owned = kept
		return
	}
	if !f.owned {
		f.own()
	}
	// In buf the value of a kept line lies behind the data with at least "data:" between, or is empty.
	if kept {
		f.buf = f.buf[:f.line]
	}
	start := len(f.buf) - len(f.data)
	f.buf = append(append(f.buf, '\n'), value...)
	f.data = f.buf[start:]
	f.used = max(f.used, len(f.buf))
}

// dispatch ends a block.
func (f *Framer) dispatch() (Frame, bool) {
	if f.newID {
		f.lastID = append(f.lastID[:0], f.id...)
		f.newID = false
	}
	f.lastName, f.event = f.event, f.lastName[:0]
	f.quiet = !f.skipLF
	if !f.has {
		return Frame{}, false
	}
	fr := Frame{Data: f.data[:len(f.data):len(f.data)], Offset: f.dataAt}
	f.has = false
	f.data = nil
	f.spent = f.owned
	if f.owned {
		f.quiet = false
		f.owned = false
	}
	return fr, true
}

// own moves data that is lent from the chunk into buf.
func (f *Framer) own() {
	f.buf = append(f.buf[:0], f.data...)
	f.data = f.buf
	f.owned = true
}
