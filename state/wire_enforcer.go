package state

import (
	"bytes"
	"math/bits"
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/aguistream/aguistream/decode"
)

// Enforcer decodes nested payloads of the wire with what protocol section 6.2 says of unknown and malformed material, in
// one of two rule sets (semantics, section 6). Its zero value is the Spec rule set without warnings.
//
// The JSON text that it is given must have been validated. What it returns holds nothing of it. Errors are *decode.Error
// of kind JSON, whose Field is the path of what is malformed; an activity's content over its limit, and a payload of more
// than 1,048,576 values (commas and brackets within strings counted), are a *LimitError.
type Enforcer struct {
	// Loud makes an unknown member of a union or enum an error instead of stripping it, and says nothing of unknown
	// properties.
	Loud bool
	// Warn is told what was stripped (Spec), of each null read as absent, and of each upgraded part, with a path in the
	// style of a JSON pointer: /messages/0/content/1. It may be nil.
	Warn func(path, what string)
	// QuietBinary upgrades binary parts without a warning.
	QuietBinary bool
	// Pool, if set, is where messages come from: that of the Store that will take them over.
	Pool *Pool

	room         partRoom
	names        []string
	messagesRead []*Message
	at           enforcement
}

var parsers fastjson.ParserPool

// maxValues is how many values one payload may hold. The tree of each takes some two hundred bytes, so a frame of nothing
// but empty objects would take a hundred times its own size.
const maxValues = 1 << 20

// values is no less than the number of values in a text: each but the first follows a comma or the beginning of a
// container.
func values(raw []byte) int {
	return 1 + bytes.Count(raw, []byte{','}) + bytes.Count(raw, []byte{'['}) + bytes.Count(raw, []byte{'{'})
}

// keptParse is the size of text up to which its parser is used again; a larger one would hold its tree for ever.
const keptParse = 256 << 10

// enforcement is one call's walk over one tree.
type enforcement struct {
	*Enforcer
	path    []byte // of the value at hand
	scratch []byte
	size    int // of the text
}

func (e *Enforcer) walk(raw []byte, path string, f func(d *enforcement, v *fastjson.Value) error) error {
	d := &e.at
	d.Enforcer = e
	d.size = len(raw)
	d.path = append(d.path[:0], path...)
	if len(raw) > maxValues && values(raw) > maxValues {
		return &LimitError{What: "values in one payload", Limit: maxValues}
	}
	p := parsers.Get()
	if len(raw) <= keptParse {
		defer parsers.Put(p)
	}
	// fastjson would keep a lone surrogate escape as six characters, and bad UTF-8 as it is.
	v, err := p.ParseBytes(decode.Sanitize(nil, raw))
	if err != nil {
		return d.malformed("can't be read: " + err.Error())
	}
	return f(d, v)
}

func (d *enforcement) malformed(reason string) error {
	return &decode.Error{Kind: decode.KindJSON, Field: string(d.path), Reason: reason}
}

func (d *enforcement) warn(what string) {
	if d.Warn != nil {
		d.Warn(string(d.path), what)
	}
}

// enter goes down to a member; the result is for leave.
func (d *enforcement) enter(name string) int {
	n := len(d.path)
	d.path = append(d.path, '/')
	for i := range len(name) {
		switch name[i] {
		case '~':
			d.path = append(d.path, "~0"...)
		case '/':
			d.path = append(d.path, "~1"...)
		default:
			d.path = append(d.path, name[i])
		}
	}
	return n
}

func (d *enforcement) enterIndex(i int) int {
	n := len(d.path)
	d.path = strconv.AppendInt(append(d.path, '/'), int64(i), 10)
	return n
}

func (d *enforcement) leave(n int) { d.path = d.path[:n] }

// shape is a closed object: its members, and which of them it can't be without.
// name is what its discriminator says, where it is a union's member.
type shape struct {
	required, optional memberSet
	name               string
}

// named puts the discriminators into a union's shapes.
func named(union map[string]shape) map[string]shape {
	for name, s := range union {
		s.name = name
		union[name] = s
	}
	return union
}

// object is the members of one object that some object describes, the last of duplicates each.
type object struct {
	tree   *fastjson.Object
	values [numMembers]*fastjson.Value
	set    memberSet
	others bool // there are members that no object describes
}

// read takes an object's members in one pass, whatever their number.
func (d *enforcement) read(o *object, v *fastjson.Value) error {
	tree, err := v.Object()
	if err != nil {
		return d.mistyped("an object", v)
	}
	o.tree = tree
	tree.Visit(func(key []byte, v *fastjson.Value) {
		m, ok := memberNamed(key)
		if !ok {
			o.others = true
			return
		}
		o.values[m] = v
		o.set |= 1 << m
	})
	return nil
}

// enforce holds an object to its shape: what it doesn't describe is stripped, a null in an optional member is read as
// absent, a missing member is malformed.
func (d *enforcement) enforce(o *object, s shape) error {
	if missing := s.required &^ o.set; missing != 0 {
		n := d.enter(member(bits.TrailingZeros64(uint64(missing))).String())
		defer d.leave(n)
		return d.malformed("is missing")
	}
	described := s.required | s.optional
	if (o.others || o.set&^described != 0) && !d.Loud && d.Warn != nil {
		d.warnUnknown(o, described)
	}
	o.set &= described
	for rest := o.set & s.optional; rest != 0; rest &= rest - 1 {
		m := member(bits.TrailingZeros64(uint64(rest)))
		if o.values[m].Type() != fastjson.TypeNull {
			continue
		}
		n := d.enter(m.String())
		d.warn("null in an optional field, read as absent")
		d.leave(n)
		o.set &^= 1 << m
	}
	return nil
}

