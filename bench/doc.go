// Package bench runs recorded and generated AG-UI streams through the engine, and measures and prints what comes of
// it: the work behind the aguibench command, shared with tests.
//
//   - [Updates] takes one body and writes what it does, a JSON object a line.
//   - [Run] keeps thousands of streams in flight through the sharded engine and gives a [Result].
//   - [Compare] times the engine against simpler pipelines on the same bytes, by short turns, and gives a [Comparison];
//     [Alternate] is the timing alone.
//
// Bodies come from an [Input]: an event stream, events as JSON, or a conformance fixture. The generator of bodies is
// in the folder workload, the plain pipeline that stores are checked against in the folder plain, and what draws results
// in the folder report. README.md says how to measure.
package bench
