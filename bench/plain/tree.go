package plain

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// parse reads JSON text into map[string]any, []any, json.Number, string, bool
// and nil. Numbers keep their digits; the last of duplicate members stands.
func parse(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// mustParse is parse for text that encoding/json has accepted before; what it
// still may refuse is a depth that the frame's own limit rules out.
func mustParse(raw []byte) any {
	v, err := parse(raw)
	if err != nil {
		panic("plain: JSON accepted once is refused now: " + err.Error())
	}
	return v
}

// appendJSON writes a tree as compact JSON, members sorted by name.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case json.Number:
		return append(dst, v...)
	case string:
		return appendQuoted(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, name), ':')
			dst = appendJSON(dst, v[name])
		}
		return append(dst, '}')
	}
	panic("plain: no JSON value")
}

// normal gives the compact text of a JSON value: duplicates folded, lone
// surrogates replaced.
func normal(raw []byte) []byte { return appendJSON(nil, mustParse(raw)) }

// equalTrees compares by value: member order is free and numbers are exact.
func equalTrees(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalTrees)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalTrees)
	}
	return a == b
}

// object writes one JSON object, member by member.
type object struct {
	b     []byte
	comma bool
}

func newObject(dst []byte) object { return object{b: append(dst, '{')} }

func (o *object) name(name string) {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = true
	o.b = append(appendQuoted(o.b, name), ':')
}

func (o *object) raw(name string, value []byte) {
	o.name(name)
	o.b = append(o.b, value...)
}

func (o *object) text(name, value string) {
	o.name(name)
	o.b = appendQuoted(o.b, value)
}

func (o *object) bytes(name string, value []byte) {
	o.name(name)
	o.b = appendQuoted(o.b, value)
}

func (o *object) option(name string, value opt) {
	if value.ok {
		o.text(name, value.s)
	}
}

func (o *object) tree(name string, value any) {
	o.name(name)
	o.b = appendJSON(o.b, value)
}

func (o *object) close() []byte { return append(o.b, '}') }
