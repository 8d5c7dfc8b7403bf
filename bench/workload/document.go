package workload

import "strconv"

// document is the state, held as the few numbers that it takes to know which patches apply to it. Its
// text is never kept: names follow from numbers, and a snapshot is written from the model.
//
//	{"meta":  {"version":7,"title":"…","flags":{…},"saved":12},     saved may be missing
//	 "items": [{"id":"i000003","name":"…","n":17,"done":false,"tags":["a","b"]}, …],   wide array
//	 "index": {"k000001":123,"clé-000005":4,"a/b~000009":8, …},                        wide object
//	 "chains":[{"v":1,"next":{"v":2,"next":{… null}}}, …]}                             deep
//
// What patches change is in the model, save names, titles and tags, which no patch tests; a later
// snapshot gives those their first values back, as a snapshot may.
type document struct {
	style   style
	items   []cell
	index   []cell
	chains  []int32 // depth values each
	depth   int
	version int
	saved   bool
	base    int    // items at first; adds and removes keep near it
	keys    int    // members of index at first
	fresh   uint32 // next unused number
	texts   prose
	long    bool // room for deep paths and patches of many operations
}

type cell struct {
	num  uint32
	n    int32
	done bool
}

// Bytes of one piece as it stands in the text, for sizing.
const (
	itemBytes  = 92
	keyBytes   = 16
	levelBytes = 18
	metaBytes  = 190
	smallState = 4 << 10
)

func newDocument(r *source, st style, size int) *document {
	d := &document{style: st, texts: newProse(st), long: size > smallState}
	d.depth = min(max(size/160, 4), 96)
	room := size - metaBytes
	chains := max(room/5/(d.depth*levelBytes), 1)
	d.chains = make([]int32, chains*d.depth)
	for i := range d.chains {
		d.chains[i] = int32(r.intn(1000))
	}
	room -= len(d.chains) * levelBytes
	d.keys = max(room/4/keyBytes, 4)
	d.index = d.cells(r, d.keys)
	room -= d.keys * keyBytes
	d.base = max(room/itemBytes, 3)
	d.items = d.cells(r, d.base)
	return d
}

func (d *document) cells(r *source, n int) []cell {
	list := make([]cell, n)
	for i := range list {
		list[i] = d.newCell(r)
	}
	return list
}

func (d *document) newCell(r *source) cell {
	d.fresh++
	return cell{num: d.fresh, n: int32(r.intn(1000)), done: r.oneIn(3)}
}

// appendSnapshot appends the document's text.
func (d *document) appendSnapshot(dst []byte) []byte {
	dst = append(dst, `{"meta":{"version":`...)
	dst = strconv.AppendInt(dst, int64(d.version), 10)
	dst = append(dst, `,"title":`...)
	dst = appendQuoted(dst, "Où en est-on? 🦊", d.style)
	dst = append(dst, `,"flags":`+flags...)
	if d.saved {
		dst = append(dst, `,"saved":0`...)
	}
	dst = append(dst, `},"items":[`...)
	for i, c := range d.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = d.appendItem(dst, c)
	}
	dst = append(dst, `],"index":{`...)
	for i, c := range d.index {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = appendEscaped(dst, keyPrefix(c.num), d.style)
		dst = appendNumber(dst, c.num)
		dst = append(dst, '"', ':')
		dst = strconv.AppendInt(dst, int64(c.n), 10)
	}
	dst = append(dst, `},"chains":[`...)
	for i := 0; i < len(d.chains); i += d.depth {
		if i > 0 {
			dst = append(dst, ',')
		}
		for _, v := range d.chains[i : i+d.depth] {
			dst = append(dst, `{"v":`...)
			dst = strconv.AppendInt(dst, int64(v), 10)
			dst = append(dst, `,"next":`...)
		}
		dst = append(dst, `null`...)
		for range d.depth {
			dst = append(dst, '}')
		}
	}
	return append(dst, `]}`...)
}

// flags never change, and sameFlags is their value otherwise written: RFC 6902 compares numbers by
// value and objects without regard to order.
const (
	flags     = `{"beta":true,"limits":[1,2.50,1e3],"owner":null}`
	sameFlags = `{"owner":null,"limits":[1.0,2.5,1000],"beta":true}`
)

func (d *document) appendItem(dst []byte, c cell) []byte {
	dst = append(dst, `{"id":"i`...)
	dst = appendNumber(dst, c.num)
	dst = append(dst, `","name":"`...)
	for k := range c.num%4 + 2 {
		words := voices[0].words
		dst = append(dst, words[(c.num*7+k*31)%uint32(len(words))][d.style]...)
	}
	dst = append(dst, `","n":`...)
	dst = strconv.AppendInt(dst, int64(c.n), 10)
	dst = append(dst, `,"done":`...)
	dst = strconv.AppendBool(dst, c.done)
	return append(dst, `,"tags":["red","blue"]}`...)
}

// keyPrefix is the front of an index key: some need escapes in pointers, some in JSON.
func keyPrefix(num uint32) string {
	switch num % 16 {
	case 5:
		return "clé-"
	case 9:
		return "a/b~"
	}
	return "k"
}

func appendNumber(dst []byte, num uint32) []byte {
	for p := uint32(100_000); p > 1 && num < p; p /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, uint64(num), 10)
}
