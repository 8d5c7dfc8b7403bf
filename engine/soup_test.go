package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// soup makes events of few ids, so that every rule about what was before meets every event: most of it is against the
// rules. Each choice takes a byte.
type soup struct{ bytes []byte }

func (s *soup) choice(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

func pick[T any](s *soup, list ...T) T { return list[s.choice(len(list))] }

func (s *soup) id() string     { return pick(s, "a", "b", "c", "d", "thinking-1", "a-message", "a-result") }
func (s *soup) callID() string { return pick(s, "a", "b", "c", "k") }
func (s *soup) tag() string {
	return pick(s, "", "", "", "", `,"subagentRunId":"s"`, `,"subagentRunId":"o"`, `,"subagentRunId":""`, `,"subagentRunId":null`)
}

func (s *soup) extra() string {
	return s.tag() + pick(s, "", "", "", "", "", `,"metadata":{"x":1}`, `,"metadata":{"y":{"z":null},"x":2}`, `,"timestamp":1e3`, `,"rawEvent":{"a":1}`,
		`,"extra":1`, `,"name":"Ann"`, `,"metadata":{}`)
}

func (s *soup) delta() string {
	return pick(s, `"x"`, `"yz"`, `""`, `"\ud83d"`, `"\ude00"`, `"é\n"`, `"a\ud83d"`, `"\ude00\ud83d"`, `"`+strings.Repeat("l", 40)+`"`)
}

func (s *soup) opt(name, value string) string {
	if s.choice(3) == 0 {
		return ""
	}
	return fmt.Sprintf(",%q:%s", name, value)
}

func quoted(s string) string { return `"` + s + `"` }

func (s *soup) call() string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":%s}%s}`, s.callID(), s.delta(), pick(s, "", `,"encryptedValue":"e"`, `,"metadata":{"q":1}`))
}

func (s *soup) message() string {
	id := s.id()
	owner := pick(s, "", "", `,"subagentRunId":"s"`, `,"metadata":{"x":9}`)
	switch s.choice(7) {
	case 0:
		return fmt.Sprintf(`{"id":%q,"role":"user","content":"u"%s}`, id, owner)
	case 1:
		return fmt.Sprintf(`{"id":%q,"role":"assistant"%s,"toolCalls":[%s]}`, id, owner, s.call())
	case 2:
		return fmt.Sprintf(`{"id":%q,"role":"assistant","content":"old"%s,"toolCalls":[%s,%s]}`, id, owner, s.call(), s.call())
	case 3:
		return fmt.Sprintf(`{"id":%q,"role":"tool","content":"t","toolCallId":%q%s}`, id, s.callID(), owner)
	case 4:
		return fmt.Sprintf(`{"id":%q,"role":"activity","activityType":"p","content":{"n":1}%s}`, id, owner)
	case 5:
		return fmt.Sprintf(`{"id":%q,"role":"reasoning","content":"r","encryptedValue":"e"%s}`, id, owner)
	}
	return fmt.Sprintf(`{"id":%q,"role":"user","content":[{"type":"text","text":"p"},%s]%s}`, id,
		pick(s, `{"type":"image","source":{"type":"url","value":"u"}}`, `{"type":"binary","mimeType":"image/png","url":"u"}`, `{"type":"new"}`, `{"type":"text","text":"q"}`), owner)
}

func (s *soup) patch() string {
	op := func() string {
		return pick(s, `{"op":"add","path":"/n","value":2}`, `{"op":"replace","path":"/n","value":{"m":[]}}`, `{"op":"add","path":"/n/m/-","value":1.0}`,
			`{"op":"remove","path":"/n"}`, `{"op":"move","from":"/n","path":"/o"}`, `{"op":"test","path":"/n","value":2.0}`, `{"op":"copy","from":"","path":"/c"}`,
			`{"op":"replace","path":"","value":7}`, `{"op":"add","path":"","value":{"n":1}}`, `{"op":"spin","path":"/n"}`, `{"op":"add","path":"n","value":1}`, `{"op":"add","path":"/n"}`)
	}
	switch s.choice(8) {
	case 0:
		return `[]`
	case 1:
		return pick(s, `{}`, `null`, `5`, `[5]`)
	case 2:
		return "[" + op() + "," + op() + "]"
	}
	return "[" + op() + "]"
}

