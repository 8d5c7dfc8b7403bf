package state

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// patchOnce applies a patch to a document and gives the text after it, whether
// it applied or not. It fails the test if the tree's own books are wrong.
func patchOnce(t testing.TB, doc, patch string) (string, error) {
	t.Helper()
	d := NewDocument(new(Pool))
	if err := d.Set([]byte(doc)); err != nil {
		t.Fatalf("Set(%s): %v", doc, err)
	}
	var p Patch
	err := p.Parse([]byte(patch))
	if err == nil {
		err = d.Apply(&p)
	}
	checkDocument(t, d)
	return string(d.AppendJSON(nil)), err
}

// checkDocument recounts what a document keeps incrementally.
func checkDocument(t testing.TB, d *Document) {
	t.Helper()
	if got, want := d.Size(), len(d.AppendJSON(nil)); got != want {
		t.Fatalf("Size() = %d, the text has %d bytes", got, want)
	}
	if d.root != nil {
		if d.root.up != nil {
			t.Fatal("the root is held by something")
		}
		checkNode(t, d.root)
	}
}

func checkNode(t testing.TB, n *docNode) (height uint16) {
	t.Helper()
	if got, want := n.size, len(n.appendJSON(nil)); got != want {
		t.Fatalf("a node of kind %v has size %d, its text %d bytes", n.kind, got, want)
	}
	if !n.container() {
		return 0
	}
	visit := func(child *docNode) {
		if child.container() && child.up != n || child.shared && child.up != nil {
			t.Fatal("a child is held by something else")
		}
		height = max(height, checkNode(t, child))
	}
	if n.arr != nil {
		for _, item := range n.arr.items() {
			visit(item)
		}
		for i, item := range n.arr.buf {
			if (i < n.arr.head || i >= n.arr.head+n.arr.n) && item != nil {
				t.Fatal("an array holds on to an item outside of it")
			}
		}
	} else {
		live, indexed := 0, 0
		for i, m := range n.obj.members {
			if i >= n.obj.n {
				if m != (docMember{}) {
					t.Fatal("an object holds on to a member outside of it")
				}
				continue
			}
			if m.node == nil {
				continue
			}
			live++
			visit(m.node)
			if at := n.obj.find(m.key.bytes()); at != i {
				t.Fatalf("member %q stands at %d and is found at %d", m.key.bytes(), i, at)
			}
		}
		for _, s := range n.obj.slots {
			if s.at != 0 {
				indexed++
			}
		}
		if live != n.obj.live || n.obj.slots != nil && indexed != live {
			t.Fatalf("an object has %d members, counts %d, indexes %d", live, n.obj.live, indexed)
		}
	}
	height++
	if n.height < height {
		t.Fatalf("height %d, really %d", n.height, height)
	}
	return height
}

type patchCase struct {
	name, doc, patch string
	want             string // "": fails to apply, and doc stays
}

