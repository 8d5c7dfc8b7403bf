//go:build race || aguipoison

package engine

// poisoned builds check what is lent: a use after its time, or out of its place, panics.
const poisoned = true
