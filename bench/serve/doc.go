// Package serve is an AG-UI agent over HTTP that answers from bodies it has: recorded runs, or generated ones. It is
// what `aguibench serve` runs, and what tests of transports and clients stand against.
//
//   - [Agent] is the http.Handler: one run a POST, at a pace, with the request's ids, and with failures on demand.
//   - [Server] listens, and closes in order: it waits for runs, then ends those that are left by a word of its own.
//
// A body is rendered once, when the agent is made; all runs of it write the same bytes. A run holds one goroutine, one
// timer and its place in the body.
package serve
