package state

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A million deltas with values of all sizes leave one state no larger than a
// few thousand did.
func TestDocumentMemoryFlat(t *testing.T) {
	deltas := 1_000_000
	if testing.Short() || docPoison {
		deltas = 20_000
	}
	d := NewDocument(new(Pool))
	if err := d.Set([]byte(`{"log":[],"text":"","by":{}}`)); err != nil {
		t.Fatal(err)
	}
	var patches []*Patch
	for i := range 64 {
		p := new(Patch)
		text := fmt.Sprintf(`[{"op":"replace","path":"/text","value":%q},{"op":"add","path":"/log/-","value":{"n":%d,"t":%q}},{"op":"add","path":"/by/k%d","value":[%d]}]`,
			strings.Repeat("x", 1+i*i), i, strings.Repeat("y", i), i, i)
		if i%2 == 1 {
			text = fmt.Sprintf(`[{"op":"remove","path":"/log/0"},{"op":"remove","path":"/log/0"},{"op":"remove","path":"/by/k%d"}]`, i-1)
		}
		switch i % 4 {
		case 0:
			text = strings.Replace(text, `[{`, `[{"op":"add","path":"/log/0","value":null},{`, 1)
		case 2:
			text = strings.Replace(text, `[{`, `[{"op":"add","path":"/log/0","value":"z"},{`, 1)
		}
		if err := p.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		patches = append(patches, p)
	}
	run := func(n int) {
		for i := range n {
			if err := d.Apply(patches[i%len(patches)]); err != nil {
				t.Fatalf("delta %d: %v", i, err)
			}
		}
	}
	run(6400)
	before := heapBytes()
	run(deltas / 64 * 64)
	if grown := heapBytes() - before; grown > 256<<10 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	checkDocument(t, d)
	runtime.KeepAlive(d)
}

// What a burst filled the pool with goes when nobody asks for it.
func TestDocumentPoolForgets(t *testing.T) {
	p := new(Pool)
	large, small := NewDocument(p), NewDocument(p)
	if err := large.Set([]byte(wideJSON(4 << 20))); err != nil {
		t.Fatal(err)
	}
	large.Reset()
	burst := p.doc.held
	if burst < 4<<20 {
		t.Fatalf("the pool holds only %d bytes after a burst", burst)
	}
	text := []byte(wideJSON(1 << 10))
	for range 32_000 {
		if err := small.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if p.doc.held > burst/8 {
		t.Errorf("the pool still holds %d bytes of %d", p.doc.held, burst)
	}
	if p.doc.held < 0 {
		t.Errorf("the pool counts %d bytes", p.doc.held)
	}
}

// A pool never holds more than its bound, and large texts are no part of it.
func TestDocumentPoolBound(t *testing.T) {
	p := new(Pool)
	d := NewDocument(p)
	if err := d.Set([]byte(`["` + strings.Repeat("x", 9<<20) + `"]`)); err != nil {
		t.Fatal(err)
	}
	d.Reset()
	if p.doc.held > 1<<20 {
		t.Errorf("the pool holds %d bytes after one large text", p.doc.held)
	}
	if err := d.Set([]byte("[" + strings.TrimSuffix(strings.Repeat(`"1234567",`, 1<<20), ",") + "]")); err != nil {
		t.Fatal(err)
	}
	d.Reset()
	if p.doc.held > docPoolBytes {
		t.Errorf("the pool holds %d bytes, more than its bound", p.doc.held)
	}
}

// A long array that empties lets its buffer go, and a wide object its index.
func TestDocumentShrinks(t *testing.T) {
	d := NewDocument(new(Pool))
	if err := d.Set([]byte(`{"items":` + arrayJSON(10_000)[9:len(arrayJSON(10_000))-1] + `,"by":` + objectJSON(10_000) + `}`)); err != nil {
		t.Fatal(err)
	}
	var p Patch
	for i := range 9_990 {
		if err := p.Parse(fmt.Appendf(nil, `[{"op":"remove","path":"/items/%d"},{"op":"remove","path":"/by/member-%d"}]`, i%5, i)); err != nil {
			t.Fatal(err)
		}
		if err := d.Apply(&p); err != nil {
			t.Fatal(err)
		}
	}
	checkDocument(t, d)
	items, _ := d.Lookup("/items")
	by, _ := d.Lookup("/by")
	if got := len(items.n.arr.buf); got > 64 {
		t.Errorf("10 items in a buffer for %d", got)
	}
	if got := len(by.n.obj.members); got > 128 {
		t.Errorf("10 members in a list for %d", got)
	}
	if got := len(by.n.obj.slots); got > 128 {
		t.Errorf("10 members in an index for %d", got)
	}
}

// A parser that grew for one large patch is let go after many small ones.
func TestPatchForgetsLargeTexts(t *testing.T) {
	var p Patch
	if err := p.Parse([]byte(`[{"op":"add","path":"","value":"` + strings.Repeat("x", 4<<20) + `"}]`)); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if err := p.Parse([]byte(`[{"op":"remove","path":"/a"}]`)); err != nil {
			t.Fatal(err)
		}
	}
	if p.widest > 1<<10 {
		t.Errorf("still sized for a patch of %d bytes", p.widest)
	}
}
