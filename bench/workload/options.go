package workload

import (
	"fmt"
	"slices"
)

// Defaults and bounds of Options.
const (
	DefaultTokens     = 200       // content events of a run
	DefaultStateBytes = 16 << 10  // document of the state workload
	MixedStateBytes   = 1 << 10   // document of the mixed workload
	MinStateBytes     = 1 << 10   // smallest document
	MaxStateBytes     = 4 << 20   // largest: its snapshot still fits a frame of 8 MiB with every escape
	maxTokens         = 100 << 20 // more is a typing error, not a benchmark
)

// Options choose one stream of a workload. The zero value is a usable stream: seed 0, one run of
// DefaultTokens content events.
type Options struct {
	// Seed picks the stream. Equal name, seed and options give equal bytes on every machine.
	Seed uint64
	// Tokens is about how many content events a run has: text, argument and reasoning deltas, state
	// deltas. A call whose arguments have begun is always finished, so a run may have a few more.
	// 0 means DefaultTokens.
	Tokens int
	// Runs is how many runs one Body has, one after another on one thread. 0 means 1. A Generator
	// ignores it.
	Runs int
	// StateBytes is the size of the state document as JSON text, within about a fifth, from
	// MinStateBytes to MaxStateBytes. 0 means MixedStateBytes in mixed and DefaultStateBytes in state;
	// the other workloads keep no state.
	StateBytes int
	// Chunks makes the streamed items take the chunk form (TEXT_MESSAGE_CHUNK and its like) where the
	// workload would use explicit triads. reasoning and subagents hold some of both without it.
	Chunks bool
	// Producer fixes how strings and ids are written; the zero value draws it from the seed.
	Producer Producer
}

// script writes the events between the opening and the end of one run.
type script struct {
	name       string
	body       func(*stream)
	stateBytes int // 0: keeps no document
}

// The table is a function for the sake of initialisation order: the scripts reach it through stream.
func scripts() []script {
	return []script{
		{name: "chat", body: (*stream).chat},
		{name: "tools", body: (*stream).tools},
		{name: "state", body: (*stream).state, stateBytes: DefaultStateBytes},
		{name: "reasoning", body: (*stream).reasoning},
		{name: "subagents", body: (*stream).subagents},
		{name: "mixed", body: (*stream).mixed, stateBytes: MixedStateBytes},
	}
}

// Names lists the workloads: chat, tools, state, reasoning, subagents, mixed.
func Names() []string {
	var names []string
	for _, s := range scripts() {
		names = append(names, s.name)
	}
	return names
}

// Body is one whole stream: o.Runs runs as server-sent events, a `data: {...}` line and a blank line
// each. It fails for an unknown name and for options out of their bounds.
func Body(name string, o Options) ([]byte, error) {
	g, err := New(name, o)
	if err != nil {
		return nil, err
	}
	var body []byte
	for range max(o.Runs, 1) {
		body = g.Next(body)
	}
	return body, nil
}

// resolve checks o and puts the defaults of the workload in.
func resolve(name string, o Options) (script, Options, error) {
	all := scripts()
	i := slices.IndexFunc(all, func(s script) bool { return s.name == name })
	if i < 0 {
		return script{}, o, fmt.Errorf("workload: no workload %q (have %v)", name, Names())
	}
	s := all[i]
	if o.Tokens < 0 || o.Tokens > maxTokens {
		return s, o, fmt.Errorf("workload: %d tokens are out of 0..%d", o.Tokens, maxTokens)
	}
	if o.Runs < 0 {
		return s, o, fmt.Errorf("workload: %d runs", o.Runs)
	}
	if o.Producer >= numProducers {
		return s, o, fmt.Errorf("workload: no producer %d", o.Producer)
	}
	if o.StateBytes != 0 && (o.StateBytes < MinStateBytes || o.StateBytes > MaxStateBytes) {
		return s, o, fmt.Errorf("workload: %d state bytes are out of %d..%d", o.StateBytes, MinStateBytes, MaxStateBytes)
	}
	if o.Tokens == 0 {
		o.Tokens = DefaultTokens
	}
	if o.StateBytes == 0 {
		o.StateBytes = s.stateBytes
	}
	return s, o, nil
}
