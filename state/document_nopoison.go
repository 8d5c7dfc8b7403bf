//go:build !race && !aguipoison

package state

const docPoison = false
