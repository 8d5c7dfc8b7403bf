package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// The reference patches a clone, over plain slices and strings, and shares
// nothing with the document: values are parsed by encoding/json's tokens,
// pointers split into strings, numbers compared as big.Rat.

type refMember struct {
	name  string
	value any
}

type (
	refObject []refMember
	refArray  []any
)

var errRef = errors.New("the patch doesn't apply")

func refParse(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, err := refValue(dec)
	if err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

func refValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := refArray{}
		for dec.More() {
			item, err := refValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := dec.Token()
		return list, err
	case json.Delim('{'):
		object := refObject{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := refValue(dec)
			if err != nil {
				return nil, err
			}
			object = object.with(name.(string), value)
		}
		_, err := dec.Token()
		return object, err
	}
	return token, nil
}

func (o refObject) find(name string) int {
	for i := range o {
		if o[i].name == name {
			return i
		}
	}
	return -1
}

func (o refObject) with(name string, value any) refObject {
	if i := o.find(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, refMember{name, value})
}

func refClone(v any) any {
	switch v := v.(type) {
	case refArray:
		c := make(refArray, len(v))
		for i := range v {
			c[i] = refClone(v[i])
		}
		return c
	case refObject:
		c := make(refObject, len(v))
		for i := range v {
			c[i] = refMember{v[i].name, refClone(v[i].value)}
		}
		return c
	}
	return v
}

func refText(v any) string {
	switch v := v.(type) {
	case refArray:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = refText(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case refObject:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = refText(v[i].name) + ":" + refText(v[i].value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case json.Number:
		return string(v)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	text := strings.TrimSuffix(out.String(), "\n")
	// encoding/json escapes these two for the sake of JavaScript.
	return strings.NewReplacer("\\u2028", "\u2028", "\\u2029", "\u2029").Replace(text)
}

func refEqual(a, b any) bool {
	switch a := a.(type) {
	case refArray:
		b, ok := b.(refArray)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !refEqual(a[i], b[i]) {
				return false
			}
		}
		return true
	case refObject:
		b, ok := b.(refObject)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			at := b.find(a[i].name)
			if at < 0 || !refEqual(a[i].value, b[at].value) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && refSameNumber(string(a), string(b))
	}
	return a == b
}

// refSameNumber leaves exponents alone that big.Rat would spell out.
func refSameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, okx := new(big.Rat).SetString(a)
	y, oky := new(big.Rat).SetString(b)
	return okx && oky && x.Cmp(y) == 0
}

func refTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(tokens[i], "~1", "/"), "~0", "~")
	}
	return tokens
}

func refIndex(token string, most int) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i > most || strconv.Itoa(i) != token {
		return 0, errRef
	}
	return i, nil
}

func refGet(v any, tokens []string) (any, error) {
	for _, token := range tokens {
		switch held := v.(type) {
		case refObject:
			i := held.find(token)
			if i < 0 {
				return nil, errRef
			}
			v = held[i].value
		case refArray:
			i, err := refIndex(token, len(held)-1)
			if err != nil {
				return nil, err
			}
			v = held[i]
		default:
			return nil, errRef
		}
	}
	return v, nil
}

// refEdit gives v with what edit makes of the container that holds the last token.
func refEdit(v any, tokens []string, edit func(held any, last string) (any, error)) (any, error) {
	if len(tokens) == 1 {
		return edit(v, tokens[0])
	}
	child, err := refGet(v, tokens[:1])
	if err != nil {
		return nil, err
	}
	child, err = refEdit(child, tokens[1:], edit)
	if err != nil {
		return nil, err
	}
	return refEdit(v, tokens[:1], func(held any, last string) (any, error) { return refReplaceIn(held, last, child) })
}

func refReplaceIn(held any, last string, value any) (any, error) {
	switch held := held.(type) {
	case refObject:
		i := held.find(last)
		if i < 0 {
			return nil, errRef
		}
		held[i].value = value
		return held, nil
	case refArray:
		i, err := refIndex(last, len(held)-1)
		if err != nil {
			return nil, err
		}
		held[i] = value
		return held, nil
	}
	return nil, errRef
}

