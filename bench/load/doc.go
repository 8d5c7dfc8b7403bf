// Package load asks an AG-UI agent for very many runs at once, reads every answer through the engine, and measures: it is
// what `aguibench load` runs.
//
// Runs arrive by a schedule that doesn't wait for the server (Options.Rate), or a fixed number is kept in flight
// (Options.Runs). Latency is counted from the time a run was meant to start, not from when it could: a server that
// freezes is charged for all runs that were due meanwhile. What the sending side itself couldn't do is kept apart from
// the server's failures, and marks the result.
package load
