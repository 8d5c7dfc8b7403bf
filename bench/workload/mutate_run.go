package workload

import "strings"

var runMutations = []mutation{
	{"late-run-error", "RUN_ERROR right after RUN_FINISHED", func(p *patient) []byte {
		return p.afterEnd([]byte(`{"type":"RUN_ERROR","message":"lost the database","code":"LATE"}`))
	}},
	{"event-after-finish", "an event between RUN_FINISHED and the next run or the end", func(p *patient) []byte {
		return p.afterEnd([]byte(pick(&p.r, []string{
			`{"type":"TEXT_MESSAGE_START","messageId":"msg-too-late"}`,
			`{"type":"CUSTOM","name":"acme/late","value":1}`,
			`{"type":"RAW","event":{}}`,
			`{"type":"STATE_DELTA","delta":[]}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
		})))
	}},
	{"second-run-started", "RUN_STARTED while a run is open", func(p *patient) []byte {
		start := p.draw(func(ev event) bool { return ev.typ == "RUN_STARTED" })
		if start < 0 {
			return nil
		}
		// Somewhere before the run's end, which is the first terminal event from here.
		end := start + 1
		for end < len(p.blocks) && !p.event(end).ends() {
			end++
		}
		ev := p.event(start)
		if p.r.oneIn(2) {
			ev = ev.with("runId", quoted("run-nested"))
		}
		at := min(p.r.between(start+1, end), len(p.blocks)-1)
		return p.insertBefore(at, ev.json())
	}},
	{"unknown-outcome", "a run or a subagent finishes with an outcome that no version knows", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return ev.typ == "RUN_FINISHED" || ev.typ == "SUBAGENT_FINISHED" })
		if i < 0 {
			return nil
		}
		outcome := pick(&p.r, []string{`{"type":"paused"}`, `{"type":"handed-over","to":"x"}`, `{"type":""}`})
		return p.replace(i, p.event(i).with("outcome", outcome).json())
	}},
	{"foreign-terminal-ids", "RUN_FINISHED names another run or thread than RUN_STARTED", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return ev.typ == "RUN_FINISHED" })
		if i < 0 {
			return nil
		}
		name := pick(&p.r, []string{"runId", "threadId"})
		return p.replace(i, p.event(i).with(name, quoted("foreign-"+strings.ToLower(name))).json())
	}},
	{"retired-thinking", "REASONING_START, _END and _MESSAGE_* in the shapes of the 0.x line, without ids", retiredThinking},
}

func (ev event) ends() bool { return ev.typ == "RUN_FINISHED" || ev.typ == "RUN_ERROR" }

func (p *patient) afterEnd(frame []byte) []byte {
	i := p.draw(func(ev event) bool { return ev.typ == "RUN_FINISHED" })
	if i < 0 {
		return nil
	}
	if i == len(p.blocks)-1 {
		return p.append(frame)
	}
	return p.insertBefore(i+1, frame)
}

var thinkingTypes = map[string]string{
	"REASONING_START":           "THINKING_START",
	"REASONING_END":             "THINKING_END",
	"REASONING_MESSAGE_START":   "THINKING_TEXT_MESSAGE_START",
	"REASONING_MESSAGE_CONTENT": "THINKING_TEXT_MESSAGE_CONTENT",
	"REASONING_MESSAGE_END":     "THINKING_TEXT_MESSAGE_END",
}

func retiredThinking(p *patient) []byte {
	var out []byte
	at := 0
	for i, b := range p.blocks {
		ev := p.event(i)
		old, ok := thinkingTypes[ev.typ]
		if !ok {
			continue
		}
		ev = ev.with("type", quoted(old)).without("messageId").without("role")
		if old == "THINKING_START" && p.r.oneIn(3) {
			ev = ev.with("title", `"Weighing it up"`)
		}
		out = append(out, p.body[at:b.start]...)
		out = appendFrame(out, ev.json())
		at = b.end
	}
	if out == nil {
		return p.insertInside(
			[]byte(`{"type":"THINKING_START","title":"Put in"}`),
			[]byte(`{"type":"THINKING_TEXT_MESSAGE_START"}`),
			[]byte(`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}`),
			[]byte(`{"type":"THINKING_TEXT_MESSAGE_END"}`),
			[]byte(`{"type":"THINKING_END"}`))
	}
	return append(out, p.body[at:]...)
}