func refAddIn(held any, last string, value any) (any, error) {
	switch held := held.(type) {
	case refObject:
		return held.with(last, value), nil
	case refArray:
		if last == "-" {
			return append(held, value), nil
		}
		i, err := refIndex(last, len(held))
		if err != nil {
			return nil, err
		}
		return append(held[:i:i], append(refArray{value}, held[i:]...)...), nil
	}
	return nil, errRef
}

func refRemoveIn(held any, last string, _ any) (any, error) {
	switch held := held.(type) {
	case refObject:
		i := held.find(last)
		if i < 0 {
			return nil, errRef
		}
		return append(held[:i:i], held[i+1:]...), nil
	case refArray:
		i, err := refIndex(last, len(held)-1)
		if err != nil {
			return nil, err
		}
		return append(held[:i:i], held[i+1:]...), nil
	}
	return nil, errRef
}

type refOp struct {
	op         string
	path, from []string
	value      any
}

func refPatch(text string) ([]refOp, error) {
	v, err := refParse(text)
	if err != nil {
		return nil, err
	}
	list, ok := v.(refArray)
	if !ok {
		return nil, errors.New("no array")
	}
	var ops []refOp
	for i, element := range list {
		object, ok := element.(refObject)
		if !ok {
			return nil, fmt.Errorf("element %d is no object", i)
		}
		op, err := refOneOp(object)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if op.op != "" {
			ops = append(ops, op)
		}
	}
	return ops, nil
}

func refOneOp(object refObject) (op refOp, err error) {
	text := func(name string) string {
		at := object.find(name)
		if at < 0 {
			err = errors.New(name + " missing")
			return ""
		}
		s, ok := object[at].value.(string)
		if !ok {
			err = errors.New(name + " no string")
		}
		return s
	}
	pointer := func(name string) []string {
		s := text(name)
		bare := strings.NewReplacer("~0", "", "~1", "").Replace(s)
		if s != "" && s[0] != '/' || strings.Contains(bare, "~") {
			err = errors.New(name + " no pointer")
			return nil
		}
		return refTokens(s)
	}
	if op.op = text("op"); err != nil {
		return op, err
	}
	switch op.op {
	case "add", "replace", "test":
		op.path = pointer("path")
		at := object.find("value")
		if at < 0 {
			return op, errors.New("value missing")
		}
		op.value = object[at].value
	case "remove":
		op.path = pointer("path")
	case "move", "copy":
		op.path, op.from = pointer("path"), pointer("from")
	default:
		return refOp{}, nil
	}
	return op, err
}

// refApply gives the patched clone, or an error.
func refApply(doc any, ops []refOp) (any, error) {
	doc = refClone(doc)
	var err error
	put := func(path []string, value any, in func(any, string, any) (any, error)) {
		if len(path) == 0 {
			doc = value
			return
		}
		var out any
		out, err = refEdit(doc, path, func(held any, last string) (any, error) { return in(held, last, value) })
		if err == nil {
			doc = out
		}
	}
	for _, op := range ops {
		switch op.op {
		case "add":
			put(op.path, refClone(op.value), refAddIn)
		case "replace":
			put(op.path, refClone(op.value), refReplaceIn)
		case "remove":
			if len(op.path) == 0 {
				return nil, errRef
			}
			put(op.path, nil, refRemoveIn)
		case "test":
			held, missing := refGet(doc, op.path)
			if missing != nil || !refEqual(held, op.value) {
				return nil, errRef
			}
		case "copy":
			held, missing := refGet(doc, op.from)
			if missing != nil {
				return nil, errRef
			}
			put(op.path, refClone(held), refAddIn)
		case "move":
			held, missing := refGet(doc, op.from)
			if missing != nil {
				return nil, errRef
			}
			same := refPrefix(op.path, op.from)
			if same && len(op.path) == len(op.from) {
				continue
			}
			if same {
				return nil, errRef
			}
			if len(op.from) == 0 {
				return nil, errRef
			}
			if put(op.from, nil, refRemoveIn); err == nil {
				put(op.path, held, refAddIn)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func refPrefix(path, from []string) bool {
	if len(path) < len(from) {
		return false
	}
	for i := range from {
		if path[i] != from[i] {
			return false
		}
	}
	return true
}