func runPatchCases(t *testing.T, cases []patchCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := patchOnce(t, c.doc, c.patch)
			want := c.want
			if want == "" {
				want = c.doc
				var fault *PatchError
				if !errors.As(err, &fault) {
					t.Errorf("error %v, want a *PatchError", err)
				}
			} else if err != nil {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

// The examples of RFC 6902, appendix A, with values of our own.
func TestPatchRFC6902(t *testing.T) {
	runPatchCases(t, []patchCase{
		{"A1 add a member", `{"town":"Ulm"}`, `[{"op":"add","path":"/river","value":"Danube"}]`, `{"town":"Ulm","river":"Danube"}`},
		{"A2 add an item", `{"l":[1,3]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2,3]}`},
		{"A3 remove a member", `{"a":1,"b":2,"c":3}`, `[{"op":"remove","path":"/b"}]`, `{"a":1,"c":3}`},
		{"A4 remove an item", `{"l":["x","y","z"]}`, `[{"op":"remove","path":"/l/1"}]`, `{"l":["x","z"]}`},
		{"A5 replace a value", `{"a":1,"b":2}`, `[{"op":"replace","path":"/a","value":[true]}]`, `{"a":[true],"b":2}`},
		{"A6 move a value", `{"from":{"keep":1,"go":2},"to":{"is":3}}`, `[{"op":"move","from":"/from/go","path":"/to/came"}]`, `{"from":{"keep":1},"to":{"is":3,"came":2}}`},
		{"A7 move an item", `{"l":["w","x","y","z"]}`, `[{"op":"move","from":"/l/1","path":"/l/3"}]`, `{"l":["w","y","z","x"]}`},
		{"A8 test holds", `{"s":"v","l":["a",2,"c"]}`, `[{"op":"test","path":"/s","value":"v"},{"op":"test","path":"/l/1","value":2}]`, `{"s":"v","l":["a",2,"c"]}`},
		{"A9 test fails", `{"s":"v"}`, `[{"op":"test","path":"/s","value":"w"}]`, ""},
		{"A10 add a nested object", `{"a":"b"}`, `[{"op":"add","path":"/c","value":{"d":{}}}]`, `{"a":"b","c":{"d":{}}}`},
		{"A11 extra members", `{"a":"b"}`, `[{"op":"add","path":"/c","value":"d","note":[1]}]`, `{"a":"b","c":"d"}`},
		{"A12 add under what isn't there", `{"a":"b"}`, `[{"op":"add","path":"/c/d","value":"e"}]`, ""},
		{"A13 duplicate op, the last stands", `{"a":"b"}`, `[{"op":"add","path":"/a","value":1,"op":"remove"}]`, `{}`},
		{"A14 escaped tokens", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10},{"op":"test","path":"/~1","value":9}]`, `{"/":9,"~1":10}`},
		{"A15 strings and numbers differ", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":"10"}]`, ""},
		{"A16 add an array at the end", `{"l":["a"]}`, `[{"op":"add","path":"/l/-","value":["b","c"]}]`, `{"l":["a",["b","c"]]}`},
	})
}

