package workload

import (
	"bytes"
	"strings"
)

var textMutations = []mutation{
	{"invalid-utf8", "puts bytes that are no UTF-8 into a delta", func(p *patient) []byte {
		return p.intoDelta(pick(&p.r, []string{"\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\x80\x80", "\xf4\x90\x80\x80", "\xe2\x82\xf0\x9f", "a\xc3\xa9\xc3"}))
	}},
	{"lone-surrogate", "puts half of a surrogate pair, escaped, into a delta", func(p *patient) []byte {
		return p.intoDelta(pick(&p.r, []string{`\ud83dx`, `\ude00`, `\udc00\ud800x`, `\ud83d\ud83dx`, `\uD83D\n`, `\ud83d\u0041`}))
	}},
	{"split-surrogate", "cuts an emoji's two escapes apart, over two deltas of one item", splitSurrogate},
}

// streams says whether the event is a delta of an item that it names.
func (ev event) streams() bool {
	return strings.HasSuffix(ev.typ, "_CONTENT") || ev.typ == "TOOL_CALL_ARGS"
}

// itemID is the id of what the event streams.
func (ev event) itemID() string {
	if ev.typ == "TOOL_CALL_ARGS" {
		return ev.str("toolCallId")
	}
	return ev.str("messageId")
}

// lonely is a message of its own, for bodies without any delta.
func lonely(deltas ...string) [][]byte {
	frames := [][]byte{[]byte(`{"type":"TEXT_MESSAGE_START","messageId":"msg-put-in"}`)}
	for _, d := range deltas {
		frames = append(frames, []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-put-in","delta":"`+d+`"}`))
	}
	return append(frames, []byte(`{"type":"TEXT_MESSAGE_END","messageId":"msg-put-in"}`))
}

// intoDelta puts raw string text at the start or the end of some delta.
func (p *patient) intoDelta(text string) []byte {
	i := p.draw(func(ev event) bool {
		return (ev.streams() || strings.HasSuffix(ev.typ, "_CHUNK")) && bytes.HasPrefix(ev.get("delta"), []byte{'"'})
	})
	if i < 0 {
		return p.insertInside(lonely(text)...)
	}
	ev := p.event(i)
	old := string(ev.get("delta"))
	value := `"` + text + old[1:]
	if p.r.oneIn(2) {
		value = old[:len(old)-1] + text + `"`
	}
	return p.replace(i, ev.with("delta", value).json())
}

func splitSurrogate(p *patient) []byte {
	type pair struct{ first, second int }
	var pairs []pair
	last := map[string]int{}
	for i := range p.blocks {
		ev := p.event(i)
		if !ev.streams() {
			if ev.closes() {
				clear(last)
			}
			continue
		}
		key := ev.typ + " " + ev.itemID()
		if before, ok := last[key]; ok {
			pairs = append(pairs, pair{before, i})
		}
		last[key] = i
	}
	if len(pairs) == 0 {
		return p.insertInside(lonely(`a\ud83d`, `\ude00b`)...)
	}
	at := pick(&p.r, pairs)
	first, second := p.event(at.first), p.event(at.second)
	head, tail := string(first.get("delta")), string(second.get("delta"))
	first = first.with("delta", head[:len(head)-1]+`\ud83d"`)
	second = second.with("delta", `"\ude00`+tail[1:])
	a, b := p.blocks[at.first], p.blocks[at.second]
	out := append([]byte(nil), p.body[:a.start]...)
	out = appendFrame(out, first.json())
	out = append(out, p.body[a.end:b.start]...)
	out = appendFrame(out, second.json())
	return append(out, p.body[b.end:]...)
}