func (d *enforcement) warnUnknown(o *object, described memberSet) {
	o.tree.Visit(func(key []byte, _ *fastjson.Value) {
		if m, ok := memberNamed(key); ok && described.has(m) {
			return
		}
		n := d.enter(string(key))
		d.warn("unknown property, stripped")
		d.leave(n)
	})
}

// unknown is the verdict on a member of a union or enum that isn't known, at the path at hand: an error in Loud. In Spec
// the caller strips what held it, and says so.
func (d *enforcement) unknown(kind string, value []byte) error {
	if !d.Loud {
		return nil
	}
	return d.malformed(unknownText(kind, value))
}

func unknownText(kind string, value []byte) string {
	const longest = 64
	if len(value) > longest {
		value = value[:longest]
	}
	return "unknown " + kind + " " + strconv.Quote(string(value))
}

func (d *enforcement) mistyped(want string, v *fastjson.Value) error {
	return d.malformed("is " + typeName(v.Type()) + ", not " + want)
}

func typeName(t fastjson.Type) string {
	switch t {
	case fastjson.TypeNull:
		return "null"
	case fastjson.TypeObject:
		return "an object"
	case fastjson.TypeArray:
		return "an array"
	case fastjson.TypeString:
		return "a string"
	case fastjson.TypeNumber:
		return "a number"
	}
	return "a boolean"
}

// bytes is a string member that is there; lent until the walk ends.
func (d *enforcement) bytes(o *object, m member) ([]byte, error) {
	b, err := o.values[m].StringBytes()
	if err == nil {
		return b, nil
	}
	n := d.enter(m.String())
	defer d.leave(n)
	return nil, d.mistyped("a string", o.values[m])
}

// str is a required string member, kept in buf where it fits, in its own memory where buf is nil.
func (d *enforcement) str(o *object, m member, buf *[]byte) (string, error) {
	b, err := d.bytes(o, m)
	if err != nil {
		return "", err
	}
	if buf == nil {
		return string(b), nil
	}
	return ownIn(buf, b), nil
}

// opt is an optional string member.
func (d *enforcement) opt(o *object, m member, buf *[]byte) (OptString, error) {
	if !o.set.has(m) {
		return OptString{}, nil
	}
	s, err := d.str(o, m, buf)
	return OptString{Value: s, Present: err == nil}, err
}

// kept is an optional member of any JSON.
func (d *enforcement) kept(o *object, m member) JSON {
	if !o.set.has(m) {
		return nil
	}
	return d.keep(nil, o.values[m])
}

// keep appends any JSON to dst, normalised.
func (d *enforcement) keep(dst JSON, v *fastjson.Value) JSON {
	if v.Type() == fastjson.TypeString {
		return decode.AppendQuoted(dst, v.GetStringBytes())
	}
	// What is inside hasn't been looked at, so it is written as it came.
	d.scratch = v.MarshalTo(d.scratch[:0])
	if dst == nil {
		dst = make(JSON, 0, len(d.scratch))
	}
	return NormalizeJSON(dst, d.scratch)
}

// keptObject is an optional member that is an open object.
func (d *enforcement) keptObject(o *object, m member) (JSON, error) {
	if err := d.isObject(o, m); err != nil {
		return nil, err
	}
	return d.kept(o, m), nil
}

func (d *enforcement) isObject(o *object, m member) error {
	if !o.set.has(m) || o.values[m].Type() == fastjson.TypeObject {
		return nil
	}
	n := d.enter(m.String())
	defer d.leave(n)
	return d.mistyped("an object", o.values[m])
}

// list walks an optional array member.
func (d *enforcement) list(o *object, m member, f func(v *fastjson.Value) error) error {
	if !o.set.has(m) {
		return nil
	}
	n := d.enter(m.String())
	defer d.leave(n)
	return d.elements(o.values[m], f)
}

func (d *enforcement) elements(v *fastjson.Value, f func(v *fastjson.Value) error) error {
	list, err := v.Array()
	if err != nil {
		return d.mistyped("an array", v)
	}
	for i, v := range list {
		n := d.enterIndex(i)
		if err := f(v); err != nil {
			return err
		}
		d.leave(n)
	}
	return nil
}

// strings is an optional list of strings, nil when absent; lent until the enforcer's next call.
func (d *enforcement) strings(o *object, m member) ([]string, error) {
	if !o.set.has(m) {
		return nil, nil
	}
	if d.names == nil {
		d.names = []string{}
	}
	list := d.names[:0]
	err := d.list(o, m, func(v *fastjson.Value) error {
		b, err := v.StringBytes()
		if err != nil {
			return d.mistyped("a string", v)
		}
		list = append(list, d.room.own(b))
		return nil
	})
	d.names = list
	return list, err
}

// discriminator is the string that tells a union's members apart.
func (d *enforcement) discriminator(o *object, m member) ([]byte, error) {
	if !o.set.has(m) {
		n := d.enter(m.String())
		defer d.leave(n)
		return nil, d.malformed("is missing")
	}
	return d.bytes(o, m)
}
