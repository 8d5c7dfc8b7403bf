package workload_test

import (
	"bytes"
	"fmt"

	"github.com/aguistream/aguistream/bench/workload"
)

func ExampleBody() {
	body, err := workload.Body("chat", workload.Options{Seed: 1, Tokens: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	events := workload.Events(body)
	fmt.Println(len(events), "events")
	fmt.Println(bytes.HasPrefix(events[0], []byte(`{"type":"RUN_STARTED",`)))
	// Output:
	// 7 events
	// true
}

func ExampleMutate() {
	body, err := workload.Body("tools", workload.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	broken := workload.Mutate("drop-terminal", body, 1)
	fmt.Println(workload.Describe("drop-terminal"))
	fmt.Println(len(workload.Events(body)) - len(workload.Events(broken)))
	// Output:
	// cuts out the event that ends a run
	// 1
}

func ExampleGenerator() {
	g, err := workload.New("mixed", workload.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var buf []byte
	events := 0
	for range 3 {
		buf = g.Next(buf[:0])
		events += len(workload.Events(buf))
	}
	fmt.Println(events > 3*workload.DefaultTokens)
	// Output: true
}
