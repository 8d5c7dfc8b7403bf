//go:build race || aguipoison

package shard_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/aguistream/aguistream/shard"
)

// Bytes kept after Receive returned are spoiled, so that keeping them shows.
func TestLentBytesAreSpoiled(t *testing.T) {
	set := newSet(t, shard.Config{Workers: 1})
	var kept []byte
	box := open(t, set, "a", &funcs{receive: func(p []byte) { kept = p }})
	box.Write([]byte("lent"))
	var got []byte
	if err := box.Do(context.Background(), func() { got = bytes.Clone(kept) }); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, []byte("lent")) {
		t.Error("the bytes are as they were")
	}
}
