package workload

import (
	"bytes"
	"strings"
)

// A function, because the closures reach `described`, and tables of both would depend on each other.
func fieldMutations() []mutation {
	return []mutation{
		{"unknown-type", "puts in an event of a type that no version knows", func(p *patient) []byte {
			typ := pick(&p.r, []string{"FANCY_NEW", "TEXT_MESSAGE_CONTENTS", "text_message_start", "", "RUN_PAUSED"})
			return p.insertInside([]byte(`{"type":"` + typ + `","messageId":"m","delta":"x"}`))
		}},
		{"unknown-property", "gives an event a property that its type doesn't describe", func(p *patient) []byte {
			i := p.draw(func(ev event) bool { return described[ev.typ] != fields{} })
			if i < 0 {
				return nil
			}
			ev := p.event(i)
			name := "xVendorHint"
			if p.r.oneIn(2) {
				name = "stepName" // described, though elsewhere
				if strings.HasPrefix(ev.typ, "STEP_") {
					name = "delta"
				}
			}
			return p.replace(i, ev.with(name, pick(&p.r, []string{`"hint"`, `{"a":[1,null]}`, `null`, `12`})).json())
		}},
		{"wrong-type-field", "gives a described field a value of another JSON type", wrongType},
		{"missing-field", "takes a required field away", func(p *patient) []byte {
			i, name := p.drawField(func(ev event) []string { return typed(described[ev.typ].required, true) })
			if i < 0 {
				return nil
			}
			return p.replace(i, p.event(i).without(name).json())
		}},
		{"null-required", "sets a required field to null, where any JSON isn't allowed", func(p *patient) []byte {
			i, name := p.drawField(func(ev event) []string { return typed(described[ev.typ].required, false) })
			if i < 0 {
				return nil
			}
			return p.replace(i, p.event(i).with(name, "null").json())
		}},
		{"null-optional", "sets one or two absent optional fields to null, as many producers do", func(p *patient) []byte {
			i := p.draw(func(ev event) bool { return len(ev.absent()) > 0 })
			if i < 0 {
				return nil
			}
			ev := p.event(i)
			for range p.r.between(1, 2) {
				if list := ev.absent(); len(list) > 0 {
					ev = ev.with(pick(&p.r, list), "null")
				}
			}
			return p.replace(i, ev.json())
		}},
		{"duplicate-member", "an event names one member twice with two values; the last one counts", func(p *patient) []byte {
			i, name := p.drawField(func(ev event) []string { return typed(described[ev.typ].required, false) })
			if i < 0 {
				return nil
			}
			ev := p.event(i)
			decoy := member{name: name, value: []byte(pick(&p.r, []string{`"decoy"`, `7`, `null`, `[]`}))}
			at := 0
			if p.r.oneIn(2) {
				at = len(ev.members)
			}
			return p.replace(i, ev.insert(at, decoy).json())
		}},
		{"case-wrong-member", "writes a required member's name in another case", func(p *patient) []byte {
			i, name := p.drawField(func(ev event) []string { return typed(described[ev.typ].required, true) })
			if i < 0 {
				return nil
			}
			ev := p.event(i)
			other := strings.ToUpper(name)
			if lower := strings.ToLower(name); lower != name && p.r.oneIn(2) {
				other = lower
			}
			ev.members[ev.index(name)].name = other
			return p.replace(i, ev.json())
		}},
		{"escaped-member-name", "writes a member's name with escapes; it means the same", func(p *patient) []byte {
			i := p.draw(func(event) bool { return true })
			if i < 0 {
				return nil
			}
			ev := p.event(i)
			k := p.r.intn(len(ev.members))
			name := ev.members[k].name
			if name == "" {
				return nil
			}
			at := p.r.intn(len(name))
			key := appendEscaped([]byte{'"'}, name[:at], styleASCII)
			key = appendHex(key, uint16(name[at]))
			key = append(appendEscaped(key, name[at+1:], styleASCII), '"')
			ev.members[k].key = key
			return p.replace(i, ev.json())
		}},
	}
}

// drawField picks an event that holds one of the fields asked for, and the field.
func (p *patient) drawField(of func(event) []string) (int, string) {
	held := func(ev event) []string {
		var names []string
		for _, name := range of(ev) {
			if ev.get(name) != nil {
				names = append(names, name)
			}
		}
		return names
	}
	i := p.draw(func(ev event) bool { return len(held(ev)) > 0 })
	if i < 0 {
		return -1, ""
	}
	return i, pick(&p.r, held(p.event(i)))
}

// absent lists the optional fields that the event doesn't have.
func (ev event) absent() []string {
	f, known := described[ev.typ]
	if !known {
		return nil
	}
	var names []string
	for _, name := range f.optionals() {
		if ev.get(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

func (ev event) insert(at int, m member) event {
	members := append([]member(nil), ev.members[:at]...)
	members = append(members, m)
	return event{typ: ev.typ, members: append(members, ev.members[at:]...)}
}

func wrongType(p *patient) []byte {
	i, name := p.drawField(func(ev event) []string {
		f := described[ev.typ]
		names := append(typed(f.required, false), typed(f.optional, false)...)
		return append(names, "timestamp", "metadata", "subagentRunId")
	})
	if i < 0 {
		return nil
	}
	ev := p.event(i)
	var value string
	switch old := bytes.TrimSpace(ev.get(name)); {
	case ev.typ == "TOOL_CALL_RESULT" && name == "content": // a string or an array
		value = pick(&p.r, []string{`{}`, `true`, `12`})
	case old[0] == '"':
		value = pick(&p.r, []string{`12345`, `true`, `{}`, `[]`, `["x"]`})
	case old[0] == '[':
		value = pick(&p.r, []string{`"[]"`, `{}`, `0`, `false`})
	case old[0] == '{':
		value = pick(&p.r, []string{`"{}"`, `[]`, `1`, `true`})
	default: // a number or a boolean
		value = pick(&p.r, []string{`"1"`, `[]`, `{}`})
	}
	return p.replace(i, ev.with(name, value).json())
}