// event makes one event.
func (s *soup) event() string {
	typ := func(t string, members ...string) string {
		return `{"type":"` + t + `"` + strings.Join(members, "") + s.extra() + "}"
	}
	id := func(name string) string { return fmt.Sprintf(",%q:%q", name, s.id()) }
	callID := func() string { return fmt.Sprintf(`,"toolCallId":%q`, s.callID()) }
	sub := func() string { return `,"subagentRunId":` + pick(s, `"s"`, `"o"`, `"p"`) }
	switch s.choice(40) {
	case 0, 1:
		return typ("TEXT_MESSAGE_START", id("messageId"), s.opt("role", pick(s, `"user"`, `"assistant"`, `"tool"`, `null`)))
	case 2, 3:
		return typ("TEXT_MESSAGE_CONTENT", id("messageId"), `,"delta":`, s.delta())
	case 4:
		return typ("TEXT_MESSAGE_END", id("messageId"))
	case 5, 6, 7:
		return typ("TEXT_MESSAGE_CHUNK", s.opt("messageId", quoted(s.id())), s.opt("delta", s.delta()), pick(s, "", "", "", `,"role":"user"`, `,"role":"assistant"`))
	case 8, 9:
		return typ("TOOL_CALL_START", callID(), `,"toolCallName":"`, pick(s, "f", "g"), `"`, s.opt("parentMessageId", quoted(s.id())))
	case 10:
		return typ("TOOL_CALL_ARGS", callID(), `,"delta":`, s.delta())
	case 11:
		return typ("TOOL_CALL_END", callID())
	case 12, 13:
		return typ("TOOL_CALL_CHUNK", s.opt("toolCallId", quoted(s.callID())), s.opt("toolCallName", `"f"`), s.opt("delta", s.delta()),
			pick(s, "", "", `,"parentMessageId":"a"`, `,"parentMessageId":"b"`))
	case 14:
		return typ("TOOL_CALL_RESULT", id("messageId"), callID(), `,"content":`, pick(s, `"t"`, `[]`, `[{"type":"text","text":"p"}]`, `[{"type":"new"}]`))
	case 15:
		return typ("STATE_SNAPSHOT", `,"snapshot":`, pick(s, `{"n":2}`, `null`, `[1,2.50]`, `{"n":{"m":[1]},"n":3}`, `"s"`))
	case 16, 17:
		return typ("STATE_DELTA", `,"delta":`, s.patch())
	case 18:
		var list []string
		for range s.choice(4) {
			list = append(list, s.message())
		}
		return typ("MESSAGES_SNAPSHOT", `,"messages":[`, strings.Join(list, ","), `]`)
	case 19:
		return typ("ACTIVITY_SNAPSHOT", id("messageId"), `,"activityType":"p","content":`, pick(s, `{"n":1}`, `{}`), pick(s, "", `,"replace":false`, `,"replace":true`, `,"replace":null`))
	case 20:
		return typ("ACTIVITY_DELTA", id("messageId"), `,"activityType":"q","patch":`, s.patch())
	case 21:
		return pick(s, typ("RAW", `,"event":null`), typ("CUSTOM", `,"name":"x","value":1`))
	case 22:
		return typ("RUN_STARTED", `,"threadId":"t","runId":"`, pick(s, "r", "q"), `"`, pick(s, "", "", `,"protocolVersion":"1.9"`,
			`,"input":{"threadId":"t","runId":"r","messages":[`+s.message()+`],"state":{"n":5}}`))
	case 23:
		return typ("RUN_FINISHED", `,"threadId":"t","runId":"r"`, pick(s, "", "", `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`, `,"outcome":{"type":"cancelled"}`,
			`,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"i","reason":"y"},{"id":"j","reason":"z","expiresAt":null}]}`,
			`,"outcome":{"type":"odd"}`, `,"result":[1]`, `,"usage":[{"inputTokens":1}]`))
	case 24:
		if s.choice(4) != 0 {
			return typ("CUSTOM", `,"name":"x","value":null`)
		}
		return typ("RUN_ERROR", `,"message":"no"`, pick(s, "", `,"code":"E"`))
	case 25:
		return typ("STEP_STARTED", `,"stepName":"w"`)
	case 26:
		return typ("STEP_FINISHED", `,"stepName":"w"`)
	case 27:
		return typ("REASONING_START", id("messageId"))
	case 28:
		return typ("REASONING_END", id("messageId"))
	case 29:
		return typ("REASONING_MESSAGE_START", id("messageId"), `,"role":"reasoning"`)
	case 30:
		return typ("REASONING_MESSAGE_CONTENT", id("messageId"), `,"delta":`, s.delta())
	case 31:
		return typ("REASONING_MESSAGE_END", id("messageId"))
	case 32:
		return typ("REASONING_MESSAGE_CHUNK", s.opt("messageId", quoted(s.id())), s.opt("delta", s.delta()))
	case 33:
		return typ("REASONING_ENCRYPTED_VALUE", `,"subtype":"`, pick(s, "message", "tool-call"), `"`, id("entityId"), `,"encryptedValue":"e"`, pick(s, "", `,"encryptedValueType":"k"`))
	case 34:
		return `{"type":"SUBAGENT_STARTED","name":"n"` + sub() + pick(s, "", `,"parentSubagentRunId":"s"`, `,"description":"d"`) + `}`
	case 35:
		return `{"type":"SUBAGENT_FINISHED"` + sub() + pick(s, "", `,"result":1`, `,"outcome":{"type":"suspended","interruptIds":["i"]}`, `,"outcome":{"type":"success"}`) + `}`
	case 36:
		return `{"type":"SUBAGENT_ERROR","message":"m"` + sub() + `}`
	case 37:
		return typ(pick(s, "THINKING_START", "THINKING_END"))
	case 38:
		return typ(pick(s, "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_END"))
	}
	return typ("THINKING_TEXT_MESSAGE_CONTENT", `,"delta":`, s.delta())
}

