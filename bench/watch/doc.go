// Package watch shows runs to a person in a terminal: text as it streams, tool calls, state changes, subagents,
// reasoning, errors, and how each run ended.
//
// # Two ways to read
//
// Grouped, the default, makes one block of each message, tool call, thought, activity and subagent, however their events
// interleave. A block that is done is printed for good, in the order in which blocks end, and scrolls off like any
// output; those that are open are drawn again below, in at most the screen's height. A message that outgrows it lets its
// beginning scroll off too, and the others wait until it is done, so that a block stays one. Where the output is no
// terminal nothing is drawn again: what is printed is what a terminal's scrollback would hold, unwrapped.
//
// In order, each event's effect is printed when it comes and nothing is taken back; a headline tells whose text follows
// whenever that changes.
//
// # Hostile text
//
// All that an agent sends is made harmless before it is measured and drawn: controls, direction overrides and invisible
// characters are shown in place, tabs are four blanks, and piles of combining marks are cut. The only escape sequences
// that reach the terminal are this package's own, and after each write it is in the state it was found in.
//
// # Widths
//
// Text is measured in grapheme clusters. The last column of the screen stays empty, and rows that are drawn again are
// written with wrapping off, so that a terminal which takes a character for wider than it is counted here does no harm.
// When a window becomes narrower, the rows on it are taken to have been wrapped anew, as nearly all terminals do.
package watch
