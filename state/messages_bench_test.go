package state

import (
	"fmt"
	"testing"
)

func BenchmarkAppendText(b *testing.B) {
	cases := []struct {
		name, delta string
		plain       bool
	}{
		{"plain", "some text ", true},
		{"escaped", `some\ntext`, false},
		{"utf8", "Grüße, Jürgen", false},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			s := NewStore(new(Pool))
			id, delta := []byte("message"), []byte(c.delta)
			mustAdd(b, s, RoleAssistant, "message")
			b.ReportAllocs()
			b.SetBytes(int64(len(delta)))
			for n := 0; b.Loop(); n++ {
				if n%4096 == 0 {
					s.Reset()
					mustAdd(b, s, RoleAssistant, "message")
				}
				if _, err := s.AppendText(s.Find(id), delta, c.plain); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendArgsInterleaved(b *testing.B) {
	for _, calls := range []int{2, 8} {
		b.Run(fmt.Sprint(calls), func(b *testing.B) {
			s := NewStore(new(Pool))
			ids := make([][]byte, calls)
			for i := range ids {
				ids[i] = fmt.Appendf(nil, "call-%d", i)
			}
			delta := []byte(`"key":1,`)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%4096 == 0 {
					s.Reset()
					m := mustAdd(b, s, RoleAssistant, "m")
					for _, id := range ids {
						mustCall(b, s, m, string(id), "f")
					}
				}
				m, c := s.FindCall(ids[n%calls])
				if _, err := s.AppendArgs(m, c, delta, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func snapshotText(n int) []byte {
	raw := []byte{'['}
	for i := range n {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = fmt.Appendf(raw, `{"id":"message-%d","role":"assistant","content":"What the agent said about it, in a sentence or two.","toolCalls":[{"id":"call-%d","type":"function","function":{"name":"search","arguments":"{\"q\":\"weather\"}"}}]}`, i, i)
	}
	return append(raw, ']')
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			raw := snapshotText(n)
			pool := new(Pool)
			s := NewStore(pool)
			e := &Enforcer{Pool: pool}
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				list, err := e.Messages(raw, "/messages")
				if err != nil {
					b.Fatal(err)
				}
				if err := s.ApplySnapshot(list); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodeMessages(b *testing.B) {
	raw := snapshotText(1000)
	list, err := (&Enforcer{}).Messages(raw, "")
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		dst = AppendMessages(dst[:0], list)
	}
}
