package workload

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// event is one frame's object, taken apart at its top level so that one member can be changed and
// every other byte kept. An event that is no JSON object has no members and no type.
type event struct {
	typ     string
	members []member
}

type member struct {
	name  string
	value []byte // JSON text
	key   []byte // JSON text of the name where it is not the plain one
}

func parseEvent(data []byte) event {
	var ev event
	text := bytes.TrimSpace(data)
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return ev
	}
	for at := 1; ; {
		key, next := valueAt(text, at)
		if len(key) == 0 {
			break
		}
		value, next := valueAt(text, next)
		at = next
		ev.members = append(ev.members, member{name: unquoted(key), value: value})
	}
	ev.typ = ev.str("type")
	return ev
}

// valueAt is the next value in valid JSON text from at on, past white space, commas and colons, and
// where it ends; empty at the end of the object.
func valueAt(text []byte, at int) (value []byte, next int) {
	for text[at] <= ' ' || text[at] == ',' || text[at] == ':' {
		at++
	}
	depth, end := 0, at
	for {
		switch c := text[end]; c {
		case '"':
			for end++; text[end] != '"'; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			if depth == 0 {
				return text[at : end+1], end + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of what holds the value: a scalar, or nothing, ends here
				return text[at:end], end
			}
			if depth--; depth == 0 {
				return text[at : end+1], end + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return text[at:end], end
			}
		}
		end++
	}
}

// unquoted is the value of a JSON string, "" when it is none.
func unquoted(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var s string
	if json.Unmarshal(text, &s) != nil {
		return ""
	}
	return s
}

func (ev event) index(name string) int {
	return slices.IndexFunc(ev.members, func(m member) bool { return m.name == name })
}

func (ev event) get(name string) []byte {
	if i := ev.index(name); i >= 0 {
		return ev.members[i].value
	}
	return nil
}

// str is a string member's value, "" when it is absent or no string.
func (ev event) str(name string) string {
	text := ev.get(name)
	if len(text) == 0 || text[0] != '"' {
		return ""
	}
	return unquoted(text)
}

// with is the event with a member set, at its place or at the end.
func (ev event) with(name, value string) event {
	members := slices.Clone(ev.members)
	if i := ev.index(name); i >= 0 {
		members[i].value = []byte(value)
	} else {
		members = append(members, member{name: name, value: []byte(value)})
	}
	return event{typ: ev.typ, members: members}
}

func (ev event) without(name string) event {
	return event{typ: ev.typ, members: slices.DeleteFunc(slices.Clone(ev.members), func(m member) bool { return m.name == name })}
}

// json is the event's text, compact.
func (ev event) json() []byte {
	dst := []byte{'{'}
	for i, m := range ev.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m.key != nil {
			dst = append(dst, m.key...)
		} else {
			dst = appendQuoted(dst, m.name, styleRaw)
		}
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

func quoted(s string) string { return string(appendQuoted(nil, s, styleRaw)) }

func number(n int) string { return strconv.Itoa(n) }

// arrayElements are the values of a JSON array, none when it is no array.
func arrayElements(text []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}
