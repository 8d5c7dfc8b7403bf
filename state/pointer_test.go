package state

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pointers of RFC 6901 section 5, over a document of our own that has the
// same awkward names.
func TestPointerRFC6901(t *testing.T) {
	const text = `{"list":["first","second"],"":"empty","a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`
	d := NewDocument(nil)
	if err := d.Set([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, pointer, want string }{
		{"the whole document", "", text},
		{"a member", "/list", `["first","second"]`},
		{"an item", "/list/0", `"first"`},
		{"the empty name", "/", `"empty"`},
		{"a slash in a name", "/a~1b", "1"},
		{"a percent sign", "/c%d", "2"},
		{"a caret", "/e^f", "3"},
		{"a bar", "/g|h", "4"},
		{"a backslash", `/i\j`, "5"},
		{"a quote", `/k"l`, "6"},
		{"a blank", "/ ", "7"},
		{"a tilde in a name", "/m~0n", "8"},

		{"no such member", "/x", ""},
		{"below a scalar", "/list/0/0", ""},
		{"past the end", "/list/2", ""},
		{"the place after the end", "/list/-", ""},
		{"a leading zero", "/list/00", ""},
		{"no slash", "list", ""},
		{"a bare tilde", "/m~n", ""},
		{"a tilde at the end", "/m~", ""},
		{"a slash too many", "/list/", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := d.Lookup(c.pointer)
			if diff := cmp.Diff(c.want, string(v.AppendJSON(nil))); diff != "" {
				t.Errorf("Lookup(%q) (-want +got):\n%s", c.pointer, diff)
			}
			if ok != (c.want != "") {
				t.Errorf("Lookup(%q) says %v", c.pointer, ok)
			}
		})
	}
}

func TestPointerInside(t *testing.T) {
	for _, c := range []struct {
		inner, outer string
		want         bool
	}{
		{"/a/b", "/a", true},
		{"/a/", "/a", true},
		{"/a", "", true},
		{"/a", "/a", false},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"/a~1b", "/a", false},
		{"", "", false},
	} {
		if got := pointerInside([]byte(c.inner), []byte(c.outer)); got != c.want {
			t.Errorf("pointerInside(%q, %q) = %v", c.inner, c.outer, got)
		}
	}
}

func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/a~1b/~0", "/m~2", "a", "/x//", "/0/01/-", "/~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pointer string) {
		bare := strings.NewReplacer("~0", "", "~1", "").Replace(pointer)
		want := (pointer == "" || pointer[0] == '/') && !strings.Contains(bare, "~")
		if got := validPointer(pointer); got != want {
			t.Fatalf("validPointer(%q) = %v", pointer, got)
		}
		if !want {
			return
		}
		var got []string
		var scratch []byte
		for rest := []byte(pointer); len(rest) > 0; {
			var token []byte
			token, rest = pointerToken(rest, &scratch)
			got = append(got, string(token))
		}
		if diff := cmp.Diff(refTokens(pointer), got); diff != "" {
			t.Fatalf("tokens of %q (-want +got):\n%s", pointer, diff)
		}
		if pointer == "" {
			return
		}
		parent, last := pointerParent([]byte(pointer))
		if string(parent)+string(last) != pointer || strings.Count(string(last), "/") != 1 || !pointerInside([]byte(pointer), parent) {
			t.Fatalf("pointerParent(%q) = %q, %q", pointer, parent, last)
		}
	})
}
