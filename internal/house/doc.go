// Package house holds the tests that keep this module's own rules: which
// room may import what, what an exported name owes its reader, how long a file
// may grow, what no file may mention, and that the recorded bodies are whole.
// It has no code to import.
//
// Each rule is a function over a file tree that returns what breaks it, so
// that it is tried on small made-up trees as well as on the module.
package house
