package workload

import "bytes"

var patchMutations = []mutation{
	{"patch-missing-path", "an operation points to a place that isn't there", func(p *patient) []byte {
		return p.intoPatch(pick(&p.r, []string{
			`{"op":"replace","path":"/no/such/place","value":1}`,
			`{"op":"remove","path":"/no-such-member"}`,
			`{"op":"add","path":"/no/such/parent","value":1}`,
			`{"op":"move","from":"/no-such-member","path":"/x"}`,
			`{"op":"copy","from":"/no-such-member","path":"/x"}`,
			`{"op":"test","path":"/no-such-member","value":null}`,
		}))
	}},
	{"patch-malformed", "an operation lacks a member, has one of a wrong type or a bad pointer, or the patch is no array of objects", func(p *patient) []byte {
		return p.intoPatch(pick(&p.r, []string{
			`{"op":"add","path":"/x"}`, `{"op":"test","path":"/x"}`, `{"op":"replace","value":1}`, `{"path":"/x","value":1}`,
			`{"op":"remove"}`, `{"op":"move","path":"/x"}`, `{"op":"copy","from":1,"path":"/x"}`, `{"op":7,"path":"/x"}`,
			`{"op":"add","path":"x","value":1}`, `{"op":"add","path":"/a~2","value":1}`, `{"op":"remove","path":"/a~"}`,
			`{"op":"remove","path":["x"]}`, `"add"`, `[]`, `null`, `7`,
		}))
	}},
	{"patch-unknown-op", "an operation that RFC 6902 doesn't have", func(p *patient) []byte {
		return p.intoPatch(pick(&p.r, []string{
			`{"op":"merge","path":"/x","value":{}}`, `{"op":"inc","path":"/meta/version","value":1}`, `{"op":"Add","path":"/x","value":1}`, `{"op":"","path":"/x"}`,
		}))
	}},
	{"patch-test-fails", "a test that doesn't hold, behind operations that apply", func(p *patient) []byte {
		return p.intoPatch(`{"op":"test","path":"","value":"not this"}`)
	}},
}

// intoPatch puts an operation somewhere into a state delta. What fails is more telling behind what
// applied, so it is the last one half the time.
func (p *patient) intoPatch(op string) []byte {
	i := p.draw(func(ev event) bool {
		return ev.typ == "STATE_DELTA" && bytes.HasPrefix(ev.get("delta"), []byte{'['})
	})
	if i < 0 {
		return p.insertInside([]byte(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/put","value":"in"},` + op + `]}`))
	}
	ev := p.event(i)
	ops := arrayElements(ev.get("delta"))
	at := len(ops)
	if p.r.oneIn(2) {
		at = p.r.intn(len(ops) + 1)
	}
	patch := []byte{'['}
	for k := range len(ops) + 1 {
		if k > 0 {
			patch = append(patch, ',')
		}
		switch {
		case k < at:
			patch = append(patch, ops[k]...)
		case k == at:
			patch = append(patch, op...)
		default:
			patch = append(patch, ops[k-1]...)
		}
	}
	return p.replace(i, ev.with("delta", string(append(patch, ']'))).json())
}
