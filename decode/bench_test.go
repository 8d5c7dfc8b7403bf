package decode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var benchFrames = []struct{ name, frame string }{
	{"text", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"quick "}`},
	{"stamped", `{"type":"TEXT_MESSAGE_CONTENT","timestamp":1754300000123,"messageId":"5f72b4cf-9f84-4969-86e9-e647f720be72","delta":"The quick brown fox "}`},
	{"args", `{"type":"TOOL_CALL_ARGS","toolCallId":"call_f3aZ","delta":"{\"query\": \"weather in Z\u00fcrich\"}"}`},
	{"state", `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/board/3/title","value":"Ship it"},{"op":"add","path":"/count","value":17}]}`},
	{"long", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"` + strings.Repeat("lorem ipsum ", 340) + `"}`},
}

func BenchmarkDecode(b *testing.B) {
	for _, bc := range benchFrames {
		b.Run(bc.name, func(b *testing.B) {
			frame := []byte(bc.frame)
			var ev Event
			b.ReportAllocs()
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				if err := ev.Decode(frame, 0); err != nil {
					b.Fatal(err)
				}
				if err := ev.Check(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValid(b *testing.B) {
	text := []byte(`{"snapshot":[` + strings.Repeat(`{"id":"m-1","n":[1,2.5e3,null,true],"text":"a \"quoted\" word"},`, 100) + `{}]}`)
	if !json.Valid(text) {
		b.Fatal("not JSON")
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Valid(text, 0)
	}
}

func BenchmarkFramer(b *testing.B) {
	var stream bytes.Buffer
	frames := 0
	for stream.Len() < 256<<10 {
		stream.WriteString("data: " + benchFrames[frames%2].frame + "\n\n")
		frames++
	}
	for _, bc := range []struct {
		name, end string
		chunk     int
	}{
		{"LF/32KiB", "\n", 32 << 10},
		{"LF/1400B", "\n", 1400},
		{"LF/64B", "\n", 64},
		{"CRLF/32KiB", "\r\n", 32 << 10},
	} {
		b.Run(bc.name, func(b *testing.B) {
			text := bytes.ReplaceAll(stream.Bytes(), []byte("\n"), []byte(bc.end))
			var f Framer
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				for rest := text; len(rest) > 0; {
					k := min(bc.chunk, len(rest))
					f.Feed(rest[:k])
					rest = rest[k:]
					for {
						if _, ok := f.Next(); !ok {
							break
						}
						n++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/frame")
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, bc := range []struct{ name, raw string }{
		{"escapes", `{\"query\": \"weather in Berlin\", \"days\": 3, \"unit\": \"C\"}`},
		{"chinese", "敏捷的棕色狐狸跳过了懒狗"},
		{"emoji", `party \ud83c\udf89 time`},
	} {
		b.Run(bc.name, func(b *testing.B) {
			raw := []byte(bc.raw)
			var dst []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				dst = AppendString(dst[:0], raw)
			}
		})
	}
}

func BenchmarkAppendQuoted(b *testing.B) {
	s := []byte("{\"query\": \"weather in Berlin\"}\nand a plain sentence after it, with nothing to escape")
	var dst []byte
	b.ReportAllocs()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		dst = AppendQuoted(dst[:0], s)
	}
}

func BenchmarkSanitizeClean(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`{"id":"m-1","text":"a \"quoted\" word \ud83d\ude00"},`, 100) + `{}]`)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sanitize(nil, text)
	}
}
