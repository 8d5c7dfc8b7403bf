package state

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/decode"
)

// twins are one document several times: held as its text where it may be, made
// a tree before each patch, and without a pool.
type twins struct {
	ways  map[string]*Document
	patch Patch
}

func newTwins(pool *Pool, limit func(*Document)) *twins {
	w := &twins{ways: map[string]*Document{"text": NewDocument(pool), "tree": NewDocument(pool), "no pool": NewDocument(nil)}}
	for _, d := range w.ways {
		limit(d)
	}
	return w
}

// twinState is what shows of a document, and of what was done to it.
type twinState struct {
	Text, Fault string
	Size        int
	Object      bool
}

func (w *twins) each(t testing.TB, what string, do func(*Document) error) twinState {
	t.Helper()
	var want twinState
	for i, way := range []string{"tree", "text", "no pool"} {
		d := w.ways[way]
		if way == "tree" {
			d.tree()
		}
		before := string(d.AppendJSON(nil))
		got := twinState{}
		if err := do(d); err != nil {
			got.Fault = err.Error()
		}
		got.Text, got.Size, got.Object = string(d.AppendJSON(nil)), d.Size(), d.IsObject()
		checkDocument(t, d)
		if got.Fault != "" && got.Text != before {
			t.Fatalf("%s: %s\nis after %q\n%s", way, before, got.Fault, got.Text)
		}
		if i == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\nafter %s (-tree +%s):\n%s", before, what, way, diff)
		}
	}
	return want
}

func (w *twins) set(t testing.TB, text string) twinState {
	t.Helper()
	return w.each(t, "Set "+text, func(d *Document) error { return d.Set([]byte(text)) })
}

func (w *twins) apply(t testing.TB, patch string, object bool) twinState {
	t.Helper()
	if err := w.patch.Parse([]byte(patch)); err != nil {
		return w.each(t, "nothing", func(*Document) error { return nil })
	}
	return w.each(t, patch, func(d *Document) error { return d.apply(&w.patch, object) })
}

// Names and strings that look like JSON's own signs, or are written in more ways than one.
var (
	hardNames = []string{"a", "b", "", "~", "/", "{", "}", "[", "]", "\"", "\\", "\\\"", "\":", ",", ":", "é", "\n", "0", "-", "\u2028", "<", "a\":1,\"b"}
	hardTexts = []string{
		`""`, `"x"`, `"{"`, `"}{"`, `"[\"]"`, `"]["`, `"\\"`, `"\\\""`, `"a,b:c"`, `"\u007b"`, `"\u005d\u0022"`, `"\ud83d"`, `"\ud83d\ude00"`, `"\u00e9"`,
		`"é{"`, `"\/"`, `"\u0061"`, `"\\{"`, `"a text that is long enough for another class of size"`, `"\u2028"`,
	}
)

// document writes a value of at least so many bytes.
func (r *randomJSON) document(least int) string {
	if least == 0 {
		return r.value(4)
	}
	var b strings.Builder
	b.WriteString(`{"l":[0`)
	for b.Len() < least/2 {
		b.WriteString("," + r.value(3))
	}
	b.WriteString("]")
	for b.Len() < least {
		b.WriteString("," + refText(r.name()+r.pick("", "x", "y", "z", "w")) + ":" + r.value(2))
	}
	return b.String() + "}"
}

func (r *randomJSON) limits(size int) func(*Document) {
	bytes, depth, copied, ops := 0, 0, 0, 0
	switch r.IntN(6) {
	case 0:
		bytes = max(1, size-20+r.IntN(60))
	case 1:
		depth = 2 + r.IntN(6)
	case 2:
		copied = 1 + r.IntN(60)
	case 3:
		ops = 1 + r.IntN(8)
	}
	return func(d *Document) { d.MaxBytes, d.MaxDepth, d.MaxCopyBytes, d.MaxOps = bytes, depth, copied, ops }
}

