package plain

import (
	"encoding/json"
	"math/bits"
)

// check is the boundary and the enforcement of the event's own members: null
// in an optional one is dropped with a warning, unknown ones are dropped, and
// the others must be there and of their kind.
func (p *Pipeline) check(e *event) error {
	w := p.wire
	if unknown := w.seen &^ e.mask; unknown != 0 || len(w.strange) > 0 {
		p.strip(unknown)
	}
	for left := w.seen &^ (1 << bitType); left != 0; left &= left - 1 {
		bit := bits.TrailingZeros64(left)
		raw := *w.members[bit]
		kind := e.kinds[bit]
		if raw[0] == 'n' && kind != kindNull && e.required>>bit&1 == 0 {
			p.warn("/"+memberNames[bit], "null in an optional field, read as absent")
			w.drop(bit)
			continue
		}
		if what := p.wrong(kind, raw); what != "" {
			return &malformed{memberNames[bit], what}
		}
	}
	if missing := e.required &^ w.seen; missing != 0 {
		return &malformed{memberNames[bits.TrailingZeros64(missing)], "is missing"}
	}
	return nil
}

func (p *Pipeline) strip(unknown uint64) {
	for ; unknown != 0; unknown &= unknown - 1 {
		bit := bits.TrailingZeros64(unknown)
		p.wire.drop(bit)
		p.stripped(memberNames[bit])
	}
	for _, name := range p.wire.strange {
		p.stripped(name)
	}
}

func (p *Pipeline) stripped(name string) {
	if p.opts.Spec {
		p.warn(pointer("", name), "unknown property, removed")
	}
}

// wrong says what is wrong with a value of a kind; nothing for a good one.
func (p *Pipeline) wrong(kind byte, raw []byte) string {
	c := raw[0]
	switch kind {
	case kindString:
		if c != '"' {
			return "is no string"
		}
	case kindBool:
		if c != 't' && c != 'f' {
			return "is no boolean"
		}
	case kindObject:
		if c != '{' {
			return "is no object"
		}
	case kindArray:
		if c != '[' {
			return "is no array"
		}
	case kindContent:
		if c != '"' && c != '[' {
			return "is no string and no array of parts"
		}
	case kindAny:
		if c == 'n' {
			return "is null"
		}
	case kindInteger:
		if c != '-' && (c < '0' || c > '9') || !plainInteger(raw) && !safeInteger(json.Number(raw)) {
			return "is no integer from -9007199254740991 to 9007199254740991"
		}
	}
	return ""
}

// plainInteger tells at a glance what safeInteger tells of most numbers.
func plainInteger(raw []byte) bool {
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(raw) < 16
}

// enforced checks a payload's inside and puts the stripped value back for the
// trace. Known is false when the payload itself is an unknown member.
func (p *Pipeline) enforced(bit int, r rule) (tree any, known bool, err error) {
	tree, known, err = r(&p.strict, mustParse(*p.wire.members[bit]), "/"+memberNames[bit])
	if err == nil && known && p.opts.Trace != nil {
		p.wire.set(bit, tree)
	}
	return tree, known, err
}
