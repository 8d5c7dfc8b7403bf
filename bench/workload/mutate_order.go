package workload

import (
	"bytes"
	"slices"
	"strings"
)

var orderMutations = []mutation{
	{"drop-event", "cuts out one event", func(p *patient) []byte {
		if len(p.blocks) == 0 {
			return nil
		}
		return p.replace(p.r.intn(len(p.blocks)))
	}},
	{"duplicate-event", "sends one event twice in a row", func(p *patient) []byte {
		if len(p.blocks) == 0 {
			return nil
		}
		i := p.r.intn(len(p.blocks))
		return p.insertBefore(i, p.blocks[i].data)
	}},
	{"swap-events", "two events near each other change places", swapEvents},
	{"drop-start", "cuts out the opening event of a message, call, thought, span, step or subagent", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return ev.opens() })
		if i < 0 {
			// Nothing is opened here: an end alone looks like an item whose start was lost.
			return p.insertInside([]byte(`{"type":"TEXT_MESSAGE_END","messageId":"msg-without-start"}`))
		}
		return p.replace(i)
	}},
	{"drop-end", "cuts out the closing event of a message, call, thought, span, step or subagent", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return ev.closes() })
		if i < 0 {
			return p.insertInside([]byte(`{"type":"TEXT_MESSAGE_START","messageId":"msg-without-end"}`))
		}
		return p.replace(i)
	}},
	{"drop-terminal", "cuts out the event that ends a run", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return ev.typ == "RUN_FINISHED" || ev.typ == "RUN_ERROR" })
		if i < 0 {
			return nil
		}
		return p.replace(i)
	}},
	{"truncate", "ends the body at some byte", func(p *patient) []byte {
		if len(p.body) == 0 {
			return nil
		}
		return bytes.Clone(p.body[:p.r.intn(len(p.body))])
	}},
	{"wrong-owner", "a later event of an item names another owner than the opener did", func(p *patient) []byte {
		i := p.draw(func(ev event) bool {
			return ev.closes() && !strings.HasPrefix(ev.typ, "SUBAGENT_") || strings.HasSuffix(ev.typ, "_CONTENT") || strings.HasSuffix(ev.typ, "_ARGS")
		})
		stranger := quoted("sub-stranger-" + number(p.r.intn(100)))
		if i < 0 {
			return p.insertInside(
				[]byte(`{"type":"STEP_STARTED","stepName":"owned"}`),
				[]byte(`{"type":"STEP_FINISHED","stepName":"owned","subagentRunId":`+stranger+`}`))
		}
		return p.replace(i, p.event(i).with("subagentRunId", stranger).json())
	}},
	{"chunk-without-id", "a chunk without an id where no chunk stream is open that it could continue", chunkWithoutID},
}

func (ev event) opens() bool {
	return ev.typ != "RUN_STARTED" && (strings.HasSuffix(ev.typ, "_START") || strings.HasSuffix(ev.typ, "_STARTED"))
}

func (ev event) closes() bool {
	switch ev.typ {
	case "TEXT_MESSAGE_END", "TOOL_CALL_END", "REASONING_MESSAGE_END", "REASONING_END", "STEP_FINISHED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR":
		return true
	}
	return false
}

func swapEvents(p *patient) []byte {
	if len(p.blocks) < 2 {
		return nil
	}
	for range 16 { // equal neighbours would leave the body as it was
		i := p.r.intn(len(p.blocks) - 1)
		j := min(i+p.r.between(1, 3), len(p.blocks)-1)
		a, b := p.blocks[i], p.blocks[j]
		if bytes.Equal(a.data, b.data) {
			continue
		}
		out := append([]byte(nil), p.body[:a.start]...)
		out = appendFrame(out, b.data)
		out = append(out, p.body[a.end:b.start]...)
		out = appendFrame(out, a.data)
		return append(out, p.body[b.end:]...)
	}
	return nil
}

// Before the first chunk of its kind no lane can hold a stream that an id-less chunk would continue:
// so either that one loses its id, or another comes in somewhere in front of it.
func chunkWithoutID(p *patient) []byte {
	typ := pick(&p.r, []string{"TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"}) + "_CHUNK"
	places := p.where(func(ev event) bool { return ev.typ != "RUN_STARTED" })
	if first := p.where(func(ev event) bool { return ev.typ == typ }); len(first) > 0 {
		if p.r.oneIn(2) {
			return p.replace(first[0], p.event(first[0]).without("messageId").without("toolCallId").json())
		}
		places = slices.DeleteFunc(places, func(i int) bool { return i > first[0] })
	}
	if len(places) == 0 {
		return nil
	}
	return p.insertBefore(pick(&p.r, places), []byte(`{"type":"`+typ+`","delta":"whose?"}`))
}
