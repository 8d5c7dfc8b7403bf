package state

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/decode"
)

func TestDocumentSet(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"null", " null ", "null"},
		{"false", "false", "false"},
		{"zero", "0", "0"},
		{"the empty string", `""`, `""`},
		{"the empty array", "[ ]", "[]"},
		{"the empty object", "\t{\r\n}", "{}"},
		{"white space goes", "{ \"a\" : [ 1 , 2 ] ,\n\"b\":{} }", `{"a":[1,2],"b":{}}`},
		{"numbers as written", "[1.0,1E+2,-0,1e400,0.10]", "[1.0,1E+2,-0,1e400,0.10]"},
		{"order stays", `{"b":1,"a":2,"c":3}`, `{"b":1,"a":2,"c":3}`},
		{"duplicates", `{"a":1,"b":2,"a":{"x":1,"x":2}}`, `{"a":{"x":2},"b":2}`},
		{"duplicates spelled in other ways", `{"a":1,"b":2,"\u0061":3}`, `{"a":3,"b":2}`},
		{"escapes, minimally", `"\u0041\/\n\u0001\u007f\u2028"`, "\"A/\\n\\u0001\u007f\u2028\""},
		{"surrogates", `["\ud83d\ude00","\ud83d","\ude00x"]`, "[\"\U0001F600\",\"\uFFFD\",\"\uFFFDx\"]"},
		{"invalid UTF-8", "\"a\xf0\x9f\x98b\xff\"", "\"a\uFFFDb\uFFFD\""},
		{"invalid UTF-8 in a name", "{\"\xff\":1,\"\\ufffd\":2}", "{\"\uFFFD\":2}"},
		{"escaped quotes and backslashes", `{"\\\"":"\\"}`, `{"\\\"":"\\"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDocument(new(Pool))
			if err := d.Set([]byte(c.text)); err != nil {
				t.Fatal(err)
			}
			checkDocument(t, d)
			if diff := cmp.Diff(c.want, string(d.AppendJSON(nil))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := string(NormalizeJSON(nil, []byte(c.text))); got != c.want {
				t.Errorf("NormalizeJSON gives %s", got)
			}
			if got, want := d.IsObject(), c.want[0] == '{'; got != want {
				t.Errorf("IsObject() = %v", got)
			}
			d.Reset()
			if got := string(d.AppendJSON(nil)); got != "{}" {
				t.Errorf("after Reset: %s", got)
			}
		})
	}
}

func TestDocumentZero(t *testing.T) {
	var d Document
	if got := string(d.AppendJSON(nil)); got != "{}" || d.Size() != 2 || !d.IsObject() || d.Root().Kind() != decode.Object {
		t.Errorf("zero document is %s of %d bytes", got, d.Size())
	}
	var p Patch
	if err := p.Parse([]byte(`[{"op":"add","path":"/a","value":1}]`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Apply(&p); err != nil {
		t.Fatal(err)
	}
	if got := string(d.AppendJSON(nil)); got != `{"a":1}` {
		t.Errorf("patched: %s", got)
	}
	if got := string(docEmpty.appendJSON(nil)); got != "{}" {
		t.Errorf("what all empty documents share is now %s", got)
	}
}

func TestDocumentSetErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		set        func(*Document)
		want       *LimitError // nil: no JSON
	}{
		{"bytes", `{"a":"12345678"}`, func(d *Document) { d.MaxBytes = 15 }, &LimitError{"state bytes", 15}},
		{"bytes of a repaired string", "\"\xff\xff\xff\xff\xff\"", func(d *Document) { d.MaxBytes = 16 }, &LimitError{"state bytes", 16}},
		{"depth", `[[[]]]`, func(d *Document) { d.MaxDepth = 2 }, &LimitError{"nesting", 2}},
		{"standard depth", strings.Repeat("[", 1025) + strings.Repeat("]", 1025), func(*Document) {}, &LimitError{"nesting", 1024}},
		{"depth of an object", `{"a":{"b":[]}}`, func(d *Document) { d.MaxDepth = 2 }, &LimitError{"nesting", 2}},
		{"empty", ``, func(*Document) {}, nil},
		{"torn string", `["abc`, func(*Document) {}, nil},
		{"torn escape", `"abc\`, func(*Document) {}, nil},
		{"torn array", `[1,`, func(*Document) {}, nil},
		{"torn object", `{"a":{"b":1}`, func(*Document) {}, nil},
		{"no name", `{1:2}`, func(*Document) {}, nil},
		{"no colon", `{"a" 2}`, func(*Document) {}, nil},
		{"no comma", `[1 2]`, func(*Document) {}, nil},
		{"torn word", `tru`, func(*Document) {}, nil},
		{"two values", `1 2`, func(*Document) {}, nil},
		{"a letter", `x`, func(*Document) {}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			const before = `{"kept":[1]}`
			d := NewDocument(new(Pool))
			if err := d.Set([]byte(before)); err != nil {
				t.Fatal(err)
			}
			c.set(d)
			err := d.Set([]byte(c.text))
			if err == nil {
				t.Fatal("no error")
			}
			var got *LimitError
			errors.As(err, &got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if text := string(d.AppendJSON(nil)); text != before {
				t.Errorf("document %s", text)
			}
			checkDocument(t, d)
		})
	}
	if got, want := (&LimitError{"nesting", 2}).Error(), "nesting over the limit of 2"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestDocumentKeepsNothingOfTheText(t *testing.T) {
	text := []byte(`{"name":"a value long enough","n":12345678901}`)
	patch := []byte(`[{"op":"add","path":"/added","value":["another value","x"]}]`)
	d := NewDocument(new(Pool))
	if err := d.Set(text); err != nil {
		t.Fatal(err)
	}
	var p Patch
	if err := p.Parse(patch); err != nil {
		t.Fatal(err)
	}
	clear(patch)
	if err := d.Apply(&p); err != nil {
		t.Fatal(err)
	}
	if err := p.Parse([]byte(`[{"op":"xxx","path":"/yyyyy","value":["zzzzzzzzzzzzz","w"]}]`)); err != nil {
		t.Fatal(err)
	}
	clear(text)
	if got, want := string(d.AppendJSON(nil)), `{"name":"a value long enough","n":12345678901,"added":["another value","x"]}`; got != want {
		t.Errorf("document %s, want %s", got, want)
	}
}

func TestValue(t *testing.T) {
	d := NewDocument(new(Pool))
	if err := d.Set([]byte(`{"s":"x\n","n":1.0,"t":true,"f":false,"z":null,"l":[1,[2]],"o":{"k":"v"}}`)); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, Text, Str, Num string
		Kind                 decode.Kind
		Bool                 bool
		Len                  int
	}
	var got []row
	for name, v := range d.Root().Members() {
		got = append(got, row{name, string(v.AppendJSON(nil)), v.Str(), v.Num(), v.Kind(), v.Bool(), v.Len()})
	}
	want := []row{
		{Name: "s", Text: `"x\n"`, Str: "x\n", Kind: decode.String},
		{Name: "n", Text: "1.0", Num: "1.0", Kind: decode.Number},
		{Name: "t", Text: "true", Kind: decode.True, Bool: true},
		{Name: "f", Text: "false", Kind: decode.False},
		{Name: "z", Text: "null", Kind: decode.Null},
		{Name: "l", Text: "[1,[2]]", Kind: decode.Array, Len: 2},
		{Name: "o", Text: `{"k":"v"}`, Kind: decode.Object, Len: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	list, _ := d.Root().Member("l")
	if got := list.Index(1).Index(0).Num(); got != "2" {
		t.Errorf("l/1/0 is %q", got)
	}
	if list.Index(2).Kind() != decode.Absent || list.Index(-1).Kind() != decode.Absent {
		t.Error("an item that isn't there is no absent value")
	}
	if _, ok := list.Member("x"); ok {
		t.Error("an array has a member")
	}
	if v, ok := d.Root().Member("nope"); ok || v.Kind() != decode.Absent || v.Len() != 0 || v.Str() != "" || len(v.AppendJSON(nil)) != 0 {
		t.Error("a member that isn't there is no absent value")
	}
	for range d.Root().Members() {
		break
	}
}

func TestEqualJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, ` {"b":[true,null],"a":1.0}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`"\u0061"`, `"a"`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`1`, `"1"`, false},
		{`[]`, `{}`, false},
		{`{"é":0}`, `{"\u00e9":-0}`, true},
		{`x`, `1`, false},
		{`1`, `x`, false},
	} {
		if got := EqualJSON([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s == %s: %v", c.a, c.b, got)
		}
		if c.a == "x" || c.b == "x" {
			continue
		}
		if same := string(CanonicalJSON(nil, []byte(c.a))) == string(CanonicalJSON(nil, []byte(c.b))); same != c.want {
			t.Errorf("%s and %s in canonical form: %v", c.a, c.b, same)
		}
	}
	const text, want = `{"b":[1.50,{"z":0,"y":"\u0041"}],"a":-0,"":1e3}`, `{"":1000,"a":0,"b":[1.5,{"y":"A","z":0}]}`
	if got := string(CanonicalJSON(nil, []byte(text))); got != want {
		t.Errorf("CanonicalJSON gives %s, want %s", got, want)
	}
}

// The length table is taken from the encoder byte by byte; whole strings must
// agree too.
func TestDocumentQuotedLen(t *testing.T) {
	for _, text := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é\u2028\u2029\U0001F600\uFFFD", "<>&"} {
		if got, want := docQuotedLen([]byte(text)), len(decode.AppendQuoted(nil, []byte(text))); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
