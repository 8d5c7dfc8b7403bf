package decode_test

import (
	"fmt"
	"strings"

	"github.com/aguistream/aguistream/decode"
)

// A stream is read in chunks of any size; here the text of its one message is put together.
func Example() {
	stream := strings.NewReader(`data: {"type":"TEXT_MESSAGE_START","messageId":"m-1","role":"assistant"}

: keep-alive

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"Hello \ud83d"}

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"\udc4b world"}

data: {"type":"TEXT_MESSAGE_END","messageId":"m-1"}
`)
	var (
		framer decode.Framer
		event  decode.Event
		text   []byte
		carry  uint16
	)
	handle := func(frame decode.Frame) error {
		if err := event.Decode(frame.Data, 0); err != nil {
			return err
		}
		if err := event.Check(); err != nil {
			return err
		}
		fmt.Println(frame.Offset, event.Type)
		if event.Type == decode.TextMessageContent {
			delta := event.Raw(decode.FieldDelta)
			text = decode.AppendDelta(text, delta[1:len(delta)-1], &carry)
		}
		return nil
	}
	chunk := make([]byte, 50)
	for {
		n, err := stream.Read(chunk)
		framer.Feed(chunk[:n])
		for frame, ok := framer.Next(); ok; frame, ok = framer.Next() {
			if err := handle(frame); err != nil {
				fmt.Println(err)
				return
			}
		}
		if err != nil || framer.Err() != nil {
			break
		}
	}
	if frame, ok := framer.Finish(); ok {
		if err := handle(frame); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%s\n", text)
	// Output:
	// 0 TEXT_MESSAGE_START
	// 88 TEXT_MESSAGE_CONTENT
	// 168 TEXT_MESSAGE_CONTENT
	// 248 TEXT_MESSAGE_END
	// Hello 👋 world
}

// A member that the type's description refuses is named, with its place in the frame.
func ExampleEvent_Check() {
	var event decode.Event
	frame := []byte(`{"type":"TEXT_MESSAGE_START","messageId":12345}`)
	if err := event.Decode(frame, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(event.Check())
	// Output:
	// TEXT_MESSAGE_START.messageId: want a string, have a number at byte 41
}

// The members of a payload are walked without a tree.
func ExampleMembers() {
	decode.Members([]byte(`{"role":"user","content":[1, 2]}`), func(key, value []byte) bool {
		fmt.Printf("%s: %s\n", key, value)
		return true
	})
	// Output:
	// role: "user"
	// content: [1, 2]
}
