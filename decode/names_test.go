package decode

import "testing"

func TestNamesHaveSlotsOfTheirOwn(t *testing.T) {
	for f := range NumFields {
		name := []byte(f.String())
		head, tail := words(name)
		if got := fieldByWords(name, head, tail); got != f {
			t.Errorf("%s is found as %v", name, got)
		}
	}
	for typ := Unknown + 1; typ < NumTypes; typ++ {
		if got := TypeOf([]byte(typ.String())); got != typ {
			t.Errorf("%s is found as %v", typ, got)
		}
	}
}
