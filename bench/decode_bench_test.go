package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/bench/workload"
	"github.com/aguistream/aguistream/decode"
)

// chunkSizes are from the worst that a network can do to as much as a reader takes at once.
var chunkSizes = []int{1, 16, 128, 1400, 4 << 10, 64 << 10}

func BenchmarkFramer(b *testing.B) {
	body, work := oneBody(b, "mixed", workload.Options{Seed: 1, Tokens: brief(2000, 50)})
	for _, end := range []struct{ name, text string }{{"LF", "\n"}, {"CRLF", "\r\n"}} {
		text := bytes.ReplaceAll(body, []byte("\n"), []byte(end.text))
		for _, chunk := range chunkSizes {
			b.Run(fmt.Sprintf("%s/chunk=%d", end.name, chunk), func(b *testing.B) {
				var f decode.Framer
				report(b, Work{work.Events, int64(len(text))}, func() error {
					return pieces(text, chunk, func(p []byte) error {
						f.Feed(p)
						for {
							if _, ok := f.Next(); !ok {
								return f.Err()
							}
						}
					})
				})
			})
		}
	}
}

// BenchmarkScanner is the check alone; a text is an event.
func BenchmarkScanner(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"token", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":" quick"}`},
		{"text/4KiB", `{"delta":"` + strings.Repeat("lorem ipsum ", 340) + `"}`},
		{"utf8/4KiB", `{"delta":"` + strings.Repeat("敏捷的狐狸", 270) + `"}`},
		{"escapes/4KiB", `{"delta":"` + strings.Repeat(`\"a\":\u00e9,`, 340) + `"}`},
		{"numbers/4KiB", "[" + strings.Repeat("12,-3.25,4e10,", 290) + "0]"},
		{"records/64KiB", "[" + strings.Repeat(`{"id":"i000001","n":17,"done":false,"tags":["red","blue"],"note":null},`, 910) + "{}]"},
		{"nested/200", strings.Repeat(`{"v":1,"next":`, 200) + "null" + strings.Repeat("}", 200)},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			if !json.Valid(text) {
				b.Fatal("the text is no JSON")
			}
			report(b, Work{1, int64(len(text))}, func() error {
				if !decode.Valid(text, 0) {
					return errRefused
				}
				return nil
			})
		})
	}
}

// BenchmarkUnescape appends a delta to a text, as the stores do; a delta is an event.
func BenchmarkUnescape(b *testing.B) {
	for _, c := range []struct{ name, raw string }{
		{"token", " quick"},
		{"text/1KiB", strings.Repeat("lorem ipsum ", 85)},
		{"arguments", `{\"query\": \"weather in Berlin\", \"days\": 3}`},
		{"newlines", `- one\n- two\n- three\n\n`},
		{"utf8", "敏捷的棕色狐狸跳过了懒狗"},
		{"u-escapes", `\u654f\u6377\u7684\u72d0\u72f8`},
		{"surrogate pairs", `party \ud83c\udf89 time \ud83d\udc69\u200d\ud83d\udcbb`},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			raw := []byte(c.raw)
			var dst []byte
			var carry uint16
			report(b, Work{1, int64(len(raw))}, func() error {
				dst = decode.AppendDelta(dst[:0], raw, &carry)
				return nil
			})
		})
	}
}

// BenchmarkEvent decodes and checks one event of each type.
func BenchmarkEvent(b *testing.B) {
	for _, frame := range sampleEvents {
		var ev decode.Event
		if err := ev.Decode([]byte(frame), 0); err != nil {
			b.Fatal(err)
		}
		b.Run(ev.Type.String(), func(b *testing.B) {
			text := []byte(frame)
			report(b, Work{1, int64(len(text))}, func() error {
				if err := ev.Decode(text, 0); err != nil {
					return err
				}
				return ev.Check()
			})
		})
	}
}

func TestThereIsASampleOfEveryType(t *testing.T) {
	seen := map[decode.Type]bool{}
	for _, frame := range sampleEvents {
		var ev decode.Event
		if err := ev.Decode([]byte(frame), 0); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		if err := ev.Check(); err != nil {
			t.Errorf("%s: %v", frame, err)
		}
		seen[ev.Type] = true
	}
	for typ := decode.Unknown + 1; typ < decode.NumTypes; typ++ {
		if !seen[typ] {
			t.Errorf("there is no sample of %s", typ)
		}
	}
}

// sampleEvents are one of each type, as producers write them.
var sampleEvents = []string{
	`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1","protocolVersion":"1.1"}`,
	`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1","outcome":{"type":"success"}}`,
	`{"type":"RUN_ERROR","message":"the model is overloaded","code":"overloaded"}`,
	`{"type":"STEP_STARTED","stepName":"plan"}`,
	`{"type":"STEP_FINISHED","stepName":"plan"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"msg-5f72b4cf","role":"assistant"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-5f72b4cf","delta":" quick"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"msg-5f72b4cf"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"msg-5f72b4cf","role":"assistant","delta":" quick"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"call-f3aZ","toolCallName":"get_weather","parentMessageId":"msg-5f72b4cf"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"call-f3aZ","delta":"{\"city\": \"Z\u00fcrich\"}"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"call-f3aZ"}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"call-f3aZ","toolCallName":"get_weather","delta":"{\"ci"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"msg-6","toolCallId":"call-f3aZ","content":"21 degrees, sunny","role":"tool"}`,
	`{"type":"STATE_SNAPSHOT","snapshot":{"meta":{"version":7,"title":"Plan"},"items":[{"id":"i1","done":false},{"id":"i2","done":true}]}}`,
	`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/meta/version","value":8},{"op":"add","path":"/items/-","value":{"id":"i3","done":false}}]}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"what is the weather?"},{"id":"a1","role":"assistant","content":"Let me see."}]}`,
	`{"type":"ACTIVITY_SNAPSHOT","messageId":"act-1","activityType":"PROGRESS","content":{"progress":0,"log":[]},"replace":true}`,
	`{"type":"ACTIVITY_DELTA","messageId":"act-1","activityType":"PROGRESS","patch":[{"op":"replace","path":"/progress","value":1}]}`,
	`{"type":"REASONING_START","messageId":"rs-1"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"r-1","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r-1","delta":" so the"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"r-1"}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"r-1","delta":" so the"}`,
	`{"type":"REASONING_END","messageId":"rs-1"}`,
	`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r-1","encryptedValue":"gAAAAABo3x"}`,
	`{"type":"RAW","event":{"id":"chatcmpl-1","choices":[{"delta":{"content":"x"}}]},"source":"openai"}`,
	`{"type":"CUSTOM","name":"metric","value":{"latency":12.5}}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"sub-1","name":"researcher","description":"Looks into it"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"sub-1","result":{"found":3},"outcome":{"type":"success"}}`,
	`{"type":"SUBAGENT_ERROR","subagentRunId":"sub-1","message":"gave up","code":"timeout"}`,
	`{"type":"THINKING_START","title":"Planning"}`,
	`{"type":"THINKING_END"}`,
	`{"type":"THINKING_TEXT_MESSAGE_START"}`,
	`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"let me"}`,
	`{"type":"THINKING_TEXT_MESSAGE_END"}`,
}
