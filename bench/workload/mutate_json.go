package workload

import (
	"bytes"
	"strings"
)

var jsonMutations = []mutation{
	{"bad-json", "one frame isn't JSON, in a way that lenient readers miss", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return len(ev.members) > 0 })
		if i < 0 {
			return nil
		}
		return p.replace(i, pick(&p.r, spoilers)(p.blocks[i].data))
	}},
	{"empty-data", "puts in a frame whose data is empty", func(p *patient) []byte {
		i := p.inside()
		if i < 0 {
			return nil
		}
		at := p.blocks[i].start
		frame := pick(&p.r, []string{"data:\n\n", "data\n\n", "data: \n\n"})
		return bytes.Join([][]byte{p.body[:at], []byte(frame), p.body[at:]}, nil)
	}},
	{"not-object", "puts in a frame that holds something else than an object, or an object without a type", func(p *patient) []byte {
		return p.insertInside([]byte(pick(&p.r, []string{`[1]`, `5`, `"RUN_FINISHED"`, `null`, `true`, `[DONE]`, `{"x":1}`, `{"type":7}`, `{"type":null}`})))
	}},
	{"spaced-json", "white space between an event's tokens; it means the same", func(p *patient) []byte {
		i := p.draw(func(ev event) bool { return len(ev.members) > 0 })
		if i < 0 {
			return nil
		}
		gap := func() string { return strings.Repeat(pick(&p.r, []string{" ", "\t", "  "}), p.r.between(1, 4)) }
		out := []byte("{" + gap())
		for k, m := range p.event(i).members {
			if k > 0 {
				out = append(out, ","+gap()...)
			}
			out = appendQuoted(out, m.name, styleRaw)
			out = append(out, gap()+":"+gap()...)
			out = append(append(out, m.value...), gap()...)
		}
		return p.replace(i, append(out, '}'))
	}},
	{"deep-nesting", "puts in a CUSTOM event nested from 200 to 100,000 deep, at and beyond common limits, sometimes never closed", func(p *patient) []byte {
		depth := pick(&p.r, []int{200, 254, 255, 256, 300, 1000, 10_000, 100_000})
		left, right := "[", "]"
		if p.r.oneIn(3) {
			left, right = `{"a":`, "}"
		}
		value := strings.Repeat(left, depth) + "1" + strings.Repeat(right, depth)
		if depth > 256 && p.r.oneIn(4) {
			value = strings.Repeat(left, depth) // and never closed: what quadratic scanners choke on
		}
		return p.insertInside([]byte(`{"type":"CUSTOM","name":"acme/deep","value":` + value + `}`))
	}},
	{"byte-flips", "changes one to eight bytes anywhere", func(p *patient) []byte {
		if len(p.body) == 0 {
			return nil
		}
		out := bytes.Clone(p.body)
		first := p.r.intn(len(out))
		for k := range p.r.between(1, 8) {
			at := first
			if k > 0 {
				at = p.r.intn(len(out))
			}
			if k == 0 || at != first { // the first stays flipped, so something has changed
				out[at] ^= byte(p.r.between(1, 255))
			}
		}
		return out
	}},
}

// spoilers turn a JSON object into something that only nearly is one.
var spoilers = []func([]byte) []byte{
	func(d []byte) []byte { return d[:len(d)-1] },
	func(d []byte) []byte { return append(bytes.Clone(d), '}') },
	func(d []byte) []byte { return append(bytes.Clone(d), " {}"...) },
	beforeClose(`,`),
	beforeClose(`,"n":01`),
	beforeClose(`,"n":+1`),
	beforeClose(`,"n":.5`),
	beforeClose(`,"n":1.`),
	beforeClose(`,"n":1e`),
	beforeClose(`,"n":NaN`),
	beforeClose(`,"n":tru`),
	beforeClose(`,"n":1.0.1`),
	beforeClose(`,"n":'x'`),
	beforeClose(`,n:1`),
	beforeClose(`,"n" 1`),
	beforeClose(`,"n":[1,]`),
	beforeClose(`,"n":"\x41"`),
	beforeClose(`,"n":"\u12G4"`),
	beforeClose(`,"n":"\u12"`),
	beforeClose(",\"n\":\"a\tb\""),
	beforeClose(",\"n\":\"a\x00b\""),
	beforeClose(`,"n":"open`),
	beforeClose("\u00a0"),
	beforeClose(`/* */`),
}

func beforeClose(text string) func([]byte) []byte {
	return func(d []byte) []byte {
		d = bytes.TrimSpace(d)
		return append(append(bytes.Clone(d[:len(d)-1]), text...), '}')
	}
}
