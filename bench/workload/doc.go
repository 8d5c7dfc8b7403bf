// Package workload writes AG-UI event streams from a seed, and breaks them in named ways. Tests,
// fuzzers, benchmarks and the command share it, so that a fault or a figure of one can be had again in
// another by its name, seed and options.
//
// # Streams
//
// A stream is one thread's body of server-sent events, with one run or several after one another:
//
//	body, err := workload.Body("mixed", workload.Options{Seed: 1, Runs: 3})
//	for _, ev := range workload.Events(body) {
//		// {"type":"TEXT_MESSAGE_CONTENT","messageId":"…","delta":" token"}
//	}
//
// For loads without an end, a Generator writes run after run into a buffer that is used again:
//
//	g, err := workload.New("chat", workload.Options{Seed: 1, Tokens: 500})
//	for {
//		buf = g.Next(buf[:0]) // the next run of the same thread
//	}
//
// The runs of one generator are one stream: message ids never come twice and the state goes on. A new
// thread is New or Reset with another seed.
//
// # Workloads
//
//   - chat: the answer in text, now and then in two or three messages.
//   - tools: rounds of parallel calls whose arguments interleave, with results as text or as parts in
//     any order; some runs leave calls for the frontend, some streams open with a MESSAGES_SNAPSHOT.
//   - state: a snapshot, then deltas with all six operations, on a document with a wide array, a wide
//     object and deep chains, from 1 KiB to 4 MiB (Options.StateBytes, 16 KiB by default).
//   - reasoning: spans with one or two thoughts, chunked thoughts, encrypted values on messages and calls.
//   - subagents: several at once and nested, each in its own lane, as triads or chunks; finished,
//     failed, or suspended by an interrupt and resumed in the next run; steps, activities, CUSTOM, RAW.
//   - mixed: 85 % text, 5 % state on 1 KiB, the rest tools, reasoning and subagents; about 100 bytes an
//     event (97 to 104, by producer; some 88 with Options.Chunks), at most 3 % of events over 200.
//
// One seed is one stream by one producer: how its strings are escaped, what its ids look like, and
// whether it sends timestamps is the same throughout (see Producer). A benchmark that is to say
// something about all of them takes a dozen seeds.
//
// Every stream is valid under the Spec rule set: reading it gives no error and no warning. So no run
// ends with RUN_ERROR; late-run-error and its like are mutations.
//
// # Equal bytes
//
// Name, seed and options fix every byte, on every machine and with every Go release: all chance comes
// from PCG, whose algorithm is fixed, and no float takes part. A test pins hashes of bodies. Changing
// what a workload writes changes what past figures were measured on: say so where figures are kept.
//
// # Mutations
//
// Mutate breaks one thing in a valid stream, by name and seed; Mutations lists the names and Describe
// says what each does. They are of these kinds:
//
//   - order: drop-event, duplicate-event, swap-events, drop-start, drop-end, drop-terminal, truncate,
//     wrong-owner, chunk-without-id
//   - fields: unknown-type, unknown-property, wrong-type-field, missing-field, null-required,
//     null-optional, duplicate-member, case-wrong-member, escaped-member-name
//   - JSON and bytes: bad-json, empty-data, not-object, spaced-json, deep-nesting, byte-flips
//   - text: invalid-utf8, lone-surrogate, split-surrogate
//   - patches: patch-missing-path, patch-malformed, patch-unknown-op, patch-test-fails
//   - runs: late-run-error, event-after-finish, second-run-started, unknown-outcome,
//     foreign-terminal-ids, retired-thinking
//   - framing, which changes no meaning: crlf, cr, no-space, bom, comments, multi-line-data
//   - messages: snapshot-in-the-middle
//
// Mutations stack: what one returned may go into the next. Recorded bodies will do as well as
// generated ones.
//
//	broken := workload.Mutate("split-surrogate", body, 7)
package workload
