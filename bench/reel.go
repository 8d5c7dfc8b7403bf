package bench

import (
	"bytes"
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/aguistream/aguistream/bench/plain"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// reel is a body made ready to be fed many times: where it is cut, which of its writes are timed, and what its stores
// must be at the end.
type reel struct {
	Body
	options engine.StreamOptions
	chunk   int   // bytes a write; 0: cuts
	cuts    []int // ends of the writes, about one event each
	offsets []int64
	timed   []timedWrite
	want    []byte                 // canonical stores of the plain pipeline; nil when nothing is checked
	equal   atomic.Pointer[[]byte] // the engine's own text that was found equal to it
}

// timedWrite is a write that gives an update: the first of them, by its number in the stream, tells how long the write
// took to reach the handler. Which it is doesn't depend on how the bytes are cut.
type timedWrite struct {
	at     int // offset of the write's first byte
	update int64
}

func newReel(b Body, chunk int, rules engine.Rules, check bool) (*reel, error) {
	r := &reel{Body: b, chunk: chunk, options: engine.StreamOptions{Rules: rules}}
	if b.Input != nil {
		if err := b.Input.Seed(&r.options); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
	}
	r.frame()
	if err := r.rehearse(); err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	if check {
		r.want = r.expect()
	}
	return r, nil
}

// frame finds the frames, and cuts the body behind each when no chunk size is given.
func (r *reel) frame() {
	var f decode.Framer
	f.Feed(r.Bytes)
	for {
		frame, ok := f.Next()
		if !ok {
			break
		}
		r.addFrame(frame)
	}
	if frame, ok := f.Finish(); ok {
		r.addFrame(frame)
	}
	if r.chunk == 0 && (len(r.cuts) == 0 || r.cuts[len(r.cuts)-1] < len(r.Bytes)) && len(r.Bytes) > 0 {
		r.cuts = append(r.cuts, len(r.Bytes))
	}
}

func (r *reel) addFrame(frame decode.Frame) {
	r.offsets = append(r.offsets, frame.Offset)
	if r.chunk > 0 {
		return
	}
	if end := blankLine(r.Bytes, int(frame.Offset)); len(r.cuts) == 0 || r.cuts[len(r.cuts)-1] < end {
		r.cuts = append(r.cuts, end)
	}
}

// blankLine is where the frame that begins at from ends: behind its blank line.
func blankLine(body []byte, from int) int {
	end := len(body)
	for _, blank := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		if i := bytes.Index(body[from:end], []byte(blank)); i >= 0 {
			end = from + i + len(blank)
		}
	}
	return end
}

// end is where the write that begins at pos ends; i is its number.
func (r *reel) end(pos, i int) int {
	if r.chunk == 0 {
		return r.cuts[i]
	}
	return min(pos+r.chunk, len(r.Bytes))
}

// writes is how many writes the body takes.
func (r *reel) writes() int {
	if r.chunk == 0 {
		return len(r.cuts)
	}
	return (len(r.Bytes) + r.chunk - 1) / r.chunk
}

// rehearse runs the body once on this goroutine, to see which writes give updates.
func (r *reel) rehearse() error {
	var updates int64
	stream, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) { updates++ }), r.options)
	if err != nil {
		return err
	}
	for pos, i := 0, 0; pos < len(r.Bytes); i++ {
		before, end := updates, r.end(pos, i)
		_, closed := stream.Write(r.Bytes[pos:end])
		if updates > before {
			r.timed = append(r.timed, timedWrite{pos, before + 1})
		}
		if pos = end; closed != nil {
			pos = len(r.Bytes) // the rest goes unread
		}
	}
	return nil
}

// expect asks the plain pipeline what the stores must be.
func (r *reel) expect() []byte {
	o := plain.Options{Spec: r.options.Rules == engine.Spec}
	if r.Input != nil {
		o.Messages, o.State = r.Input.Messages, r.Input.State
	}
	p := plain.New(o)
	_, _ = p.Write(r.Bytes) // what ends a stream early is part of what is compared
	_ = p.Close()
	return state.CanonicalJSON(nil, p.Snapshot())
}

// same tells whether stores are those of the plain pipeline.
func (r *reel) same(stores []byte) bool {
	if known := r.equal.Load(); known != nil && bytes.Equal(*known, stores) {
		return true
	}
	if !bytes.Equal(state.CanonicalJSON(nil, stores), r.want) {
		return false
	}
	own := bytes.Clone(stores)
	r.equal.Store(&own)
	return true
}

// difference shows where stores leave what is wanted.
func (r *reel) difference(stores []byte) string {
	got := state.CanonicalJSON(nil, stores)
	at := 0
	for at < min(len(got), len(r.want)) && got[at] == r.want[at] {
		at++
	}
	around := func(b []byte) []byte { return b[max(0, at-60):min(len(b), at+60)] }
	return fmt.Sprintf("%s: at byte %d of the canonical stores: engine ...%s..., plain ...%s...", r.Name, at, around(got), around(r.want))
}

// framesAfter counts the frames that begin behind an offset.
func (r *reel) framesAfter(offset int64) int64 {
	return int64(len(r.offsets) - sort.Search(len(r.offsets), func(i int) bool { return r.offsets[i] > offset }))
}

// framesIn counts the frames that are whole in the body's first n bytes.
func (r *reel) framesIn(n int) int64 {
	var f decode.Framer
	f.Feed(r.Bytes[:n])
	frames := int64(0)
	for {
		if _, ok := f.Next(); !ok {
			return frames
		}
		frames++
	}
}