// The reports of cases.md section 6.
func TestPatchReports(t *testing.T) {
	runPatchCases(t, []patchCase{
		{"P01 replace what isn't there", `{}`, `[{"op":"replace","path":"/plan","value":["x"]}]`, ""},
		{"P03a test null on nothing", `{"k":1}`, `[{"op":"test","path":"/gone","value":null}]`, ""},
		{"P03b test null on null", `{"k":null}`, `[{"op":"test","path":"/k","value":null}]`, `{"k":null}`},
		{"P03d add null", `{"k":1}`, `[{"op":"add","path":"/n","value":null}]`, `{"k":1,"n":null}`},
		{"P04 remove -", `{"q":["a","b"]}`, `[{"op":"remove","path":"/q/-"}]`, ""},
		{"P04 replace -", `{"q":["a","b"]}`, `[{"op":"replace","path":"/q/-","value":1}]`, ""},
		{"P04 test -", `{"q":["a","b"]}`, `[{"op":"test","path":"/q/-","value":1}]`, ""},
		{"P04 copy from -", `{"q":["a","b"]}`, `[{"op":"copy","from":"/q/-","path":"/c"}]`, ""},
		{"P04 move from -", `{"q":["a","b"]}`, `[{"op":"move","from":"/q/-","path":"/c"}]`, ""},
		{"P04 add -", `{"q":["a","b"]}`, `[{"op":"add","path":"/q/-","value":"c"}]`, `{"q":["a","b","c"]}`},
		{"P04 copy to -", `{"q":["a","b"]}`, `[{"op":"copy","from":"/q/0","path":"/q/-"}]`, `{"q":["a","b","a"]}`},
		{"P04 move to -", `{"q":["a","b"]}`, `[{"op":"move","from":"/q/0","path":"/q/-"}]`, `{"q":["b","a"]}`},
		{"P04 - is a name", `{"o":{}}`, `[{"op":"add","path":"/o/-","value":1}]`, `{"o":{"-":1}}`},
		{"P04 strings hold nothing", `{"w":"abc"}`, `[{"op":"copy","from":"/w/0","path":"/x"}]`, ""},
		{"P04 null holds nothing", `{"w":null}`, `[{"op":"add","path":"/w/x","value":1}]`, ""},
		{"P05a move an item into itself", `{"l":[[1,2],[3]]}`, `[{"op":"move","from":"/l/0","path":"/l/0/0"}]`, ""},
		{"P05b move a member into itself", `{"a":{"b":{}}}`, `[{"op":"move","from":"/a","path":"/a/b/c"}]`, ""},
		{"P05c a name that begins alike", `{"ab":1,"a":{}}`, `[{"op":"move","from":"/a","path":"/ab"}]`, `{"ab":{}}`},
		{"P05d move onto itself", `{"l":[[1,2],[3]]}`, `[{"op":"move","from":"/l/0","path":"/l/0"}]`, `{"l":[[1,2],[3]]}`},
		{"P05 a member onto itself keeps its place", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1,"b":2}`},
		{"P05 nothing onto itself", `{"a":1}`, `[{"op":"move","from":"/x","path":"/x"}]`, ""},
		{"P05 the document into itself", `{"a":1}`, `[{"op":"move","from":"","path":"/b"}]`, ""},
		{"P05 the document onto itself", `{"a":1}`, `[{"op":"move","from":"","path":""}]`, `{"a":1}`},
		{"P06 copies that double", `{"t":[1]}`, "[" + strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"/t","path":"/t/-"},`, 24), ",") + "]", ""},
		{"P08a replace the document", `{"k":1}`, `[{"op":"replace","path":"","value":7}]`, `7`},
		{"P08b remove the document", `{"k":1}`, `[{"op":"remove","path":""}]`, ""},
		{"P08c the empty name", `{"k":1}`, `[{"op":"add","path":"/","value":2}]`, `{"k":1,"":2}`},
		{"P08d null takes no member", `null`, `[{"op":"add","path":"/k","value":1}]`, ""},
		{"P08e copy over the document", `{"k":{"z":1}}`, `[{"op":"copy","from":"/k","path":""}]`, `{"z":1}`},
		{"P08 null can be replaced", `null`, `[{"op":"test","path":"","value":null},{"op":"add","path":"","value":{}},{"op":"add","path":"/k","value":1}]`, `{"k":1}`},
		{"P08 move over the document", `{"k":{"z":[1]},"x":2}`, `[{"op":"move","from":"/k/z","path":""}]`, `[1]`},
		{"P08 the document into a member", `{"k":1}`, `[{"op":"copy","from":"","path":"/c"}]`, `{"k":1,"c":{"k":1}}`},
		{"P08 and back", `{"k":{"z":[1]},"x":2}`, `[{"op":"move","from":"/k/z","path":""},{"op":"add","path":"/0","value":[{"a":{}}]},{"op":"remove","path":"/9"}]`, ""},
		{"P09 half applied", `{"a":1}`, `[{"op":"add","path":"/b","value":2},{"op":"remove","path":"/zz"}]`, ""},
		{"P09 the last of a thousand", `{"a":1}`, "[" + strings.Repeat(`{"op":"add","path":"/b","value":{"x":[1,2]}},`, 999) + `{"op":"test","path":"/a","value":2}]`, ""},
	})
	t.Run("P04 tokens that are no index", func(t *testing.T) {
		for _, token := range []string{"-1", "00", "01", "+1", "1e0", "1.0", "3", "99999999999999999999", "", " 1", "1 ", "٣", "18446744073709551616", "0x1"} {
			for _, op := range []string{"add", "replace", "test", "remove"} {
				const doc = `{"q":["a","b"]}`
				got, err := patchOnce(t, doc, fmt.Sprintf(`[{"op":%q,"path":"/q/%s","value":"b"}]`, op, token))
				if fault := (*PatchError)(nil); !errors.As(err, &fault) || got != doc {
					t.Errorf("%s at %q: document %s, error %v", op, token, got, err)
				}
			}
		}
	})
}

