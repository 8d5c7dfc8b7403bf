package state

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
)

// randomJSON writes a value. Few names and small arrays make pointers meet.
type randomJSON struct {
	*rand.Rand
	names []string
	texts []string // JSON texts of strings; nil: a few
	most  int      // operations of a patch; 0: 6
	plain bool     // no nulls, numbers or names that json-patch has trouble with
}

func (r *randomJSON) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r *randomJSON) name() string {
	if r.plain {
		return r.pick("a", "b", "c", "dd", "e_e")
	}
	return r.pick(r.names...)
}

func (r *randomJSON) value(depth int) string {
	kind := r.IntN(10)
	if depth == 0 {
		kind = r.IntN(6)
	}
	switch {
	case kind < 2 && r.plain:
		return strconv.Itoa(r.IntN(4))
	case kind < 2:
		return r.pick("0", "-0", "1", "1.0", "10e-1", "0.1E1", "1e+400", "10e399", "-12.50", "123456789012345678901234567890")
	case kind < 4 && r.texts != nil:
		return r.pick(r.texts...)
	case kind < 4:
		return strconv.Quote(r.pick("", "x", "long enough for another size class of the pool", "tab\t\"q\"\\", "ünïcode", "a"))
	case kind < 6 && r.plain:
		return r.pick("true", "false")
	case kind < 6:
		return r.pick("true", "false", "null")
	case kind < 8:
		items := make([]string, r.IntN(5))
		for i := range items {
			items[i] = r.value(depth - 1)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	members := make([]string, r.IntN(6))
	if r.IntN(8) == 0 {
		members = make([]string, r.IntN(40))
	}
	for i := range members {
		name := r.name()
		if r.IntN(3) == 0 {
			name += strconv.Itoa(r.IntN(30))
		}
		members[i] = refText(name) + ":" + r.value(depth-1)
	}
	if r.plain {
		members = unrepeated(members)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func unrepeated(members []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, m := range members {
		name, _, _ := strings.Cut(m, ":")
		if !seen[name] {
			out = append(out, m)
		}
		seen[name] = true
	}
	return out
}

// pointer follows the document for a while, and now and then goes astray.
func (r *randomJSON) pointer(v any, add bool) string {
	path := ""
	for {
		if r.IntN(4) == 0 && path != "" || r.IntN(40) == 0 {
			return path
		}
		switch held := v.(type) {
		case refArray:
			stray := r.IntN(12)
			switch {
			case add && stray < 3:
				return path + r.pick("/-", "/"+strconv.Itoa(len(held)), "/0")
			case stray == 0:
				return path + "/" + r.pick("-", "01", "-1", "x", strconv.Itoa(len(held)), strconv.Itoa(len(held)+1))
			case len(held) == 0:
				return path + "/0"
			}
			i := r.IntN(len(held))
			path, v = path+"/"+strconv.Itoa(i), held[i]
		case refObject:
			if len(held) == 0 || add && r.IntN(3) == 0 || r.IntN(15) == 0 {
				return path + "/" + refEscape(r.name())
			}
			m := held[r.IntN(len(held))]
			path, v = path+"/"+refEscape(m.name), m.value
		default:
			if r.IntN(10) == 0 {
				return path + "/" + refEscape(r.name())
			}
			return path
		}
	}
}

func refEscape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (r *randomJSON) op(doc any) string {
	quote := func(s string) string { return refText(s) }
	switch r.IntN(8) {
	case 0, 1, 2:
		return `{"op":"add","path":` + quote(r.pointer(doc, true)) + `,"value":` + r.value(2) + `}`
	case 3:
		return `{"op":"replace","path":` + quote(r.pointer(doc, false)) + `,"value":` + r.value(2) + `}`
	case 4:
		return `{"op":"remove","path":` + quote(r.pointer(doc, false)) + `}`
	case 5:
		return `{"op":"move","from":` + quote(r.pointer(doc, false)) + `,"path":` + quote(r.pointer(doc, true)) + `}`
	case 6:
		return `{"op":"copy","from":` + quote(r.pointer(doc, false)) + `,"path":` + quote(r.pointer(doc, true)) + `}`
	}
	path := r.pointer(doc, false)
	value := r.value(1)
	if held, err := refGet(doc, refTokens(path)); err == nil && r.IntN(4) > 0 {
		value = refText(held)
	}
	return `{"op":"test","path":` + quote(path) + `,"value":` + value + `}`
}

// patch writes operations that mostly apply, one after another.
func (r *randomJSON) patch(doc any) string {
	var ops []string
	for range 1 + r.IntN(orDefault(r.most, 6)) {
		op := r.op(doc)
		ops = append(ops, op)
		parsed, err := refPatch("[" + op + "]")
		if err != nil {
			continue
		}
		if next, err := refApply(doc, parsed); err == nil {
			doc = next
		} else if r.IntN(3) > 0 {
			ops = ops[:len(ops)-1]
		}
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// One document and one pool live through many patches: what a patch leaves
// behind, or gives back wrongly, shows in a later one.
func TestPatchAgainstReference(t *testing.T) {
	rounds := 700
	if testing.Short() {
		rounds = 100
	}
	for _, pool := range []*Pool{new(Pool), nil} {
		r := &randomJSON{Rand: rand.New(rand.NewPCG(1, 2)), names: []string{"a", "b", "", "~", "/", "~1", "0", "-", "a/b", "é", "q\"", "\n"}}
		d, p := NewDocument(pool), new(Patch)
		applied, failed := 0, 0
		for range rounds {
			text := r.value(4)
			want, err := refParse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Set([]byte(text)); err != nil {
				t.Fatalf("Set(%s): %v", text, err)
			}
			checkDocument(t, d)
			if diff := cmp.Diff(refText(want), string(d.AppendJSON(nil))); diff != "" {
				t.Fatalf("Set(%s) (-want +got):\n%s", text, diff)
			}
			for range 10 {
				patch := r.patch(want)
				before := refText(want)
				next, fault := patchBoth(t, d, p, want, patch)
				if fault != nil {
					failed++
				} else {
					applied++
				}
				want = next
				if diff := cmp.Diff(refText(want), string(d.AppendJSON(nil))); diff != "" {
					t.Fatalf("%s\npatched by %s (-want +got):\n%s", before, patch, diff)
				}
				checkDocument(t, d)
				if len(before) > 20_000 {
					break
				}
			}
		}
		if applied < rounds || failed < rounds {
			t.Errorf("%d patches applied, %d failed: the test sees too few of one kind", applied, failed)
		}
	}
}

// patchBoth applies a patch to the document and to the reference, which it
// gives back as it then stands.
func patchBoth(t testing.TB, d *Document, p *Patch, doc any, patch string) (any, error) {
	t.Helper()
	ops, bad := refPatch(patch)
	err := p.Parse([]byte(patch))
	if (bad != nil) != (err != nil) {
		t.Fatalf("Parse(%s): %v, the reference: %v", patch, err, bad)
	}
	if err != nil {
		return doc, err
	}
	next, bad := refApply(doc, ops)
	err = d.Apply(p)
	if (bad != nil) != (err != nil) {
		t.Fatalf("%s\npatched by %s: %v, the reference: %v", refText(doc), patch, err, bad)
	}
	if err != nil {
		return doc, err
	}
	return next, nil
}

// json-patch has faults of its own (indices such as 01, moves into a child,
// test of null on nothing, a panic in test where null is
// deeper in, scalar roots, numbers by text, no limit on copies):
// patches that touch one of them are left out.
func TestPatchAgainstLibrary(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	r := &randomJSON{Rand: rand.New(rand.NewPCG(3, 4)), plain: true}
	compared := 0
	for range rounds {
		text := "{\"a\":" + r.value(3) + ",\"b\":" + r.value(3) + "}"
		doc, err := refParse(text)
		if err != nil {
			t.Fatal(err)
		}
		patch := r.patch(doc)
		ops, err := refPatch(patch)
		if err != nil || touchesKnownFault(ops) {
			continue
		}
		theirs, err := jsonpatch.DecodePatch([]byte(patch))
		if err != nil {
			t.Fatalf("DecodePatch(%s): %v", patch, err)
		}
		want, fault := theirs.Apply([]byte(text))
		got, ours := patchOnce(t, text, patch)
		if (fault != nil) != (ours != nil) {
			t.Fatalf("%s\npatched by %s: %v, json-patch: %v", text, patch, ours, fault)
		}
		if fault == nil && !EqualJSON(want, []byte(got)) {
			t.Fatalf("%s\npatched by %s:\n%s\njson-patch:\n%s", text, patch, got, want)
		}
		compared++
	}
	if compared < rounds/3 {
		t.Errorf("only %d of %d rounds compared anything", compared, rounds)
	}
}

func touchesKnownFault(ops []refOp) bool {
	for _, op := range ops {
		if len(op.path) == 0 {
			return true
		}
		if (op.op == "move" || op.op == "copy") && (len(op.from) == 0 || refPrefix(op.path, op.from)) {
			return true
		}
		for _, token := range append(append([]string(nil), op.path...), op.from...) {
			if token == "01" || token == "-1" || token == "-" && op.op != "add" {
				return true
			}
		}
	}
	return false
}

// hasHugeExponent keeps big.Rat, not us, from running out of memory.
func hasHugeExponent(text string) bool {
	_, exp, _ := strings.Cut(strings.ToLower(text), "e")
	for exp != "" {
		digits := strings.TrimLeft(exp, "+-")
		n := 0
		for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
			n++
		}
		if n > 3 {
			return true
		}
		_, exp, _ = strings.Cut(exp, "e")
	}
	return false
}
