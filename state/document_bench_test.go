package state

import (
	"fmt"
	"strings"
	"testing"
)

// wideJSON is a state of about so many bytes: a list of records beside a few
// members that patches change.
func wideJSON(bytes int) string {
	var b strings.Builder
	b.WriteString(`{"step":0,"status":"running","plan":["a","b"],"records":[`)
	for i := 0; b.Len() < bytes-2; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"record-%06d","title":"A title of a common length","done":%v,"score":%d.25}`, i, i%2 == 0, i)
	}
	b.WriteString("]}")
	return b.String()
}

func arrayJSON(items int) string {
	return `{"items":[` + strings.TrimSuffix(strings.Repeat("17,", items), ",") + `]}`
}

func objectJSON(members int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"member-%d":%d`, i, i)
	}
	return "{" + b.String()[1:] + "}"
}

// patchLoop is patches that leave a document as it was once all have applied.
type patchLoop struct {
	d       *Document
	patches []*Patch
}

func newPatchLoop(t testing.TB, doc string, patches ...string) patchLoop {
	t.Helper()
	l := patchLoop{d: NewDocument(new(Pool))}
	if err := l.d.Set([]byte(doc)); err != nil {
		t.Fatal(err)
	}
	for _, text := range patches {
		p := new(Patch)
		if err := p.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		l.patches = append(l.patches, p)
	}
	return l
}

func (l *patchLoop) once(t testing.TB) {
	for _, p := range l.patches {
		if err := l.d.Apply(p); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkPatchApply(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20} {
		b.Run(fmt.Sprintf("replace/%dKiB", size>>10), func(b *testing.B) {
			l := newPatchLoop(b, wideJSON(size), `[{"op":"replace","path":"/step","value":17}]`)
			b.ReportAllocs()
			for b.Loop() {
				l.once(b)
			}
		})
	}
	for _, items := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("append+remove/%d", items), func(b *testing.B) {
			l := newPatchLoop(b, arrayJSON(items), `[{"op":"add","path":"/items/-","value":17}]`, fmt.Sprintf(`[{"op":"remove","path":"/items/%d"}]`, items))
			b.ReportAllocs()
			for b.Loop() {
				l.once(b)
			}
		})
		b.Run(fmt.Sprintf("queue/%d", items), func(b *testing.B) {
			l := newPatchLoop(b, arrayJSON(items), `[{"op":"add","path":"/items/-","value":17},{"op":"remove","path":"/items/0"}]`)
			b.ReportAllocs()
			for b.Loop() {
				l.once(b)
			}
		})
	}
	for _, members := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("member/%d", members), func(b *testing.B) {
			l := newPatchLoop(b, objectJSON(members), `[{"op":"add","path":"/new","value":17}]`, `[{"op":"replace","path":"/member-5","value":18}]`, `[{"op":"remove","path":"/new"}]`)
			b.ReportAllocs()
			for b.Loop() {
				l.once(b)
			}
		})
	}
	b.Run("failing", func(b *testing.B) {
		l := newPatchLoop(b, wideJSON(1<<10), `[{"op":"replace","path":"/step","value":17},{"op":"test","path":"/step","value":18}]`)
		b.ReportAllocs()
		for b.Loop() {
			_ = l.d.Apply(l.patches[0])
		}
	})
}

func BenchmarkPatchParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"scalar", `[{"op":"replace","path":"/counters/steps","value":17}]`},
		{"object", `[{"op":"add","path":"/items/-","value":{"id":"item-1234","title":"Some title here","done":false,"tags":["a","b"],"score":12.5}}]`},
		{"three", `[{"op":"replace","path":"/a","value":17},{"op":"add","path":"/list/-","value":"some text"},{"op":"remove","path":"/old/thing"}]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			var p Patch
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The whole way of a delta: parsed and applied.
func BenchmarkPatchDelta(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"scalar", `[{"op":"replace","path":"/step","value":17}]`},
		{"object", `[{"op":"replace","path":"/records/0","value":{"id":"item-1234","title":"Some title here","done":false,"tags":["a","b"],"score":12.5}}]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			d := NewDocument(new(Pool))
			if err := d.Set([]byte(wideJSON(1 << 10))); err != nil {
				b.Fatal(err)
			}
			var p Patch
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Parse(text); err != nil {
					b.Fatal(err)
				}
				if err := d.Apply(&p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDocumentSet(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 4 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			text := []byte(wideJSON(size))
			d := NewDocument(new(Pool))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Set(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDocumentAppendJSON(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			d := NewDocument(new(Pool))
			if err := d.Set([]byte(wideJSON(size))); err != nil {
				b.Fatal(err)
			}
			var out []byte
			b.SetBytes(int64(d.Size()))
			b.ReportAllocs()
			for b.Loop() {
				out = d.AppendJSON(out[:0])
			}
		})
	}
}
