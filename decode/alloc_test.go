//go:build !race

package decode

import (
	"strings"
	"testing"
)

func TestNothingIsAllocated(t *testing.T) {
	stream := []byte("data: " + rs + "\n\nevent: x\nid: 12345\ndata: {\"type\":\r\ndata: \"RAW\"}\n\n: ping\n\ndata: " + rf + "\n\n")
	frame := []byte(`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c\n","content":[{"type":"text","text":"é\ud83d\ude00"}],"x":1,"timestamp":1754300000123,"name":null}`)
	deep := []byte(strings.Repeat("[", 256) + strings.Repeat("]", 256))
	dirty := []byte("[\"\\ud83d\xff\"]")
	var f Framer
	var ev Event
	var scratch, dst []byte
	var carry uint16
	for _, tc := range []struct {
		name string
		do   func()
	}{
		{"framer", func() {
			for _, n := range []int{len(stream), 7, 1} {
				for rest := stream; len(rest) > 0; {
					k := min(n, len(rest))
					f.Feed(rest[:k])
					rest = rest[k:]
					for _, ok := f.Next(); ok; _, ok = f.Next() {
					}
				}
			}
		}},
		{"decode", func() {
			if err := ev.Decode(frame, 0); err != nil {
				t.Error(err)
			}
			if err := ev.Check(); err != nil {
				t.Error(err)
			}
			scratch = scratch[:0]
			ev.Str(FieldToolCallID, &scratch)
			ev.NullOptionals()
		}},
		{"valid", func() { Valid(deep, 0) }},
		{"text", func() {
			dst = AppendString(dst[:0], []byte("é\\n\\ud83d\\ude00\xff"))
			dst = AppendDelta(dst, []byte(`\ud83d`), &carry)
			dst = AppendDelta(dst, []byte(`\ude00`), &carry)
			dst = AppendQuoted(dst, []byte("a\n\"b\""))
			dst = AppendQuotedString(dst, "a\n\"b\"")
		}},
		{"sanitize", func() {
			Sanitize(nil, frame)
			dst = Sanitize(dst[:0], dirty)
		}},
		{"walks", func() {
			Members(frame, func(_, value []byte) bool {
				Elements(value, func(int, []byte) bool { return true })
				return true
			})
		}},
	} {
		tc.do()
		if n := testing.AllocsPerRun(100, tc.do); n != 0 {
			t.Errorf("%s: %v allocations", tc.name, n)
		}
	}
}
