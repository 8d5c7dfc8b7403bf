package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/bytedance/sonic"
	"github.com/tmaxmax/go-sse"
	"github.com/valyala/fastjson"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/decode"
)

// Row is one way of reading event streams.
type Row struct {
	Name string
	Does string // what of the work it does
	// read takes a body. An event that the library can't take, though it is one, is met and refused.
	read func(body []byte) (count, error)
}

// count is what became of a body's events.
type count struct{ met, refused int64 }

var (
	errNoType = errors.New("an event without a type")
	// errRefused is what a library says to events that it doesn't know.
	errRefused = errors.New("refused")
)

// Rows are all of them, made anew: each is for one goroutine.
func Rows() []Row {
	var fast fastjson.Parser
	var byJSON, bySonic bench.WireEvent
	var scanned decode.Event
	return []Row{
		{"framer", "frames, by ours", byFramer(func([]byte) error { return nil })},
		{"go-sse", "frames, by go-sse", byGoSSE(func(string) error { return nil })},
		{"decode", "frames by ours; every event checked against JSON and its type's fields, members found", byFramer(func(data []byte) error {
			if err := scanned.Decode(data, 0); err != nil {
				return err
			}
			return scanned.Check()
		})},
		{"fastjson", "frames by ours; parsed, and three members looked up", byFramer(func(data []byte) error {
			v, err := fast.ParseBytes(data)
			if err != nil {
				return err
			}
			if len(v.GetStringBytes("type")) == 0 {
				return errNoType
			}
			_, _ = v.GetStringBytes("messageId"), v.GetStringBytes("delta")
			return nil
		})},
		{"sonic", "frames by ours; into one struct", byFramer(func(data []byte) error {
			bySonic = bench.WireEvent{}
			return sonic.ConfigDefault.Unmarshal(data, &bySonic)
		})},
		{"encoding/json", "frames by ours; into one struct", byFramer(func(data []byte) error {
			byJSON = bench.WireEvent{}
			return json.Unmarshal(data, &byJSON)
		})},
		{"go-sse+encoding/json", "frames by go-sse; into one struct", byGoSSE(func(data string) error {
			byJSON = bench.WireEvent{}
			return json.Unmarshal([]byte(data), &byJSON)
		})},
		{"ag-ui-go-sdk", "frames by ours; into a struct per type by events.EventFromJSON", byFramer(func(data []byte) error {
			return bySDK(data)
		})},
		{"go-sse+ag-ui-go-sdk", "frames by go-sse; into a struct per type by events.EventFromJSON", byGoSSE(func(data string) error {
			return bySDK([]byte(data))
		})},
	}
}

// piece is how many bytes come at a time.
const piece = 64 << 10

// bySDK decodes an event. The SDK is of a protocol before 1.1: it knows neither subagents nor results in parts.
func bySDK(data []byte) error {
	if _, err := events.EventFromJSON(data); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return nil
}

// judge counts an event that was not taken. It gives the error back unless the library only doesn't know such events.
func (c *count) judge(data any, err error) error {
	c.met++
	if !errors.Is(err, errRefused) {
		return fmt.Errorf("%s: %w", data, err)
	}
	c.refused++
	return nil
}

// byFramer finds frames by our own framer.
func byFramer(take func(data []byte) error) func([]byte) (count, error) {
	return func(body []byte) (count, error) {
		var f decode.Framer
		var c count
		for len(body) > 0 {
			n := min(len(body), piece)
			f.Feed(body[:n])
			for frame, ok := f.Next(); ok; frame, ok = f.Next() {
				if err := take(frame.Data); err == nil {
					c.met++
				} else if err := c.judge(frame.Data, err); err != nil {
					return c, err
				}
			}
			body = body[n:]
		}
		return c, f.Err()
	}
}

// largestEvent is more than any workload has; go-sse's default is 64 KiB.
const largestEvent = 16 << 20

// byGoSSE finds frames by go-sse.
func byGoSSE(take func(data string) error) func([]byte) (count, error) {
	return func(body []byte) (count, error) {
		var c count
		for event, err := range sse.Read(bytes.NewReader(body), &sse.ReadConfig{MaxEventSize: largestEvent}) {
			if err != nil {
				return c, err
			}
			if err := take(event.Data); err == nil {
				c.met++
			} else if err := c.judge(event.Data, err); err != nil {
				return c, err
			}
		}
		return c, nil
	}
}

// Contestants are the rows over bodies, and those of aguibench compare, which end with whole stores.
func Contestants(bodies []bench.Body) []bench.Contestant {
	var all []bench.Contestant
	for _, row := range Rows() {
		all = append(all, bench.Contestant{Name: row.Name, Do: func(i int) error {
			_, err := row.read(bodies[i].Bytes)
			return err
		}})
	}
	for _, c := range bench.Contestants(bodies) {
		if c.Name == "plain" || c.Name == "engine" {
			all = append(all, c)
		}
	}
	return all
}
