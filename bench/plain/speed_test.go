package plain

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// chatBody is a run of one answer, token by token.
func chatBody(tokens int) ([]byte, [][]byte) {
	words := []string{"The ", "quick ", "brown ", "fox", ", ", "jumps\\n", "over ", "it's ", "lazy ", "dog. "}
	events := []string{runStart, `{"type":"TEXT_MESSAGE_START","messageId":"msg-0f3a","role":"assistant"}`}
	for i := range tokens {
		events = append(events, fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-0f3a","delta":"%s"}`, words[i%len(words)]))
	}
	events = append(events, `{"type":"TEXT_MESSAGE_END","messageId":"msg-0f3a"}`, runEnd)
	frames := make([][]byte, len(events))
	for i, e := range events {
		frames[i] = []byte(e)
	}
	return body(events...), frames
}

// bareEvent is what one would decode text events into.
type bareEvent struct {
	Type         string          `json:"type"`
	MessageID    string          `json:"messageId"`
	ToolCallID   string          `json:"toolCallId"`
	ToolCallName string          `json:"toolCallName"`
	Role         string          `json:"role"`
	Delta        json.RawMessage `json:"delta"`
	Snapshot     json.RawMessage `json:"snapshot"`
	ThreadID     string          `json:"threadId"`
	RunID        string          `json:"runId"`
}

func BenchmarkChat(b *testing.B) {
	text, frames := chatBody(1000)
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, f := range frames {
				var e bareEvent
				if err := json.Unmarshal(f, &e); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/event")
	})
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bytes := 0
			p := New(Options{Update: func(u *Update) { bytes += len(u.Delta) }})
			for chunk := text; len(chunk) > 0; {
				n := min(len(chunk), 64<<10)
				if _, err := p.Write(chunk[:n]); err != nil {
					b.Fatal(err)
				}
				chunk = chunk[n:]
			}
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/event")
	})
}

// TestGrowthIsLinear watches for text kept as strings that are made anew at
// each delta: ten times the deltas may not take many times ten the memory.
func TestGrowthIsLinear(t *testing.T) {
	cost := func(deltas int) float64 {
		event := `data: {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"` + strings.Repeat("x", 100) + "\"}\n\n"
		text := append(body(runStart, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"}`), strings.Repeat(event, deltas)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := New(Options{})
		_, _ = p.Write(text)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if small, large := cost(1000), cost(10000); large > 20*small {
		t.Errorf("1,000 deltas allocate %.0f bytes, 10,000 %.0f", small, large)
	}
}
