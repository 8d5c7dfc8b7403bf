package decode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	for _, tc := range []struct {
		name, raw string
		want      []string
	}{
		{"empty", `{ }`, nil},
		{"one", `{"a":1}`, []string{"a=1"}},
		{"spaced", " { \"a\" : 1 ,\n\"b\" : \"x\" , \"c\":[ 1 , {} ] } ", []string{"a=1", `b="x"`, "c=[ 1 , {} ]"}},
		{"kinds", `{"s":"a,}","n":-1.5e3,"o":{"x":{"y":"}"}},"a":[[],[1,"]"]],"t":true,"f":false,"z":null}`,
			[]string{`s="a,}"`, "n=-1.5e3", `o={"x":{"y":"}"}}`, `a=[[],[1,"]"]]`, "t=true", "f=false", "z=null"}},
		{"duplicates", `{"a":1,"a":2}`, []string{"a=1", "a=2"}},
		{"escaped keys", `{"\u0061\n":1,"é":2,"":3}`, []string{"a\n=1", "é=2", "=3"}},
		{"bad keys", "{\"\\ud83d\":1,\"\xff\":2}", []string{"\uFFFD=1", "\uFFFD=2"}},
		{"an array", `[1]`, nil},
		{"a string", `"{}"`, nil},
		{"nothing", ``, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			Members([]byte(tc.raw), func(key, value []byte) bool {
				got = append(got, fmt.Sprintf("%s=%s", key, value))
				return true
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestElements(t *testing.T) {
	for _, tc := range []struct {
		name, raw string
		want      []string
	}{
		{"empty", `[ ]`, nil},
		{"one", `[1]`, []string{"0=1"}},
		{"spaced", " [ 1 ,\n\"x\" , [ 2 ] , { \"a\" : [ ] } ] ", []string{"0=1", `1="x"`, "2=[ 2 ]", `3={ "a" : [ ] }`}},
		{"kinds", `["a,]\"",-1.5e3,{"x":["]"]},[[],1],true,false,null]`, []string{`0="a,]\""`, "1=-1.5e3", `2={"x":["]"]}`, "3=[[],1]", "4=true", "5=false", "6=null"}},
		{"an object", `{"a":1}`, nil},
		{"nothing", ``, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			Elements([]byte(tc.raw), func(i int, value []byte) bool {
				got = append(got, fmt.Sprintf("%d=%s", i, value))
				return true
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWalksStopWhenTold(t *testing.T) {
	n := 0
	Members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) bool { n++; return false })
	Elements([]byte(`[1,2]`), func(int, []byte) bool { n++; return false })
	if n != 2 {
		t.Errorf("%d calls", n)
	}
}

// Text that isn't JSON is nobody's case, but must not hang or go out of bounds.
func TestWalksOfUncheckedText(t *testing.T) {
	for _, list := range [][]string{validTexts, invalidTexts} {
		for _, text := range list {
			for _, raw := range []string{text, `{"a":` + text, `[` + text, strings.Repeat("[", 5) + text, `{` + text} {
				n := 0
				Members([]byte(raw), func(_, _ []byte) bool { n++; return n < 1000 })
				Elements([]byte(raw), func(int, []byte) bool { n++; return n < 1000 })
				if n >= 1000 {
					t.Errorf("%q doesn't end", raw)
				}
			}
		}
	}
}