// A document that is held as its text behaves like one that is a tree, limits
// and errors included, whatever its size class.
func TestTextsBehaveLikeTrees(t *testing.T) {
	rounds := 400
	if testing.Short() || docPoison {
		rounds = 60
	}
	r := &randomJSON{Rand: rand.New(rand.NewPCG(5, 6)), names: hardNames, texts: hardTexts, most: 12}
	pool := new(Pool)
	applied, faults, flat := 0, map[string]int{}, 0
	for round := range rounds {
		least := []int{0, 0, 300, 1500, 1900, 2000, 2030, docBlockText - 300}[r.IntN(8)]
		text := r.document(least)
		w := newTwins(pool, r.limits(len(text)))
		for range 2 + r.IntN(2) {
			if w.set(t, text).Fault != "" {
				faults["set"]++
				break
			}
			want, err := refParse(text)
			if err != nil {
				t.Fatal(err)
			}
			for range 6 {
				patch := r.patch(want)
				ops, _ := refPatch(patch)
				next, bad := refApply(want, ops)
				object := r.IntN(3) == 0
				if len(w.ways["text"].flat) == 0 && r.IntN(2) == 0 {
					w.set(t, refText(want)) // held as text again, if it is short
				}
				if len(w.ways["text"].flat) > 0 {
					flat++
				}
				got := w.apply(t, patch, object)
				switch {
				case got.Fault == "" && bad != nil:
					t.Fatalf("%s\npatched by %s: the reference says %v", refText(want), patch, bad)
				case got.Fault == "":
					want = next
					applied++
				case bad == nil && !strings.Contains(got.Fault, "limit") && (!object || next != nil && strings.HasPrefix(refText(next), "{")):
					t.Fatalf("%s\npatched by %s: %s", refText(want), patch, got.Fault)
				default:
					_, fault, _ := strings.Cut(got.Fault, "): ")
					faults[fault]++
				}
				if diff := cmp.Diff(refText(want), got.Text); diff != "" {
					t.Fatalf("patched by %s (-reference +got):\n%s", patch, diff)
				}
			}
			text = r.document(0)
		}
		for _, d := range w.ways {
			d.Reset()
		}
		if round%16 == 0 {
			checkFree(t, pool)
		}
	}
	checkFree(t, pool)
	t.Logf("%d patches applied, %d to texts; faults: %v", applied, flat, faults)
	if applied < 2*rounds || flat < rounds || len(faults) < 8 {
		t.Error("the test sees too little")
	}
}

func FuzzPatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":[1,{"b":null}],"c":"x"}`, `[{"op":"move","from":"/a/1","path":"/d"},{"op":"add","path":"/a/-","value":{"e":1e400}}]`},
		{`{"q":["a","b"]}`, `[{"op":"copy","from":"","path":"/q/0"},{"op":"remove","path":"/q/01"}]`},
		{`null`, `[{"op":"test","path":"","value":null},{"op":"replace","path":"","value":[[]]},{"op":"poke"}]`},
		{`{"~":1,"/":2,"":3}`, `[{"op":"test","path":"/~0","value":1.0},{"op":"remove","path":"/~1"},{"op":"remove","path":"/"},{"op":"test","path":"/x","value":0}]`},
		{`{"a":"{","{":["]"]}`, `[{"op":"move","from":"/a","path":"/{/0"},{"op":"copy","from":"/{","path":"/\""},{"op":"remove","path":"/{"}]`},
	} {
		for _, pad := range []uint16{0, docFlatText - 100, docFlatText - 40} {
			f.Add(seed[0], seed[1], pad, uint16(0))
			f.Add(seed[0], seed[1], pad, uint16(0x1234))
		}
	}
	f.Fuzz(func(t *testing.T, text, patch string, pad, limits uint16) {
		if len(text)+len(patch) > 4096 || !decode.Valid([]byte(text), 200) || !decode.Valid([]byte(patch), 200) || hasHugeExponent(text+patch) {
			t.Skip()
		}
		// The reference reads strings as encoding/json does, which repairs
		// surrogates like us, but invalid UTF-8 in its own way.
		text = padded(string(decode.Sanitize(nil, []byte(text))), int(pad)%(docFlatText+100))
		patch = string(decode.Sanitize(nil, []byte(patch)))
		doc, err := refParse(text)
		if err != nil {
			t.Fatalf("the reference can't read %q: %v", text, err)
		}
		p := new(Patch)
		if err := p.Parse([]byte(patch)); err == nil && copies(p) > 8 {
			t.Skip()
		}
		d := NewDocument(new(Pool))
		d.MaxBytes, d.MaxCopyBytes = 1<<30, 1<<20
		if err := d.Set([]byte(text)); err != nil {
			t.Fatal(err)
		}
		next, _ := patchBoth(t, d, p, doc, patch)
		if diff := cmp.Diff(refText(next), string(d.AppendJSON(nil))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		checkDocument(t, d)
		w := newTwins(new(Pool), func(d *Document) {
			d.MaxDepth = int(limits&7) * 2
			d.MaxBytes = int(limits>>3&3) * (len(text) + 10)
			d.MaxCopyBytes = 1 << (limits >> 5 & 15)
			d.MaxOps = int(limits >> 9 & 7)
		})
		w.set(t, text)
		w.apply(t, patch, limits&0x8000 != 0)
		w.apply(t, patch, limits&0x4000 != 0)
	})
}

// padded makes a container so many bytes longer.
func padded(text string, bytes int) string {
	text = strings.TrimSpace(text)
	body := strings.TrimSpace(text[1:max(len(text)-1, 1)])
	name := map[byte]string{'{': `"~pad":`, '[': ""}
	before, ok := name[text[0]]
	if !ok || body == "" || bytes == 0 {
		return text
	}
	return text[:len(text)-1] + "," + before + `"` + strings.Repeat("x", bytes) + `"` + text[len(text)-1:]
}

func copies(p *Patch) int {
	n := 0
	for i := range p.ops {
		if p.ops[i].verb == verbCopy {
			n++
		}
	}
	return n
}

// Whoever asks for an object gets no other value, whether the patch came near
// the root or not.
func TestTextsStayObjects(t *testing.T) {
	for _, patch := range []string{`[]`, `[{"op":"add","path":"/0","value":1}]`, `[{"op":"test","path":"","value":[0]}]`} {
		w := newTwins(new(Pool), func(*Document) {})
		w.set(t, `[0]`)
		got := w.apply(t, patch, true)
		if diff := cmp.Diff(twinState{Text: `[0]`, Fault: "the result is no object", Size: 3}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", patch, diff)
		}
	}
}

// A limit that was lowered below what the document has is none for what shrinks it.
func TestTextsUnderLoweredLimits(t *testing.T) {
	w := newTwins(new(Pool), func(*Document) {})
	w.set(t, `{"a":[[["x"]]],"b":"long enough"}`)
	for _, d := range w.ways {
		d.MaxDepth, d.MaxBytes = 2, 10
	}
	for _, patch := range []string{
		`[{"op":"replace","path":"/a/0/0/0","value":1}]`,
		`[{"op":"replace","path":"/a/0/0","value":[]}]`,
		`[{"op":"replace","path":"/b","value":"short"}]`,
		`[{"op":"move","from":"/a/0","path":"/a"}]`,
		`[{"op":"copy","from":"/a","path":"/b"}]`,
		`[{"op":"move","from":"/a","path":"/c"}]`,
	} {
		w.apply(t, patch, false)
	}
	got := w.apply(t, `[{"op":"remove","path":"/nothing"}]`, false)
	var limit *LimitError
	if err := w.ways["text"].Set([]byte(`[[[]]]`)); !errors.As(err, &limit) || got.Fault == "" {
		t.Errorf("Set: %v", err)
	}
}