func TestPatchOperations(t *testing.T) {
	runPatchCases(t, []patchCase{
		{"nothing", `{"a":1}`, `[]`, `{"a":1}`},
		{"a replaced member keeps its place", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"a removed and added member goes last", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":1}]`, `{"b":2,"a":1}`},
		{"a member moved over another", `{"a":1,"b":2,"c":3}`, `[{"op":"move","from":"/c","path":"/a"}]`, `{"a":3,"b":2}`},
		{"remove comes back at its place", `{"a":1,"b":2,"c":3}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"},{"op":"remove","path":"/x"}]`, ""},
		{"move to an index that its removal took", `{"l":[1,2,3]}`, `[{"op":"move","from":"/l/0","path":"/l/3"}]`, ""},
		{"move whose target's parent its removal shifted", `[[1],[2],[3]]`, `[{"op":"move","from":"/0","path":"/1/0"}]`, `[[2],[[1],3]]`},
		{"duplicates in a value", `{}`, `[{"op":"add","path":"/o","value":{"a":1,"b":2,"a":{"c":3}}}]`, `{"o":{"a":{"c":3},"b":2}}`},
		{"escaped names are names", `{"a":1}`, `[{"op":"replace","\u0070ath":"/\u0061","value":2}]`, `{"a":2}`},
		{"surrogates in a value", `{}`, `[{"op":"add","path":"/s","value":"\ud83d x \ud83d\ude00"}]`, `{"s":"` + "\uFFFD x \U0001F600" + `"}`},
		{"strings are escaped again", `{}`, `[{"op":"add","path":"/a\"b","value":"\u000a\u0022\/"}]`, `{"a\"b":"\n\"/"}`},
		{"numbers keep their digits", `{"n":1}`, `[{"op":"replace","path":"/n","value":1.50e+007}]`, `{"n":1.50e+007}`},
		{"test of numbers by value", `{"n":1e400}`, `[{"op":"test","path":"/n","value":10e399}]`, `{"n":1e400}`},
		{"test of objects in any order", `{"o":{"a":1,"b":[2]}}`, `[{"op":"test","path":"/o","value":{"b":[2.0],"a":1}}]`, `{"o":{"a":1,"b":[2]}}`},
		{"test of an object with less", `{"o":{"a":1,"b":2}}`, `[{"op":"test","path":"/o","value":{"a":1}}]`, ""},
		{"test of an object with others", `{"o":{"a":1,"b":2}}`, `[{"op":"test","path":"/o","value":{"a":1,"c":2}}]`, ""},
		{"test of arrays in another order", `{"l":[1,2]}`, `[{"op":"test","path":"/l","value":[2,1]}]`, ""},
		{"test of another kind", `{"l":[]}`, `[{"op":"test","path":"/l","value":{}}]`, ""},
		{"a scalar root", `5`, `[{"op":"test","path":"","value":5.0},{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"undo of a root and of what went into it", `{"a":[1,{"b":2}]}`, `[{"op":"replace","path":"","value":{"c":[]}},{"op":"add","path":"/c/0","value":1},{"op":"copy","from":"","path":"/d"},{"op":"test","path":"/d","value":0}]`, ""},
		{"undo of moves over each other", `{"a":{"x":1},"b":{"y":2},"c":[1,2,3]}`, `[{"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b/x","path":"/c/1"},{"op":"move","from":"/c/0","path":"/c/-"},{"op":"remove","path":"/b"},{"op":"remove","path":"/b"}]`, ""},
		{"a member that comes and goes in one patch", `{"a":1}`, "[" + strings.Repeat(`{"op":"add","path":"/x","value":{"y":1}},{"op":"remove","path":"/x"},`, 500) + `{"op":"test","path":"","value":{"a":1}}]`, `{"a":1}`},
		{"and all of it undone", `{"b":0,"a":1}`, "[" + strings.Repeat(`{"op":"add","path":"/x","value":{"y":1}},{"op":"remove","path":"/x"},{"op":"move","from":"/b","path":"/c"},{"op":"move","from":"/c","path":"/b"},`, 200) + `{"op":"remove","path":"/x"}]`, ""},
		{"what was moved out of what was removed stays", `{"a":{"x":[1]},"c":{}}`, `[{"op":"move","from":"/a/x","path":"/c/x"},{"op":"remove","path":"/a"},{"op":"add","path":"/z","value":"fills"}]`, `{"c":{"x":[1]},"z":"fills"}`},
	})
}

func TestPatchErrors(t *testing.T) {
	cases := []struct {
		name, doc, patch string
		want             *PatchError
		text             string
	}{
		{
			"operation and path", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/plan/deep","value":1}]`,
			&PatchError{Index: 1, Op: "replace", Path: "/plan/deep", Reason: faultContainer.reason},
			`operation 1 (replace "/plan/deep"): what would hold it is no object or array, or isn't there`,
		},
		{
			"from", `{}`, `[{"op":"copy","from":"/x","path":"/y"}]`,
			&PatchError{Index: 0, Op: "copy", Path: "/x", Reason: faultFrom.reason},
			`operation 0 (copy "/x"): there is no such value`,
		},
		{
			"index counts unknown ones", `{}`, `[{"op":"poke"},{"op":"remove","path":""}]`,
			&PatchError{Index: 1, Op: "remove", Path: "", Reason: faultRoot.reason},
			`operation 1 (remove ""): the whole document can't be removed`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := patchOnce(t, c.doc, c.patch)
			var fault *PatchError
			errors.As(err, &fault)
			if diff := cmp.Diff(c.want, fault); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if err != nil && err.Error() != c.text {
				t.Errorf("text %q, want %q", err, c.text)
			}
			if got != c.doc {
				t.Errorf("document %s", got)
			}
		})
	}
}

