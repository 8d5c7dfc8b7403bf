package state

import (
	"encoding/json"
	"testing"

	"github.com/aguistream/aguistream/decode"
)

// FuzzMessages decodes any JSON as each payload: nothing panics, what is accepted is written as JSON, and reading that
// again gives the same without a word. A store takes and gives back what the list was.
func FuzzMessages(f *testing.F) {
	for _, list := range roundTrips {
		for _, raw := range list {
			f.Add([]byte(raw))
		}
	}
	for _, raw := range []string{
		`[{"id":"a","role":"user","content":[{"type":"binary","mimeType":"image/png","url":"u","filename":"f"}]}]`,
		`[{"id":"a","role":"critic"},{"id":"a","role":"user","content":"1"},{"id":"a","role":"reasoning","content":"\ud83d"}]`,
		`[{"id":"a","role":"assistant","content":null,"x":{"y":[[[]]]},"metadata":{"\u0061":1,"a":2}}]`,
		`{"type":"paused"}`, `[{"inputTokens":1e-1}]`, `null`, `"x"`, `[null]`,
	} {
		f.Add([]byte(raw))
	}
	pool := new(Pool)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !decode.Valid(raw, 0) {
			return
		}
		for what, dec := range decoders {
			for _, loud := range []bool{false, true} {
				text, ok, err := dec(&Enforcer{Loud: loud, Pool: pool}, raw)
				if err != nil || !ok {
					continue
				}
				if !json.Valid([]byte(text)) {
					t.Fatalf("%s is written as %q", what, text)
				}
				again := judge(t, what, &Enforcer{Loud: true}, text)
				if again.JSON != text || again.Err != "" || again.Warnings != nil {
					t.Fatalf("%s is read again as %+v, was %s", what, again, text)
				}
			}
		}
		list, err := (&Enforcer{Pool: pool}).Messages(raw, "")
		if err != nil {
			return
		}
		want := wireOf(naiveSnapshot(nil, list))
		s := NewStore(pool)
		for range 2 {
			again, err := (&Enforcer{Pool: pool}).Messages(raw, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ApplySnapshot(again); err != nil {
				t.Fatal(err)
			}
			got := wireOf(s.Conversation())
			if len(got) != len(want) {
				t.Fatalf("%d messages are held, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("message %d is %s, want %s", i, got[i], want[i])
				}
			}
			checkStore(t, s)
		}
		s.Reset()
	})
}
