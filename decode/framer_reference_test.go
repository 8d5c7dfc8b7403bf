package decode

import (
	"bytes"
	"fmt"
)

// The reference reads a whole stream by the letter of WHATWG HTML, in the plainest way.

type wantFrame struct {
	Data   string
	Offset int64
}

type referenceLine struct {
	text  []byte
	at    int
	ended bool
}

func referenceLines(stream []byte) []referenceLine {
	at := 0
	if bytes.HasPrefix(stream, []byte("\xEF\xBB\xBF")) {
		at = 3
	}
	var lines []referenceLine
	for at < len(stream) {
		n := bytes.IndexAny(stream[at:], "\r\n")
		if n < 0 {
			return append(lines, referenceLine{stream[at:], at, false})
		}
		lines = append(lines, referenceLine{stream[at : at+n], at, true})
		if stream[at+n] == '\r' && at+n+1 < len(stream) && stream[at+n+1] == '\n' {
			n++
		}
		at += n + 1
	}
	return lines
}

// referenceFrames gives the frames, the final one by Finish's rule included. Crossing the limit ends them with "limit".
func referenceFrames(stream []byte, limit int, valid func([]byte) bool) []wantFrame {
	frames := []wantFrame{}
	var data, id, event []byte
	has, first := false, 0
	for _, line := range referenceLines(stream) {
		if len(line.text) == 0 {
			if has {
				frames = append(frames, wantFrame{string(data), int64(first)})
			}
			data, id, event, has = nil, nil, nil, false
			continue
		}
		if line.text[0] == ':' {
			continue
		}
		if rest := limit - len(data) - len(id) - len(event); len(line.text) > rest {
			return append(frames, wantFrame{"limit", int64(line.at + max(rest, 0))})
		}
		name, value, _ := bytes.Cut(line.text, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if !has {
				has, first = true, line.at
			} else {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id = value
			}
		case "event":
			event = value
		}
	}
	if has && valid(data) {
		frames = append(frames, wantFrame{string(data), int64(first)})
	}
	return frames
}

// framesOf feeds a stream cut as cut says: it gives the length of the next chunk.
func framesOf(f *Framer, stream []byte, cut func(rest int) int) []wantFrame {
	frames := []wantFrame{}
	keep := func(fr Frame) {
		frames = append(frames, wantFrame{string(fr.Data), fr.Offset})
	}
	var chunk []byte
	for rest := stream; len(rest) > 0; {
		n := cut(len(rest))
		// One buffer for all chunks: whatever borrows one for too long reads the next one's bytes.
		chunk = append(chunk[:0], rest[:n]...)
		rest = rest[n:]
		f.Feed(chunk)
		for fr, ok := f.Next(); ok; fr, ok = f.Next() {
			keep(fr)
		}
		for i := range chunk {
			chunk[i] = '#'
		}
	}
	if fr, ok := f.Finish(); ok {
		keep(fr)
	}
	if err := f.Err(); err != nil {
		frames = append(frames, wantFrame{"limit", err.(*Error).Offset})
	}
	if got := f.Offset(); got != int64(len(stream)) {
		panic(fmt.Sprintf("offset %d of %d", got, len(stream)))
	}
	return frames
}

func splitAt(points ...int) func(int) int {
	at := 0
	return func(rest int) int {
		for len(points) > 0 {
			n := points[0] - at
			points = points[1:]
			at += n
			return min(n, rest)
		}
		return rest
	}
}

func pieces(n int) func(int) int { return func(rest int) int { return min(n, rest) } }
