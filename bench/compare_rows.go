package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguistream/aguistream/bench/plain"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// Names of the rows of a comparison.
const (
	floorRow     = "floor"
	unmarshalRow = "unmarshal"
	plainRow     = "plain"
	engineRow    = "engine"
)

// comparedPiece is how many bytes each pipeline is fed at a time.
const comparedPiece = 64 << 10

// Contestants are the four rows of Compare; a unit of their work is a body.
func Contestants(bodies []Body) []Contestant {
	var floor lineCounter
	var unmarshal unmarshaler
	var byPlain, byEngine deltas
	return []Contestant{
		{floorRow, func(i int) error { return pieces(bodies[i].Bytes, comparedPiece, floor.split) }},
		{unmarshalRow, func(i int) error { return unmarshal.take(bodies[i].Bytes) }},
		{plainRow, func(i int) error { _, err := byPlain.plain(bodies[i]); return err }},
		{engineRow, func(i int) error { return byEngine.engine(bodies[i], nil) }},
	}
}

// pieces feeds a body in pieces of a size, until one is refused.
func pieces(body []byte, size int, feed func([]byte) error) error {
	for len(body) > 0 {
		n := min(len(body), size)
		if err := feed(body[:n]); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}

// MeasureBodies counts the frames of bodies, which is what the events of every row are, and their bytes.
func MeasureBodies(bodies []Body) ([]Work, error) {
	var units []Work
	for _, b := range bodies {
		w := Work{Bytes: int64(len(b.Bytes))}
		if err := frames(b.Bytes, func([]byte) error { w.Events++; return nil }); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		units = append(units, w)
	}
	return units, nil
}

// frames gives the data of each frame of a body that is fed in pieces.
func frames(body []byte, frame func([]byte) error) error {
	var f decode.Framer
	err := pieces(body, comparedPiece, func(p []byte) error {
		f.Feed(p)
		for {
			next, ok := f.Next()
			if !ok {
				return f.Err()
			}
			if err := frame(next.Data); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	if last, ok := f.Finish(); ok {
		return frame(last.Data)
	}
	return f.Err()
}

// lineCounter is the floor: whoever reads an event stream must find where its lines end, and it does nothing else.
type lineCounter struct{ lines, open int }

func (l *lineCounter) split(chunk []byte) error {
	for {
		i := bytes.IndexByte(chunk, '\n')
		if i < 0 {
			l.open += len(chunk)
			return nil
		}
		l.lines++
		l.open = 0
		chunk = chunk[i+1:]
	}
}

// WireEvent has a place for every member that an event may have, as one would write it for encoding/json: strings as
// strings, payloads left as text.
type WireEvent struct {
	Type                string          `json:"type"`
	Timestamp           json.Number     `json:"timestamp"`
	MessageID           string          `json:"messageId"`
	Role                string          `json:"role"`
	Name                string          `json:"name"`
	Delta               json.RawMessage `json:"delta"` // a string, or a patch
	ToolCallID          string          `json:"toolCallId"`
	ToolCallName        string          `json:"toolCallName"`
	ParentMessageID     string          `json:"parentMessageId"`
	Content             json.RawMessage `json:"content"`
	Snapshot            json.RawMessage `json:"snapshot"`
	Messages            json.RawMessage `json:"messages"`
	ActivityType        string          `json:"activityType"`
	Replace             *bool           `json:"replace"`
	Patch               json.RawMessage `json:"patch"`
	Event               json.RawMessage `json:"event"`
	Source              string          `json:"source"`
	Value               json.RawMessage `json:"value"`
	ThreadID            string          `json:"threadId"`
	RunID               string          `json:"runId"`
	ProtocolVersion     string          `json:"protocolVersion"`
	ParentRunID         string          `json:"parentRunId"`
	Input               json.RawMessage `json:"input"`
	Result              json.RawMessage `json:"result"`
	Outcome             json.RawMessage `json:"outcome"`
	Usage               json.RawMessage `json:"usage"`
	Message             string          `json:"message"`
	Code                string          `json:"code"`
	StepName            string          `json:"stepName"`
	Subtype             string          `json:"subtype"`
	EntityID            string          `json:"entityId"`
	EncryptedValue      string          `json:"encryptedValue"`
	EncryptedValueType  string          `json:"encryptedValueType"`
	Description         string          `json:"description"`
	ParentSubagentRunID string          `json:"parentSubagentRunId"`
	ParentToolCallID    string          `json:"parentToolCallId"`
	Title               string          `json:"title"`
	SubagentRunID       string          `json:"subagentRunId"`
	Metadata            json.RawMessage `json:"metadata"`
	RawEvent            json.RawMessage `json:"rawEvent"`
}

// unmarshaler decodes each frame into the same struct. Its frames are found by our own framer, so that none of its
// time goes into a slow one. A frame that is no such JSON is passed over.
type unmarshaler struct {
	event WireEvent
	bad   int64
}

func (u *unmarshaler) take(body []byte) error {
	return frames(body, func(data []byte) error {
		u.event = WireEvent{}
		if json.Unmarshal(data, &u.event) != nil {
			u.bad++
		}
		return nil
	})
}

// deltas is the handler of both pipelines: it reads every delta, as one does that passes them on, by copying it. Whole
// keeps them all.
type deltas struct {
	buf   []byte
	whole bool
	pool  engine.Pool // of the engine's streams, one after another
}

func readDelta[T string | []byte](d *deltas, delta T) {
	if !d.whole {
		d.buf = d.buf[:0]
	}
	d.buf = append(d.buf, delta...)
}

// HandleUpdate reads the engine's.
func (d *deltas) HandleUpdate(_ *engine.Stream, u engine.Update) {
	switch u := u.(type) {
	case *engine.MessageUpdate:
		readDelta(d, u.Delta)
	case *engine.ReasoningUpdate:
		readDelta(d, u.Delta)
	}
}

// plain takes a body through the plain pipeline. What ends a stream early is no error here: the stores tell.
func (d *deltas) plain(b Body) (*plain.Pipeline, error) {
	o := plain.Options{Update: func(u *plain.Update) { readDelta(d, u.Delta) }}
	if b.Input != nil {
		o.Messages, o.State = b.Input.Messages, b.Input.State
	}
	p := plain.New(o)
	_ = pieces(b.Bytes, comparedPiece, func(chunk []byte) error { _, err := p.Write(chunk); return err })
	_ = p.Close()
	return p, nil
}

// engine takes a body through a Stream on this goroutine, looks at it if see isn't nil, and releases it.
func (d *deltas) engine(b Body, see func(engine.View)) error {
	o := engine.StreamOptions{Pool: &d.pool}
	if b.Input != nil {
		if err := b.Input.Seed(&o); err != nil {
			return err
		}
	}
	s, err := engine.NewStream(d, o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Release() }() // of a closed stream it can't fail
	_ = pieces(b.Bytes, comparedPiece, func(chunk []byte) error { _, err := s.Write(chunk); return err })
	if err := s.Close(); err != nil || see == nil {
		return err
	}
	return s.View(context.Background(), see)
}

// engineStores takes a body through and gives the stores.
func (d *deltas) engineStores(b Body) ([]byte, error) {
	var stores []byte
	err := d.engine(b, func(v engine.View) { stores = v.AppendJSON(nil) })
	return stores, err
}

// canonical makes stores comparable.
func canonical(stores []byte) []byte { return state.CanonicalJSON(nil, stores) }
