//go:build race || aguipoison

package state

// Freed texts are overwritten, so that a view kept past its time shows.
const docPoison = true
