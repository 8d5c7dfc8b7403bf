package workload

var snapshotMutations = []mutation{
	{"snapshot-in-the-middle", "a MESSAGES_SNAPSHOT of what was streamed so far, as it is or with messages dropped, replaced, doubled or new", snapshotInTheMiddle},
}

// told is a message as the deltas so far have it.
type told struct {
	id, role, owner string
	content         []byte // text, or JSON when parts
	parts           bool
	call            string // tool messages: the call that it answers
	calls           []*toldCall
}

type toldCall struct {
	id, name string
	args     []byte
}

// tale folds events into messages: no more of the rules than a producer knows who sends a snapshot of
// its own stream.
type tale struct {
	messages []*told
	byID     map[string]*told
	calls    map[string]*toldCall
}

func (t *tale) message(id, role string, ev event) *told {
	if m := t.byID[id]; m != nil {
		return m
	}
	m := &told{id: id, role: role, owner: ev.str("subagentRunId")}
	t.byID[id] = m
	t.messages = append(t.messages, m)
	return m
}

func (t *tale) tell(ev event) {
	switch ev.typ {
	case "TEXT_MESSAGE_START":
		role := ev.str("role")
		if role == "" {
			role = "assistant"
		}
		t.message(ev.str("messageId"), role, ev)
	case "REASONING_MESSAGE_START":
		t.message(ev.str("messageId"), "reasoning", ev)
	case "TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT":
		if m := t.byID[ev.str("messageId")]; m != nil {
			m.content = append(m.content, ev.str("delta")...)
		}
	case "TOOL_CALL_START":
		id, parent := ev.str("toolCallId"), ev.str("parentMessageId")
		if t.calls[id] != nil {
			return
		}
		if parent == "" {
			parent = id
		}
		c := &toldCall{id: id, name: ev.str("toolCallName")}
		t.calls[id] = c
		m := t.message(parent, "assistant", ev)
		m.calls = append(m.calls, c)
	case "TOOL_CALL_ARGS":
		if c := t.calls[ev.str("toolCallId")]; c != nil {
			c.args = append(c.args, ev.str("delta")...)
		}
	case "TOOL_CALL_RESULT":
		m := t.message(ev.str("messageId"), "tool", ev)
		m.call = ev.str("toolCallId")
		m.content = []byte(ev.str("content"))
		if raw := ev.get("content"); len(raw) > 0 && raw[0] == '[' {
			m.content, m.parts = raw, true
		}
	}
}

func (m *told) append(dst []byte) []byte {
	dst = append(dst, `{"id":`+quoted(m.id)+`,"role":"`+m.role+`","content":`...)
	if m.parts {
		dst = append(dst, m.content...)
	} else {
		dst = appendQuoted(dst, m.content, styleRaw)
	}
	if len(m.calls) > 0 {
		dst = append(dst, `,"toolCalls":[`...)
		for i, c := range m.calls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"id":`+quoted(c.id)+`,"type":"function","function":{"name":`+quoted(c.name)+`,"arguments":`...)
			dst = append(appendQuoted(dst, c.args, styleRaw), "}}"...)
		}
		dst = append(dst, ']')
	}
	if m.role == "tool" {
		dst = append(dst, `,"toolCallId":`+quoted(m.call)...)
	}
	if m.owner != "" {
		dst = append(dst, `,"subagentRunId":`+quoted(m.owner)...)
	}
	return append(dst, '}')
}

func snapshotInTheMiddle(p *patient) []byte {
	at := p.inside()
	if at < 0 {
		return nil
	}
	t := tale{byID: map[string]*told{}, calls: map[string]*toldCall{}}
	for i := range at {
		t.tell(p.event(i))
	}
	list := t.messages
	if len(list) > 0 {
		k := p.r.intn(len(list))
		switch p.r.intn(6) {
		case 0:
			list = append(append([]*told(nil), list[:k]...), list[k+1:]...)
		case 1:
			other := *list[k]
			other.content, other.parts = []byte("replaced by the snapshot 🎈"), false
			list[k] = &other
		case 2: // one id twice: the last stands
			other := *list[k]
			other.content, other.parts = []byte("the second of two"), false
			list = append(list, &other)
		case 3: // without the thoughts, which then are kept
			list = nil
			for _, m := range t.messages {
				if m.role != "reasoning" {
					list = append(list, m)
				}
			}
		}
	}
	if p.r.oneIn(2) {
		list = append([]*told{{id: "user-snapshot", role: "user", content: []byte("Salut, ça va ?")}}, list...)
	}
	snapshot := []byte(`{"type":"MESSAGES_SNAPSHOT","messages":[`)
	for i, m := range list {
		if i > 0 {
			snapshot = append(snapshot, ',')
		}
		snapshot = m.append(snapshot)
	}
	if p.r.oneIn(4) {
		if len(list) > 0 {
			snapshot = append(snapshot, ',')
		}
		snapshot = append(snapshot, `{"id":"act-snapshot","role":"activity","activityType":"PLAN","content":{"steps":[]}}`...)
	}
	return p.insertBefore(at, append(snapshot, "]}"...))
}
