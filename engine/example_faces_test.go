package engine_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/aguistream/aguistream/engine"
)

// A session's state comes in the caller's own type.
func ExampleSession() {
	type Board struct {
		Title string   `json:"title"`
		Cards []string `json:"cards"`
	}
	transport := engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"title":"Trip","cards":[]}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/cards/-","value":"pack"}]}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/title","value":7}]}`,
		`{"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1"}`,
	)
	session := engine.NewSession[Board](transport, "thread-1")
	for u := range session.Send(context.Background(), "plan my trip") {
		switch u := u.(type) {
		case *engine.StateUpdate[Board]:
			fmt.Printf("%s: %v\n", u.State.Title, u.State.Cards)
		case *engine.ErrorUpdate:
			fmt.Println(u.Err.Kind, "error")
		case *engine.Done:
			fmt.Println(u.End.Kind)
		}
	}
	// A state that doesn't decode is an error of its own: the raw state is right, the typed one keeps its last good value.
	fmt.Println(session.State().Title)
	fmt.Printf("%s\n", session.RawState().AppendJSON(nil))
	// Output:
	// Trip: []
	// Trip: [pack]
	// state error
	// success
	// Trip
	// {"title":7,"cards":["pack"]}
}

// A stream takes bytes from wherever they come, cut anywhere.
func ExampleStream() {
	stream, err := engine.NewStream(engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		switch u := u.(type) {
		case *engine.MessageUpdate:
			fmt.Printf("%s %s %q\n", u.ID, u.Change, u.Delta)
		case *engine.Done:
			fmt.Println("done:", u.End.Kind)
		}
	}), engine.StreamOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, chunk := range []string{
		"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\nda",
		"ta: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"Hel",
		"lo\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
	} {
		if _, err := stream.Write([]byte(chunk)); err != nil {
			log.Fatal(err)
		}
	}
	if err := stream.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// m started ""
	// m content "Hello"
	// m ended ""
	// done: success
}

// An engine runs very many streams on a few shards. A stream's updates come on its shard, one after another; those of
// different streams come at the same time.
func ExampleEngine() {
	var mu sync.Mutex
	ends := map[engine.EndKind]int{}
	eng, err := engine.New(engine.Config{Handler: engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		if done, ok := u.(*engine.Done); ok {
			mu.Lock()
			ends[done.End.Kind]++
			mu.Unlock()
		}
	})})
	if err != nil {
		log.Fatal(err)
	}

	body := engine.Frames(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hello"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	)
	for i := range 100 {
		stream, err := eng.Open(fmt.Sprintf("thread-%d", i), engine.StreamOptions{})
		if err != nil {
			log.Fatal(err)
		}
		if i%10 == 0 {
			_, _ = stream.Write(body[:len(body)/2]) // its connection breaks
			_ = stream.Close()
			continue
		}
		if _, err := stream.Write(body); err != nil {
			log.Fatal(err)
		}
		if i == 1 { // a consistent read, after all that was written before
			_ = stream.View(context.Background(), func(v engine.View) {
				fmt.Println(v.Message("m").Text())
			})
		}
		_ = stream.Close()
	}
	// Shutdown lets the queued work be done; nothing of the engine lives on.
	if err := eng.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(ends[engine.Success], "succeeded,", ends[engine.Failed], "failed")
	// Output:
	// Hello
	// 90 succeeded, 10 failed
}
