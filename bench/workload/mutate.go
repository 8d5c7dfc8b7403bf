package workload

import (
	"bytes"
	"slices"
)

// mutation breaks a stream in one way. apply returns the new body, or nil where it can't (a body
// without frames, say).
type mutation struct {
	name  string
	about string
	apply func(*patient) []byte
}

// Table by what is hurt; each list stands beside its code.
func mutations() []mutation {
	return slices.Concat(orderMutations, fieldMutations(), jsonMutations, textMutations, patchMutations,
		runMutations, frameMutations, snapshotMutations)
}

// Mutations lists the kinds that Mutate knows.
func Mutations() []string {
	var names []string
	for _, m := range mutations() {
		names = append(names, m.name)
	}
	return names
}

// Describe says in one sentence what a kind does; "" for an unknown one.
func Describe(kind string) string {
	for _, m := range mutations() {
		if m.name == kind {
			return m.about
		}
	}
	return ""
}

// Mutate returns a copy of a stream with one thing broken, the same for the same kind, body and seed.
// body is a valid stream, a recorded one, or one that was mutated already; it is left as it is. What
// a kind needs and the body lacks (a state delta to spoil, say) is put in. A body with nothing at all
// to break, and an unknown kind, give the body back unchanged.
func Mutate(kind string, body []byte, seed uint64) []byte {
	for _, m := range mutations() {
		if m.name != kind {
			continue
		}
		p := &patient{r: newSource(kind, seed), body: body, blocks: blocks(body)}
		p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool { return !b.hasData })
		if broken := m.apply(p); broken != nil {
			return broken
		}
	}
	return bytes.Clone(body)
}

// patient is a body under the knife.
type patient struct {
	r      source
	body   []byte
	blocks []block // those with data
}

// event is the i-th frame taken apart.
func (p *patient) event(i int) event { return parseEvent(p.blocks[i].data) }

// where lists the frames whose event fits.
func (p *patient) where(fits func(event) bool) []int {
	var list []int
	for i := range p.blocks {
		if ev := p.event(i); ev.typ != "" && fits(ev) {
			list = append(list, i)
		}
	}
	return list
}

// draw picks one of the frames whose event fits; -1 when none does.
func (p *patient) draw(fits func(event) bool) int {
	list := p.where(fits)
	if len(list) == 0 {
		return -1
	}
	return pick(&p.r, list)
}

// splice puts frames in place of the bytes [start,end) of the body.
func (p *patient) splice(start, end int, jsons ...[]byte) []byte {
	out := make([]byte, 0, len(p.body)+256)
	out = append(out, p.body[:start]...)
	for _, j := range jsons {
		out = appendFrame(out, j)
	}
	return append(out, p.body[end:]...)
}

func appendFrame(dst, json []byte) []byte {
	dst = append(dst, "data: "...)
	dst = append(dst, json...)
	return append(dst, '\n', '\n')
}

// replace puts other frames in the i-th one's place; none cuts it out.
func (p *patient) replace(i int, jsons ...[]byte) []byte {
	return p.splice(p.blocks[i].start, p.blocks[i].end, jsons...)
}

// insertBefore puts frames in front of the i-th one.
func (p *patient) insertBefore(i int, jsons ...[]byte) []byte {
	return p.splice(p.blocks[i].start, p.blocks[i].start, jsons...)
}

// append puts frames behind all others. A last frame without its blank line gets one first: the
// addition is to be seen.
func (p *patient) append(jsons ...[]byte) []byte {
	out := bytes.Clone(p.body)
	if n := len(p.blocks); n > 0 && p.blocks[n-1].end == len(out) && !bytes.HasSuffix(out, []byte("\n\n")) {
		out = append(out, "\n\n"...)
	}
	for _, j := range jsons {
		out = appendFrame(out, j)
	}
	return out
}

// inside draws a place in a run: before a frame that isn't RUN_STARTED, with one before it.
func (p *patient) inside() int {
	i := p.draw(func(ev event) bool { return ev.typ != "RUN_STARTED" })
	if i >= 0 {
		return i
	}
	if len(p.blocks) == 0 {
		return -1
	}
	return len(p.blocks) - 1
}

// insertInside puts frames somewhere in a run.
func (p *patient) insertInside(jsons ...[]byte) []byte {
	i := p.inside()
	if i < 0 {
		return nil
	}
	return p.insertBefore(i, jsons...)
}
