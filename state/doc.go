// Package state holds what one AG-UI thread has come to: its messages and reasoning, its state document, its subagents.
// It knows what an event does to them, and how they look on the wire. It knows nothing of event streams, of the order
// that events must come in, or of goroutines: package engine does.
//
// # Terms
//
//   - A [Message] is one message of the thread, of one of seven roles. An assistant message may bear a [ToolCall] or more.
//   - A [Store] is the messages of one thread in order of arrival, in three views: messages, reasoning, and the
//     conversation, which is both.
//   - A [Document] is a JSON value that snapshots replace and patches (RFC 6902) change in place: the thread's state,
//     and the content of each activity message. Small ones are held as text, larger ones as trees.
//   - A delta is a piece of text that is appended, a snapshot replaces. An owner is the subagent that a message belongs
//     to; absent means the main agent.
//   - An [Enforcer] decodes what events carry inside (lists of messages, parts, outcomes, usage, requests), and tells
//     unknown material, which is stripped, from malformed material, which is an error.
//
// # Use
//
//	pool := new(state.Pool)
//	store := state.NewStore(pool)
//	m, err := store.Add(state.RoleAssistant, []byte("m1"))
//	delta, err := store.AppendText(m, []byte(`Hello, \u4e16`), false) // the body of a JSON string
//	list, err := (&state.Enforcer{Pool: pool}).Messages(raw, "/messages")
//	err = store.ApplySnapshot(list)
//	body = state.AppendMessages(body[:0], store.Conversation())
//	store.Reset()
//
// # Whose memory it is
//
// Nothing here keeps what it is given: ids, deltas and JSON text are copied, so the caller's buffers are free as soon as
// a call returns. The one that takes something over says so ([Store.ApplySnapshot]).
//
// What is handed out is lent. A held message's strings (its text above all) are views of its buffers. With a Pool a view
// is right until the message's next change, since a buffer that a text outgrows serves another message; without one it
// stays right, at the length that it had. After Reset the buffers go to the pool, and the next thread writes over them.
// A message is held until [Store.Reset]; one that a snapshot drops stays readable until the next snapshot. Clone makes a
// copy that lives on its own. In builds with race or with the tag aguipoison, memory is overwritten when its lending
// ends, so that a view kept too long shows.
//
// A pool belongs to one worker, and everything made with it too: nothing here may be used by two goroutines at once. A
// nil *Pool is allowed everywhere and means plain allocation.
//
// # Cost
//
// A delta costs what it adds: neither the text so far nor the number of messages counts, and in the steady state nothing
// is allocated. Look-ups by id are constant time, and the last two ids found cost a comparison. A snapshot is linear in
// both lists. An object's members are read in one pass, however many a hostile sender gives it. A patch costs what it
// touches of a tree; of a document that is held as text (2 KiB at the most) it costs the way there and what moves.
//
// # Limits
//
//   - [Store.MaxMessages]: messages of a thread, 100,000 by default.
//   - [Store.MaxMessageBytes]: bytes of one message, 64 MiB by default.
//   - [Document.MaxBytes], [Document.MaxOps], [Document.MaxCopyBytes]: bytes of a document, operations of one patch, and
//     bytes that one patch may add by copying.
//
// Crossing one gives an error that names it and its value ([LimitError], [PatchError]), and changes nothing.
package state
