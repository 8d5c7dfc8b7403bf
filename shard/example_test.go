package shard_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/aguistream/aguistream/shard"
)

// lines prints the lines of one stream. It keeps a torn one, by copy, until
// the rest of it comes.
type lines struct {
	name string
	torn []byte
}

func (l *lines) Receive(p []byte) {
	for {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		l.torn = append(l.torn, line...)
		if !found {
			return
		}
		fmt.Printf("%s: %s\n", l.name, l.torn)
		l.torn = l.torn[:0]
		p = rest
	}
}

func (l *lines) End(err error) {
	fmt.Printf("%s: ends with %v, %d bytes torn\n", l.name, err, len(l.torn))
}

// Bytes in, in any chunking; lines out, in order, on the stream's worker.
func Example() {
	set := shard.New(shard.Config{Workers: 2})

	box, err := set.Open("thread-1", func(int) shard.Receiver {
		return &lines{name: "thread-1"}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, chunk := range []string{"the first li", "ne\nthe second line\nthe ", "third\nand"} {
		if _, err := box.Write([]byte(chunk)); err != nil {
			fmt.Println(err)
			return
		}
	}
	box.Close()
	<-box.Done()

	if err := set.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	_, err = box.Write([]byte("more"))
	fmt.Println(err)
	// Output:
	// thread-1: the first line
	// thread-1: the second line
	// thread-1: the third
	// thread-1: ends with <nil>, 3 bytes torn
	// shard: mailbox closed
}

// Do looks at what a receiver holds, between two of its calls.
func ExampleMailbox_Do() {
	set := shard.New(shard.Config{})
	l := &lines{name: "thread-1"}
	box, err := set.Open("thread-1", func(int) shard.Receiver { return l })
	if err != nil {
		fmt.Println(err)
		return
	}
	box.Write([]byte("half a li"))
	err = box.Do(context.Background(), func() { fmt.Printf("torn: %q\n", l.torn) })
	if err != nil {
		fmt.Println(err)
	}
	box.Close()
	if err := set.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// torn: "half a li"
	// thread-1: ends with <nil>, 9 bytes torn
}
