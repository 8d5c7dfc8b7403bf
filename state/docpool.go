package state

type docPool struct{}