func TestPatchParse(t *testing.T) {
	cases := []struct {
		name, patch string
		want        *MalformedError
		unknown     []UnknownOp
		known       int
	}{
		{"an object", `{"op":"add"}`, &MalformedError{Index: -1, Reason: "no array of operations"}, nil, 0},
		{"null", `null`, &MalformedError{Index: -1, Reason: "no array of operations"}, nil, 0},
		{"an element no object", `[{"op":"remove","path":"/a"},7]`, malformed(1, "", "no object"), nil, 0},
		{"no op", `[{"path":"/a"}]`, malformed(0, "/op", patchMissing), nil, 0},
		{"op no string", `[{"op":1,"path":"/a"}]`, malformed(0, "/op", "no string"), nil, 0},
		{"no path", `[{"op":"remove"}]`, malformed(0, "/path", patchMissing), nil, 0},
		{"path null", `[{"op":"remove","path":null}]`, malformed(0, "/path", "no string"), nil, 0},
		{"path without a slash", `[{"op":"remove","path":"a"}]`, malformed(0, "/path", "no JSON Pointer"), nil, 0},
		{"path with a bad escape", `[{"op":"remove","path":"/a~2"}]`, malformed(0, "/path", "no JSON Pointer"), nil, 0},
		{"path with a torn escape", `[{"op":"remove","path":"/a~"}]`, malformed(0, "/path", "no JSON Pointer"), nil, 0},
		{"P03c test without value", `[{"op":"test","path":"/a"}]`, malformed(0, "/value", patchMissing), nil, 0},
		{"P03e add without value", `[{"op":"add","path":"/a"}]`, malformed(0, "/value", patchMissing), nil, 0},
		{"replace without value", `[{"op":"replace","path":"/a"}]`, malformed(0, "/value", patchMissing), nil, 0},
		{"move without from", `[{"op":"move","path":"/a"}]`, malformed(0, "/from", patchMissing), nil, 0},
		{"copy with a bad from", `[{"op":"copy","path":"/a","from":"b"}]`, malformed(0, "/from", "no JSON Pointer"), nil, 0},
		{"names are exact", `[{"Op":"remove","path":"/a"}]`, malformed(0, "/op", patchMissing), nil, 0},
		{"value null is there", `[{"op":"add","path":"/a","value":null}]`, nil, nil, 1},
		{"unused members may be anything", `[{"op":"remove","path":"/a","from":7,"value":1}]`, nil, nil, 1},
		{"unknown ones are put aside", `[{"op":"poke"},{"op":"remove","path":"/a"},{"op":"ADD","path":"x"}]`, nil, []UnknownOp{{0, "poke"}, {2, "ADD"}}, 1},
		{"the last path stands", `[{"op":"remove","path":7,"path":"/a"}]`, nil, nil, 1},
		{"the last value stands", `[{"op":"remove","path":"/a","path":7}]`, malformed(0, "/path", "no string"), nil, 0},
	}
	var p Patch
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := p.Parse([]byte(c.patch))
			var got *MalformedError
			if err != nil && !errors.As(err, &got) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.unknown, append([]UnknownOp(nil), p.Unknown()...)); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			if p.Len() != c.known {
				t.Errorf("Len() = %d, want %d", p.Len(), c.known)
			}
		})
	}
	if got, want := malformed(1, "/from", patchMissing).Error(), `malformed patch at "/1/from": required member missing`; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestPatchObject(t *testing.T) {
	for _, c := range []struct{ name, patch, want, fault string }{
		{"stays an object", `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`, ""},
		{"becomes an array", `[{"op":"add","path":"/x","value":0},{"op":"replace","path":"","value":[]}]`, `{"a":1}`, `operation 1 (replace ""): the result is no object`},
		{"was something else between", `[{"op":"replace","path":"","value":[]},{"op":"replace","path":"","value":{}}]`, `{}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDocument(nil)
			if err := d.Set([]byte(`{"a":1}`)); err != nil {
				t.Fatal(err)
			}
			var p Patch
			if err := p.Parse([]byte(c.patch)); err != nil {
				t.Fatal(err)
			}
			text := ""
			if err := d.ApplyObject(&p); err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff([]string{c.want, c.fault}, []string{string(d.AppendJSON(nil)), text}); diff != "" {
				t.Errorf("document and error (-want +got):\n%s", diff)
			}
			checkDocument(t, d)
		})
	}
}

func TestPatchLimits(t *testing.T) {
	many := func(op string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(op+",", n), ",") + "]"
	}
	for _, c := range []struct {
		name  string
		set   func(*Document)
		doc   string
		patch string
		want  string // the error's text, "" if it applies
	}{
		{"operations", func(d *Document) { d.MaxOps = 3 }, `{}`, many(`{"op":"test","path":"","value":{}}`, 4), `operation 3 (test ""): more operations in one patch than the limit (limit 3)`},
		{"as many as allowed", func(d *Document) { d.MaxOps = 3 }, `{}`, many(`{"op":"test","path":"","value":{}}`, 3), ""},
		{"standard operations", func(*Document) {}, `{}`, many(`{"op":"test","path":"","value":{}}`, 10_001), `operation 10000 (test ""): more operations in one patch than the limit (limit 10000)`},
		{"copies", func(d *Document) { d.MaxCopyBytes = 10 }, `{"a":"12345678"}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"}]`, `operation 1 (copy "/c"): more bytes added by copying than the limit (limit 10)`},
		{"copies as large as allowed", func(d *Document) { d.MaxCopyBytes = 20 }, `{"a":"12345678"}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"}]`, ""},
		{"state bytes", func(d *Document) { d.MaxBytes = 12 }, `{"a":1}`, `[{"op":"add","path":"/b","value":123}]`, `operation 0 (add "/b"): more state bytes than the limit (limit 12)`},
		{"state as large as allowed", func(d *Document) { d.MaxBytes = 14 }, `{"a":1}`, `[{"op":"add","path":"/b","value":12}]`, ""},
		{"first member as large as allowed", func(d *Document) { d.MaxBytes = 7 }, `{}`, `[{"op":"add","path":"/b","value":1}]`, ""},
		{"shrinking is allowed", func(d *Document) { d.MaxBytes = 9 }, `[1,2,3,4]`, `[{"op":"replace","path":"","value":[1,2,3]}]`, ""},
		{"root too large", func(d *Document) { d.MaxBytes = 9 }, `[1,2,3,4]`, `[{"op":"replace","path":"","value":[1,2,3,45]}]`, `operation 0 (replace ""): more state bytes than the limit (limit 9)`},
		{"depth of a value", func(d *Document) { d.MaxDepth = 3 }, `{"a":{}}`, `[{"op":"add","path":"/a/b","value":[[]]}]`, `operation 0 (add "/a/b"): nested deeper than the limit (limit 3)`},
		{"depth as allowed", func(d *Document) { d.MaxDepth = 4 }, `{"a":{}}`, `[{"op":"add","path":"/a/b","value":[[]]}]`, ""},
		{"depth that a removal made", func(d *Document) { d.MaxDepth = 4 }, `{"a":{"x":[[1]]},"b":{}}`, `[{"op":"remove","path":"/a/x"},{"op":"move","from":"/a","path":"/b/a"}]`, ""},
		{"depth by moving", func(d *Document) { d.MaxDepth = 3 }, `{"a":[[1]],"b":{}}`, `[{"op":"move","from":"/a","path":"/b/a"}]`, `operation 0 (move "/b/a"): nested deeper than the limit (limit 3)`},
		{"depth by copying", func(d *Document) { d.MaxDepth = 3 }, `{"a":{}}`, many(`{"op":"copy","from":"","path":"/a/b"}`, 2), `operation 0 (copy "/a/b"): nested deeper than the limit (limit 3)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDocument(new(Pool))
			if err := d.Set([]byte(c.doc)); err != nil {
				t.Fatal(err)
			}
			c.set(d)
			var p Patch
			if err := p.Parse([]byte(c.patch)); err != nil {
				t.Fatal(err)
			}
			text := ""
			if err := d.Apply(&p); err != nil {
				text = err.Error()
			}
			if text != c.want {
				t.Errorf("error %q, want %q", text, c.want)
			}
			if c.want != "" && string(d.AppendJSON(nil)) != c.doc {
				t.Errorf("document %s, want it unchanged", d.AppendJSON(nil))
			}
			checkDocument(t, d)
		})
	}
}
