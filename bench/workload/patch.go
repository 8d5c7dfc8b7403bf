package workload

import (
	"slices"
	"strconv"
)

// appendPatch appends a JSON Patch of n operations that applies to the document, and takes them over
// into the model.
func (d *document) appendPatch(dst []byte, r *source, n int) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch k := r.intn(100); {
		case k < 46:
			dst = d.replace(dst, r)
		case k < 64:
			dst = d.add(dst, r)
		case k < 76:
			dst = d.remove(dst, r)
		case k < 84:
			dst = d.test(dst, r)
		case k < 92:
			dst = d.move(dst, r)
		default:
			dst = d.copyValue(dst, r)
		}
	}
	return append(dst, ']')
}

func op(dst []byte, name, path string) []byte {
	dst = append(dst, `{"op":"`...)
	dst = append(dst, name...)
	dst = append(dst, `","path":"`...)
	return append(dst, path...)
}

func from(dst []byte, name, path string) []byte {
	dst = append(dst, `{"op":"`...)
	dst = append(dst, name...)
	dst = append(dst, `","from":"`...)
	return append(dst, path...)
}

func valueInt(dst []byte, n int32) []byte {
	dst = append(dst, `","value":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, '}')
}

// itemPath appends "/items/i" and what follows.
func itemPath(dst []byte, i int, rest string) []byte {
	dst = append(dst, "/items/"...)
	dst = strconv.AppendInt(dst, int64(i), 10)
	return append(dst, rest...)
}

// keyPath appends the pointer to an index member, the one place where RFC 6901 escapes come.
func (d *document) keyPath(dst []byte, num uint32) []byte {
	dst = append(dst, "/index/"...)
	if prefix := keyPrefix(num); prefix == "a/b~" {
		dst = append(dst, "a~1b~0"...)
	} else {
		dst = appendEscaped(dst, prefix, d.style)
	}
	return appendNumber(dst, num)
}

// chainPath appends the pointer to the value at a level of a chain.
func (d *document) chainPath(dst []byte, at int) []byte {
	dst = append(dst, "/chains/"...)
	dst = strconv.AppendInt(dst, int64(at/d.depth), 10)
	for range at % d.depth {
		dst = append(dst, "/next"...)
	}
	return append(dst, "/v"...)
}

func (d *document) replace(dst []byte, r *source) []byte {
	switch r.intn(8) {
	case 0, 1:
		d.version++
		return valueInt(op(dst, "replace", "/meta/version"), int32(d.version))
	case 2:
		i := r.intn(len(d.items))
		d.items[i].n = int32(r.intn(1000))
		return valueInt(itemPath(op(dst, "replace", ""), i, "/n"), d.items[i].n)
	case 3:
		i := r.intn(len(d.items))
		d.items[i].done = !d.items[i].done
		dst = itemPath(op(dst, "replace", ""), i, `/done","value":`)
		return append(strconv.AppendBool(dst, d.items[i].done), '}')
	case 4:
		i := r.intn(len(d.items))
		dst = itemPath(op(dst, "replace", ""), i, `/name","value":"`)
		dst = append(dst, d.texts.phrase(r, r.between(1, 6))...)
		return append(dst, '"', '}')
	case 5:
		// Tags are added elsewhere; here they come back to two, so that none grows for ever.
		return append(itemPath(op(dst, "replace", ""), r.intn(len(d.items)), `/tags","value":["x","y"]`), '}')
	case 6:
		i := r.intn(len(d.index))
		d.index[i].n = int32(r.intn(1000))
		return valueInt(d.keyPath(op(dst, "replace", ""), d.index[i].num), d.index[i].n)
	}
	at := r.intn(len(d.chains))
	d.chains[at] = int32(r.intn(1000))
	return valueInt(d.chainPath(op(dst, "replace", ""), at), d.chains[at])
}

