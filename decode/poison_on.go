//go:build race || aguipoison

package decode

// poison overwrites lent memory whose time is over, so that a use after that shows in tests.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xDB
	}
}
