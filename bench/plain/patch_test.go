package plain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// patchedText applies a patch; "" stands for one that doesn't apply, "!" for a
// malformed one.
func patchedText(doc, text string) string {
	p, err := parsePatch([]byte(text))
	if err != nil {
		return "!"
	}
	out, err := p.apply(normal([]byte(doc)))
	if err != nil {
		return ""
	}
	return string(normal(out))
}

func op(op, path, value string) string {
	return fmt.Sprintf(`{"op":%q,"path":%q,"value":%s}`, op, path, value)
}

func from(op, from, path string) string {
	return fmt.Sprintf(`{"op":%q,"from":%q,"path":%q}`, op, from, path)
}

func TestPatch(t *testing.T) {
	q, l := `{"q":["a","b"]}`, `{"l":[[1,2],[3]]}`
	cases := []struct{ name, doc, patch, want string }{
		{"P01 replace what isn't there", `{}`, op("replace", "/plan", `["x"]`), ""},
		{"P03 test null on a missing path", `{"k":1}`, op("test", "/gone", "null"), ""},
		{"P03 test null", `{"k":null}`, op("test", "/k", "null"), `{"k":null}`},
		{"P03 test without a value", `{"k":null}`, `{"op":"test","path":"/k"}`, "!"},
		{"P03 add null", `{"k":1}`, op("add", "/n", "null"), `{"k":1,"n":null}`},
		{"P03 add without a value", `{}`, `{"op":"add","path":"/n"}`, "!"},
		{"P04 remove -", q, `{"op":"remove","path":"/q/-"}`, ""},
		{"P04 replace -", q, op("replace", "/q/-", "1"), ""},
		{"P04 test -", q, op("test", "/q/-", `"b"`), ""},
		{"P04 copy from -", q, from("copy", "/q/-", "/x"), ""},
		{"P04 add -", q, op("add", "/q/-", "1"), `{"q":["a","b",1]}`},
		{"P04 move to -", q, from("move", "/q/0", "/q/-"), `{"q":["b","a"]}`},
		{"P04 a string is no container", `{"w":"abc"}`, from("copy", "/w/0", "/x"), ""},
		{"P04 null is no container", `{"w":null}`, op("add", "/w/x", "1"), ""},
		{"P05 an array into itself", l, from("move", "/l/0", "/l/0/0"), ""},
		{"P05 an object into itself", `{"a":{"b":{}}}`, from("move", "/a", "/a/b/c"), ""},
		{"P05 names are compared whole", `{"ab":1,"a":{}}`, from("move", "/a", "/ab"), `{"ab":{}}`},
		{"P05 to where it is", l, from("move", "/l/0", "/l/0"), l},
		{"P05 nothing to where it isn't", l, from("move", "/x", "/x"), ""},
		{"P08 replace the root", `{"k":1}`, op("replace", "", "7"), "7"},
		{"P08 remove the root", `{"k":1}`, `{"op":"remove","path":""}`, ""},
		{"P08 the empty name", `{"k":1}`, op("add", "/", "2"), `{"":2,"k":1}`},
		{"P08 add to null", `null`, op("add", "/k", "1"), ""},
		{"P08 add null's successor", `null`, op("add", "", `{"k":1}`), `{"k":1}`},
		{"P08 copy onto the root", `{"k":{"z":1}}`, from("copy", "/k", ""), `{"z":1}`},
		{"P08 copy the root into itself", `{"k":1}`, from("copy", "", "/c"), `{"c":{"k":1},"k":1}`},
		{"P08 replace in a scalar", `5`, op("replace", "/k", "1"), ""},
		{"P09 half applied", `{"a":1}`, op("add", "/b", "2") + `,{"op":"remove","path":"/zz"}`, ""},
		{"numbers compare by value", `{"k":1}`, op("test", "/k", "10e-1"), `{"k":1}`},
		{"numbers compare exactly", `{"k":9007199254740993}`, op("test", "/k", "9007199254740992"), ""},
		{"huge exponents", `{"k":1e99999999999999999999}`, op("test", "/k", "10e99999999999999999998"), `{"k":1e99999999999999999999}`},
		{"zeros are equal", `{"k":-0.0}`, op("test", "/k", "0e5"), `{"k":-0.0}`},
		{"members in any order", `{"k":{"a":1,"b":[2]}}`, op("test", "/k", `{"b":[2.0],"a":1}`), `{"k":{"a":1,"b":[2]}}`},
		{"no pointer", `{}`, op("add", "x", "1"), "!"},
		{"a bad escape", `{}`, op("add", "/~2", "1"), "!"},
		{"escapes", `{}`, op("add", "/~1~0", "1"), `{"/~":1}`},
		{"no array", `{}`, `{`, "!"},
		{"op of the wrong type", `{}`, `{"op":1}`, "!"},
		{"an operation that is no object", `{}`, `1`, "!"},
		{"an operation that is null", `{}`, `null`, "!"},
		{"extra members", `{}`, `{"op":"add","path":"/k","value":1,"why":2,"Path":"/z"}`, `{"k":1}`},
		{"the last duplicate wins", `{}`, `{"op":"add","path":"/z","path":"/k","value":1}`, `{"k":1}`},
		{"duplicates in a value", `{}`, op("add", "/k", `{"a":1,"a":2}`) + "," + op("replace", "/k/a", "3"), `{"k":{"a":3}}`},
		{"a lone surrogate in a value", `{}`, op("add", "/k", `"\ud83d"`), "{\"k\":\"\ufffd\"}"},
		{"nothing", `{"k":1}`, ``, `{"k":1}`},
	}
	for _, token := range []string{"-1", "00", "01", "+1", "1e0", "1.0", "3", "99999999999999999999"} {
		cases = append(cases, struct{ name, doc, patch, want string }{"P04 index " + token, q, op("add", "/q/"+token, "1"), ""})
		cases = append(cases, struct{ name, doc, patch, want string }{"P04 name " + token, `{"q":{}}`, op("add", "/q/"+token, "1"), `{"q":{"` + token + `":1}}`})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := patchedText(c.doc, "["+c.patch+"]"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPatchLimits(t *testing.T) {
	bomb := strings.TrimSuffix(strings.Repeat(from("copy", "/t", "/t/-")+",", 24), ",")
	if got := patchedText(`{"t":[1]}`, "["+bomb+"]"); got != "" {
		t.Errorf("P06: the copy bomb made %d bytes", len(got))
	}
	half := op("add", "/s", `"`+strings.Repeat("x", patchCopyLimit/2-2)+`"`)
	if got := patchedText(`{}`, "["+half+","+from("copy", "/s", "/a")+","+from("copy", "/s", "/b")+"]"); got == "" {
		t.Error("copies up to the limit fail")
	}
	if got := patchedText(`{}`, "["+half+","+from("copy", "/s", "/a")+","+from("copy", "/s", "/b")+","+op("add", "/n", "1")+","+from("copy", "/n", "/c")+"]"); got != "" {
		t.Error("one byte over the limit is copied")
	}
	many := strings.Repeat(op("add", "/k", "1")+",", patchOpsLimit)
	if got := patchedText(`{}`, "["+strings.TrimSuffix(many, ",")+"]"); got != `{"k":1}` {
		t.Error("as many operations as are allowed fail")
	}
	if got := patchedText(`{}`, "["+many+op("add", "/k", "1")+"]"); got != "" {
		t.Error("more operations than are allowed apply")
	}
}

// TestPatchRoutes holds json-patch and our own code against each other where
// json-patch is used.
func TestPatchRoutes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	docs := []string{
		`{"a":{"b":[1,2,{"c":null}],"n":null},"l":[[1,2],[3],[]],"s":"x","0":{"-":1}}`,
		`[{"a":1},[2,[3]],null,"x",9007199254740993,1.50]`,
	}
	names := []string{"a", "b", "c", "n", "l", "s", "0", "1", "2", "3", "-", "", "~0", "~1", "zz"}
	values := []string{`1`, `null`, `"<é>"`, `[1,[]]`, `{"a":{"b":1}}`, `{}`, `1.0`}
	path := func() string {
		s := ""
		for range 1 + random.IntN(3) {
			s += "/" + names[random.IntN(len(names))]
		}
		return s
	}
	applied := 0
	for range 20_000 {
		var ops []string
		for range 1 + random.IntN(3) {
			switch random.IntN(5) {
			case 0:
				ops = append(ops, op("add", path(), values[random.IntN(len(values))]))
			case 1:
				ops = append(ops, op("replace", path(), values[random.IntN(len(values))]))
			case 2:
				ops = append(ops, `{"op":"remove","path":"`+path()+`"}`)
			case 3:
				ops = append(ops, from("move", path(), path()))
			case 4:
				ops = append(ops, from("copy", path(), path()))
			}
		}
		text := "[" + strings.Join(ops, ",") + "]"
		p, err := parsePatch([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if p.plain {
			continue
		}
		doc := docs[random.IntN(len(docs))]
		theirs, err := p.lib.ApplyWithOptions(normal([]byte(doc)), libraryOptions)
		if err != nil {
			continue
		}
		applied++
		ours, err := p.applyTree(normal([]byte(doc)))
		if err != nil {
			t.Fatalf("json-patch takes %s on %s, we don't: %v", text, doc, err)
		}
		if diff := cmp.Diff(string(ours), string(normal(theirs))); diff != "" {
			t.Fatalf("%s on %s (-ours +json-patch):\n%s", text, doc, diff)
		}
	}
	if applied < 500 {
		t.Errorf("only %d patches applied", applied)
	}
}

func TestStateEvents(t *testing.T) {
	delta := func(ops string) string { return `{"type":"STATE_DELTA","delta":[` + ops + `]}` }
	snapshot := func(value string) string { return `{"type":"STATE_SNAPSHOT","snapshot":` + value + `}` }
	runScenarios(t, []scenario{
		{name: "P01 the run goes on, the next snapshot is adopted", events: []string{delta(op("replace", "/plan", `1`)), snapshot(`{"a":[]}`)},
			want: []string{"error patch", `state {"a":[]}`, "done success"}},
		{name: "P08 a delta on null", events: []string{snapshot(`null`), delta(op("add", "/k", "1"))}, want: []string{"state null", "error patch", "done success"}, state: "null"},
		{name: "falsy snapshots", events: []string{snapshot(`0`), snapshot(`false`), snapshot(`""`), snapshot(`[]`)},
			want: []string{"state 0", "state false", `state ""`, "state []", "done success"}},
		{name: "an empty delta", events: []string{delta(``)}, want: []string{"state {}", "done success"}},
		{name: "malformed in Loud", events: []string{delta(`{"op":"add","path":"/n"}`), `{"type":"STATE_DELTA","delta":{}}`, `{"type":"STATE_DELTA","delta":null}`},
			want: []string{"error patch", "error patch", "error patch", "done success"}},
		{name: "malformed in Spec", opts: spec, events: []string{delta(`{"op":"add","path":"/n"}`)}, want: []string{"error json", "done failed"}},
		{name: "no patch at all", events: []string{`{"type":"STATE_DELTA"}`}, want: []string{"error json", "done failed"}},
		{name: "unknown op in Loud", events: []string{delta(op("add", "/a", "1") + `,{"op":"merge"}`)}, want: []string{"error patch", "done success"}, state: "{}"},
		{name: "unknown op in Spec", opts: spec, warnings: 1, events: []string{delta(op("add", "/a", "1") + `,{"op":"merge"}`)},
			want: []string{`state {"a":1}`, "done success"}},
		{name: "duplicates in a snapshot", events: []string{snapshot(`{"a":1,"b":2,"a":3}`)}, want: []string{`state {"a":3,"b":2}`, "done success"}},
	})
}
