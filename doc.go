// Package aguistream is the root of a module that takes AG-UI event streams
// apart: bytes go in, in whatever pieces a transport delivers them, and
// updates come out, one for each change that a user interface would draw.
// Messages, tool calls, reasoning, shared state and subagents are held and
// kept right underneath, for one conversation or for thousands of runs at once.
//
// The root package holds no code. Start with
// [github.com/aguistream/aguistream/engine], the public face: a Session holds
// one conversation on the caller's goroutine, an Engine runs many, sharded.
//
// Below it lie
//
//   - [github.com/aguistream/aguistream/decode]: the event-stream framer and
//     the lazy event decoder;
//   - [github.com/aguistream/aguistream/state]: what a thread holds, and the
//     JSON document that patches change in place;
//   - [github.com/aguistream/aguistream/shard]: workers, mailboxes and
//     back-pressure, with no word of AG-UI in them.
//
// Imports go one way: engine to state to decode, and engine to shard. The
// command in cmd/aguibench loads and measures all of it.
package aguistream