func (d *document) add(dst []byte, r *source) []byte {
	switch r.intn(6) {
	case 0:
		if len(d.items) > d.base+d.base/4 {
			return d.remove(dst, r)
		}
		c := d.newCell(r)
		dst = op(dst, "add", `/items/-","value":`)
		d.items = append(d.items, c)
		return append(d.appendItem(dst, c), '}')
	case 1:
		if len(d.items) > d.base+d.base/4 {
			return d.remove(dst, r)
		}
		c, i := d.newCell(r), r.intn(len(d.items)+1)
		d.items = slices.Insert(d.items, i, c)
		dst = itemPath(op(dst, "add", ""), i, `","value":`)
		return append(d.appendItem(dst, c), '}')
	case 2, 3:
		if len(d.index) > d.keys+d.keys/4 {
			return d.remove(dst, r)
		}
		c := d.newCell(r)
		d.index = append(d.index, c)
		return valueInt(d.keyPath(op(dst, "add", ""), c.num), c.n)
	case 4:
		return append(itemPath(op(dst, "add", ""), r.intn(len(d.items)), `/tags/-","value":"new"`), '}')
	}
	// An add on a member that is there replaces it.
	dst = op(dst, "add", `/meta/title","value":"`)
	dst = append(dst, d.texts.phrase(r, r.between(1, 5))...)
	return append(dst, '"', '}')
}

func (d *document) remove(dst []byte, r *source) []byte {
	if r.oneIn(2) && len(d.items) > max(d.base-d.base/4, 2) {
		i := r.intn(len(d.items))
		d.items = slices.Delete(d.items, i, i+1)
		return append(itemPath(op(dst, "remove", ""), i, ""), '"', '}')
	}
	if len(d.index) > max(d.keys-d.keys/4, 2) {
		i := r.intn(len(d.index))
		num := d.index[i].num
		d.index = slices.Delete(d.index, i, i+1)
		return append(d.keyPath(op(dst, "remove", ""), num), '"', '}')
	}
	if d.saved {
		d.saved = false
		return append(op(dst, "remove", "/meta/saved"), '"', '}')
	}
	return d.replace(dst, r)
}

func (d *document) test(dst []byte, r *source) []byte {
	switch r.intn(6) {
	case 0:
		return valueInt(op(dst, "test", "/meta/version"), int32(d.version))
	case 1:
		i := r.intn(len(d.items))
		dst = itemPath(op(dst, "test", ""), i, `/n","value":`)
		dst = strconv.AppendInt(dst, int64(d.items[i].n), 10)
		return append(dst, ".0}"...) // the same number (RFC 6902, 4.6)
	case 2:
		i := r.intn(len(d.items))
		dst = itemPath(op(dst, "test", ""), i, `/id","value":"i`)
		return append(appendNumber(dst, d.items[i].num), '"', '}')
	case 3:
		i := r.intn(len(d.index))
		return valueInt(d.keyPath(op(dst, "test", ""), d.index[i].num), d.index[i].n)
	case 4:
		at := r.intn(len(d.chains))
		return valueInt(d.chainPath(op(dst, "test", ""), at), d.chains[at])
	}
	return append(op(dst, "test", `/meta/flags","value":`+sameFlags), '}')
}

func (d *document) move(dst []byte, r *source) []byte {
	if r.oneIn(2) {
		i, j := r.intn(len(d.items)), r.intn(len(d.items))
		c := d.items[i]
		d.items = slices.Insert(slices.Delete(d.items, i, i+1), j, c)
		dst = itemPath(from(dst, "move", ""), i, `","path":"`)
		return append(itemPath(dst, j, ""), '"', '}')
	}
	i := r.intn(len(d.index))
	old := d.index[i]
	d.fresh++
	d.index = append(slices.Delete(d.index, i, i+1), cell{num: d.fresh, n: old.n})
	dst = append(d.keyPath(from(dst, "move", ""), old.num), `","path":"`...)
	return append(d.keyPath(dst, d.fresh), '"', '}')
}

func (d *document) copyValue(dst []byte, r *source) []byte {
	if r.oneIn(2) && len(d.items) < d.base+d.base/4 {
		i := r.intn(len(d.items))
		d.items = append(d.items, d.items[i])
		return append(itemPath(from(dst, "copy", ""), i, `","path":"/items/-"`), '}')
	}
	d.saved = true
	num := d.index[r.intn(len(d.index))].num
	return append(d.keyPath(from(dst, "copy", ""), num), `","path":"/meta/saved"}`...)
}
