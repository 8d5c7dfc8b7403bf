//go:build !race && !aguipoison

package decode

func poison([]byte) {}
