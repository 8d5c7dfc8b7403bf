//go:build race || aguipoison

package shard

import "bytes"

var spoilt = bytes.Repeat([]byte{0xDB}, maxBuffer)

// poison spoils bytes whose loan is over, so that a receiver that kept them
// shows in its tests. It copies because a loop would cost the race detector a
// look per byte.
func poison(p []byte) { copy(p, spoilt) }
