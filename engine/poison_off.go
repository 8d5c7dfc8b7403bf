//go:build !race && !aguipoison

package engine

const poisoned = false
