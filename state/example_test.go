package state_test

import (
	"fmt"

	"github.com/aguistream/aguistream/state"
)

func ExampleStore() {
	store := state.NewStore(new(state.Pool))
	if err := store.Insert(state.UserMessage("u1", "What is it like outside?")); err != nil {
		fmt.Println(err)
		return
	}
	m, err := store.Add(state.RoleAssistant, []byte("a1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, delta := range []string{`Sunny, `, `21\u00b0.`} {
		added, err := store.AppendText(m, []byte(delta), false)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", added)
	}
	fmt.Println(m.Index(), m.Text())
	fmt.Println(string(state.AppendMessages(nil, store.Messages())))
	// Output:
	// "Sunny, "
	// "21°."
	// 1 Sunny, 21°.
	// [{"id":"u1","role":"user","content":"What is it like outside?"},{"id":"a1","role":"assistant","content":"Sunny, 21°."}]
}

func ExampleStore_ApplySnapshot() {
	pool := new(state.Pool)
	store := state.NewStore(pool)
	for _, m := range []*state.Message{
		state.NewMessage(state.RoleAssistant, "a1", "old"),
		state.NewMessage(state.RoleReasoning, "r1", "hm"),
		state.UserMessage("gone", "?"),
	} {
		if err := store.Insert(m); err != nil {
			fmt.Println(err)
			return
		}
	}
	list, err := (&state.Enforcer{Pool: pool}).Messages([]byte(`[
		{"id":"u1","role":"user","content":"hi"},
		{"id":"a1","role":"assistant","content":"new"}]`), "/messages")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := store.ApplySnapshot(list); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range store.Conversation() {
		fmt.Println(m.ID, m.Text())
	}
	// Output:
	// a1 new
	// r1 hm
	// u1 hi
}

func ExampleEnforcer() {
	e := &state.Enforcer{Warn: func(path, what string) { fmt.Println("warning", path, what) }}
	parts, err := e.Parts([]byte(`[{"type":"text","text":"a","x":1},{"type":"hologram"}]`), "/content")
	fmt.Println(string(state.AppendParts(nil, parts)), err)
	_, err = e.Parts([]byte(`[{"type":"text","text":1}]`), "/content")
	fmt.Println(err)
	// Output:
	// warning /content/0/x unknown property, stripped
	// warning /content/1 unknown content part "hologram", part dropped
	// [{"type":"text","text":"a"}] <nil>
	// /content/0/text: is a number, not a string
}