// soupBody is a stream whose first byte says in which manner it is read; most streams begin as they should.
func soupBody(data []byte) ([]byte, manner) {
	s := &soup{data}
	w := manners[s.choice(len(manners))]
	var events []string
	if s.choice(16) != 1 {
		events = append(events, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
	}
	for len(s.bytes) > 0 && len(events) < 400 {
		events = append(events, s.event())
	}
	return engine.Frames(events...), w
}

func TestEngineAgreesWithPlainOnSoup(t *testing.T) {
	streams := uint64(1500)
	if testing.Short() {
		streams = 200
	}
	failures := 0
	for seed := range streams {
		r := rand.New(rand.NewPCG(seed, 11))
		data := make([]byte, 8+r.IntN(250))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		body, w := soupBody(data)
		if diff := disagreement(t, body, w, randomCuts(seed)); diff != "" {
			t.Errorf("seed %d, %v (-plain +engine):\n%s\n%s", seed, w, diff, body)
			if failures++; failures == 3 {
				return
			}
		}
	}
}

// FuzzEvents is FuzzPipeline on streams of well-formed events that mostly break rules.
func FuzzEvents(f *testing.F) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 13))
		data := make([]byte, 60)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		body, w := soupBody(data)
		if disagreement(t, body, w, randomCuts(uint64(len(data)))) != "" {
			body = smallest(t, body, w, uint64(len(data)))
			t.Errorf("%v (-plain +engine):\n%s\n%s", w, disagreement(t, body, w, randomCuts(uint64(len(data)))), body)
		}
	})
}

// smallest leaves out of a body on which the two disagree what they disagree without: halves of it first, then ever
// smaller parts, down to an event.
func smallest(t testing.TB, body []byte, w manner, seed uint64) []byte {
	frames := bytes.SplitAfter(body, []byte("\n\n"))
	for n := len(frames) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(frames); {
			less := slices.Concat(frames[:i], frames[i+n:])
			if disagreement(t, slices.Concat(less...), w, randomCuts(seed)) == "" {
				i += n
				continue
			}
			frames = less
		}
	}
	return slices.Concat(frames...)
}
