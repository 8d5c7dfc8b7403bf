package shard_test

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"testing"

	"github.com/aguistream/aguistream/shard"
)

type discard struct{}

func (discard) Receive([]byte) {}
func (discard) End(error)      {}

func newDiscard(int) shard.Receiver { return discard{} }

// BenchmarkWrite is one writer going round its mailboxes, and the workers that
// take from them; the time is per write and includes the drain.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{100, 4 << 10} {
		for _, boxes := range []int{1, 2000, 10000} {
			b.Run(fmt.Sprintf("bytes=%d/mailboxes=%d", size, boxes), func(b *testing.B) {
				set := shard.New(shard.Config{})
				all := make([]*shard.Mailbox, boxes)
				for i := range all {
					all[i], _ = set.Open(strconv.Itoa(i), newDiscard)
				}
				p := make([]byte, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if _, err := all[i].Write(p); err != nil {
						b.Fatal(err)
					}
					if i++; i == boxes {
						i = 0
					}
				}
				if err := set.Shutdown(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkWriteParallel is a writer a CPU, each with mailboxes of its own.
func BenchmarkWriteParallel(b *testing.B) {
	const boxes = 1000
	set := shard.New(shard.Config{})
	p := make([]byte, 100)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		all := make([]*shard.Mailbox, boxes)
		for i := range all {
			all[i], _ = set.Open(strconv.Itoa(i), newDiscard)
		}
		for i := 0; pb.Next(); i++ {
			if _, err := all[i%boxes].Write(p); err != nil {
				b.Error(err)
				return
			}
		}
	})
	if err := set.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDo is a call on an idle worker and back.
func BenchmarkDo(b *testing.B) {
	set := shard.New(shard.Config{})
	box, _ := set.Open("a", newDiscard)
	b.ReportAllocs()
	for b.Loop() {
		if err := box.Do(context.Background(), func() {}); err != nil {
			b.Fatal(err)
		}
	}
	if err := set.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpenClose is a mailbox's life with one write in it.
func BenchmarkOpenClose(b *testing.B) {
	set := shard.New(shard.Config{})
	p := make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		box, err := set.Open("a", newDiscard)
		if err != nil {
			b.Fatal(err)
		}
		box.Write(p)
		box.Close()
	}
	if err := set.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// Each benchmark once, so that none rots.
func TestBenchmarks(t *testing.T) {
	benchtime := flag.Lookup("test.benchtime").Value
	was := benchtime.String()
	benchtime.Set("1x")
	defer benchtime.Set(was)
	for name, f := range map[string]func(*testing.B){
		"Write": BenchmarkWrite, "WriteParallel": BenchmarkWriteParallel,
		"Do": BenchmarkDo, "OpenClose": BenchmarkOpenClose,
	} {
		if r := testing.Benchmark(f); r.N == 0 {
			t.Errorf("%s failed", name)
		}
	}
}
