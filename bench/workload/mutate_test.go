package workload

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEveryMutationIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Mutations() {
		if seen[kind] {
			t.Errorf("%s comes twice", kind)
		}
		seen[kind] = true
		if Describe(kind) == "" {
			t.Errorf("%s has no description", kind)
		}
	}
	if got := Describe("no-such-kind"); got != "" {
		t.Errorf("an unknown kind is described: %q", got)
	}
}

func TestEveryMutationChangesEveryBody(t *testing.T) {
	for _, kind := range Mutations() {
		t.Run(kind, func(t *testing.T) {
			for _, name := range Names() {
				for _, chunks := range []bool{false, true} {
					body := mustBody(t, name, Options{Seed: 5, Tokens: 40, Runs: 2, Chunks: chunks})
					before := bytes.Clone(body)
					for seed := range uint64(3) {
						got := Mutate(kind, body, seed)
						if bytes.Equal(got, body) {
							t.Errorf("%s chunks=%v seed %d: nothing changed", name, chunks, seed)
						}
						if !bytes.Equal(got, Mutate(kind, body, seed)) {
							t.Errorf("%s chunks=%v seed %d: not the same twice", name, chunks, seed)
						}
						if !bytes.Equal(body, before) {
							t.Fatalf("%s chunks=%v seed %d: the body given was written to", name, chunks, seed)
						}
					}
				}
			}
		})
	}
}

func TestMutationsTakeAnything(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"nothing", ""},
		{"no frames", ": ping\n\n"},
		{"one byte", "d"},
		{"no JSON", "data: [DONE]\n\n"},
		{"no type", "data: {}\n\n"},
		{"empty frame", "data:\n\n"},
		{"nulls", `data: {"type":null,"delta":null}` + "\n\n"},
		{"only a start", `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n"},
		{"no blank line", `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}`},
		{"odd members", `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":7,"delta":[],"":1}` + "\n\n"},
		{"odd patch", `data: {"type":"STATE_DELTA","delta":{}}` + "\n\n"},
		{"crlf", "data: {\"type\":\"RUN_STARTED\"}\r\n\r\ndata: {\"type\":\"RUN_FINISHED\"}\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, kind := range Mutations() {
				for seed := range uint64(20) {
					Mutate(kind, []byte(tt.body), seed)
				}
			}
		})
	}
}

func TestMutationsStack(t *testing.T) {
	kinds := Mutations()
	r := newSource("stack", 1)
	for seed := range uint64(200) {
		body := mustBody(t, pick(&r, Names()), Options{Seed: seed, Tokens: 20})
		for range 6 {
			body = Mutate(pick(&r, kinds), body, seed)
		}
		Events(body)
	}
}

func TestUnknownMutationLeavesTheBody(t *testing.T) {
	body := mustBody(t, "chat", Options{})
	got := Mutate("no-such-kind", body, 1)
	if !bytes.Equal(got, body) {
		t.Error("the body changed")
	}
	got[0] = 'x'
	if body[0] == 'x' {
		t.Error("the body given was handed out")
	}
}

// change is what a mutation did to the events of a stream.
type change struct {
	before, after []event
	raw           []byte // the mutated body
	texts         [][]byte
}

func (c change) count(of []event, fits func(event) bool) int {
	n := 0
	for _, ev := range of {
		if fits(ev) {
			n++
		}
	}
	return n
}

// more is how many more events fit than did before.
func (c change) more(fits func(event) bool) int {
	return c.count(c.after, fits) - c.count(c.before, fits)
}

func is(types ...string) func(event) bool {
	return func(ev event) bool { return slices.Contains(types, ev.typ) }
}

func anyEvent(event) bool { return true }

// differing counts the places where two equally long lists differ; -1 for other lengths.
func (c change) differing() int {
	if len(c.before) != len(c.after) {
		return -1
	}
	n := 0
	for i := range c.before {
		if !bytes.Equal(c.before[i].json(), c.after[i].json()) {
			n++
		}
	}
	return n
}

// same: the events are those they were, bytes aside.
func (c change) same() bool { return c.differing() == 0 }

// changed is the first event that differs, as it is now.
func (c change) changed() event {
	for i := range c.after {
		if i >= len(c.before) || !bytes.Equal(c.before[i].json(), c.after[i].json()) {
			return c.after[i]
		}
	}
	return event{}
}

func (c change) unparsed() int {
	return c.count(c.after, func(ev event) bool { return len(ev.members) == 0 })
}

func (c change) lacksRequired() bool {
	ev := c.changed()
	for _, name := range typed(described[ev.typ].required, true) {
		if ev.get(name) == nil {
			return true
		}
	}
	return false
}

func (c change) hasNull(list func(string) []string) bool {
	ev := c.changed()
	for _, name := range list(ev.typ) {
		if string(ev.get(name)) == "null" {
			return true
		}
	}
	return false
}

func required(typ string) []string  { return typed(described[typ].required, false) }
func optionals(typ string) []string { return described[typ].optionals() }

// inserted: one event more, and it is fits.
func (c change) inserted(fits func(event) bool) bool {
	return len(c.after) == len(c.before)+1 && c.more(fits) == 1
}

func (c change) deltaHolds(text string) bool {
	return c.count(c.after, func(ev event) bool { return bytes.Contains(ev.get("delta"), []byte(text)) }) >
		c.count(c.before, func(ev event) bool { return bytes.Contains(ev.get("delta"), []byte(text)) })
}

// follows: behind some RUN_FINISHED there is an event of another kind than RUN_STARTED that fits.
func (c change) follows(fits func(event) bool) bool {
	for i, ev := range c.after[:len(c.after)-1] {
		if ev.typ == "RUN_FINISHED" && fits(c.after[i+1]) {
			return true
		}
	}
	return false
}

var mutationChecks = map[string]func(change) bool{
	"drop-event":      func(c change) bool { return c.more(anyEvent) == -1 },
	"duplicate-event": func(c change) bool { return c.more(anyEvent) == 1 },
	"swap-events":     func(c change) bool { return c.differing() == 2 },
	"drop-start":      func(c change) bool { return c.more(event.opens) == -1 && len(c.after) == len(c.before)-1 },
	"drop-end":        func(c change) bool { return c.more(event.closes) == -1 && len(c.after) == len(c.before)-1 },
	"drop-terminal":   func(c change) bool { return c.more(is("RUN_FINISHED")) == -1 && len(c.after) == len(c.before)-1 },
	"truncate":        func(c change) bool { return len(c.after) <= len(c.before) },
	"wrong-owner": func(c change) bool {
		return c.differing() == 1 && strings.HasPrefix(c.changed().str("subagentRunId"), "sub-stranger-")
	},
	"chunk-without-id": func(c change) bool {
		ev := c.changed()
		return strings.HasSuffix(ev.typ, "_CHUNK") && ev.get("messageId") == nil && ev.get("toolCallId") == nil
	},
	"unknown-type": func(c change) bool {
		return len(c.after) == len(c.before)+1 && described[c.changed().typ] == fields{}
	},
	"unknown-property": func(c change) bool {
		ev := c.changed()
		f := described[ev.typ]
		names := append(append(typed(f.required, true), f.optionals()...), "type")
		return c.differing() == 1 && slices.ContainsFunc(ev.members, func(m member) bool { return !slices.Contains(names, m.name) })
	},
	"wrong-type-field": func(c change) bool { return c.differing() == 1 && !c.lacksRequired() },
	"missing-field":    func(c change) bool { return c.differing() == 1 && c.lacksRequired() },
	"null-required":    func(c change) bool { return c.differing() == 1 && c.hasNull(required) },
	"null-optional":    func(c change) bool { return c.differing() == 1 && c.hasNull(optionals) },
	"duplicate-member": func(c change) bool {
		seen := map[string]bool{}
		for _, m := range c.changed().members {
			if seen[m.name] {
				return true
			}
			seen[m.name] = true
		}
		return false
	},
	"case-wrong-member":   func(c change) bool { return c.differing() == 1 && c.lacksRequired() },
	"escaped-member-name": func(c change) bool { return c.same() && bytes.Contains(c.raw, []byte(`\u00`)) },

	"bad-json": func(c change) bool { return len(c.after) == len(c.before) && c.unparsed() == 1 },
	"empty-data": func(c change) bool {
		return len(c.after) == len(c.before)+1 && slices.ContainsFunc(c.texts, func(b []byte) bool { return len(b) == 0 })
	},
	"not-object": func(c change) bool {
		return len(c.after) == len(c.before)+1 && c.more(func(ev event) bool { return ev.typ == "" }) == 1
	},
	"spaced-json": func(c change) bool { return c.same() },
	"deep-nesting": func(c change) bool {
		return len(c.after) == len(c.before)+1 && slices.ContainsFunc(c.texts, func(b []byte) bool { return depth(b) > 200 })
	},
	"byte-flips": func(change) bool { return true },

	"invalid-utf8": func(c change) bool { return !utf8.Valid(c.raw) },
	"lone-surrogate": func(c change) bool {
		return c.deltaHolds(`\ud83d`) || c.deltaHolds(`\ude00`) || c.deltaHolds(`\udc00`) || c.deltaHolds(`\uD83D`)
	},
	"split-surrogate": func(c change) bool { return c.deltaHolds(`\ud83d"`) && c.deltaHolds(`"\ude00`) },

	"patch-missing-path": func(c change) bool { return c.differing() == 1 && c.changed().typ == "STATE_DELTA" },
	"patch-malformed":    func(c change) bool { return c.differing() == 1 && c.changed().typ == "STATE_DELTA" },
	"patch-unknown-op":   func(c change) bool { return c.differing() == 1 && c.changed().typ == "STATE_DELTA" },
	"patch-test-fails":   func(c change) bool { return c.differing() == 1 && c.deltaHolds(`"not this"`) },

	"late-run-error": func(c change) bool { return c.inserted(is("RUN_ERROR")) && c.follows(is("RUN_ERROR")) },
	"event-after-finish": func(c change) bool {
		return len(c.after) == len(c.before)+1 && c.follows(func(ev event) bool { return ev.typ != "RUN_STARTED" })
	},
	"second-run-started": func(c change) bool { return c.inserted(is("RUN_STARTED")) && !c.after[len(c.after)-1].opens() },
	"unknown-outcome": func(c change) bool {
		var o struct{ Type string }
		json.Unmarshal(c.changed().get("outcome"), &o)
		return c.differing() == 1 && !slices.Contains([]string{"success", "interrupt", "cancelled", "suspended"}, o.Type)
	},
	"foreign-terminal-ids": func(c change) bool { return c.differing() == 1 && c.changed().typ == "RUN_FINISHED" },
	"retired-thinking": func(c change) bool {
		old := func(ev event) bool { return strings.HasPrefix(ev.typ, "THINKING_") }
		return c.count(c.after, old) > 0 && c.more(anyEvent) == 0
	},

	"crlf": func(c change) bool {
		return c.same() && bytes.Count(c.raw, []byte("\r\n")) == bytes.Count(c.raw, []byte("\n"))
	},
	"cr":              func(c change) bool { return c.same() && !bytes.Contains(c.raw, []byte("\n")) },
	"no-space":        func(c change) bool { return c.same() && bytes.Contains(c.raw, []byte("\ndata:{")) },
	"bom":             func(c change) bool { return c.same() && bytes.HasPrefix(c.raw, byteOrderMark) },
	"comments":        func(c change) bool { return c.same() },
	"multi-line-data": func(c change) bool { return c.same() && bytes.Contains(c.raw, []byte("\ndata: ,")) },

	"snapshot-in-the-middle": func(c change) bool { return c.inserted(is("MESSAGES_SNAPSHOT")) },
}

func TestMutationsDoWhatTheirNamesSay(t *testing.T) {
	// Bodies that hold what every kind breaks, so that none falls back on putting it in.
	bodies := map[string][]byte{
		"subagents":        mustBody(t, "subagents", Options{Seed: 1, Runs: 2, Tokens: 120, Producer: RawProducer}),
		"reasoning":        mustBody(t, "reasoning", Options{Seed: 2, Runs: 2, Tokens: 120, Producer: RawProducer}),
		"mixed":            mustBody(t, "mixed", Options{Seed: 3, Runs: 2, Tokens: 120, Producer: RawProducer}),
		"mixed in letters": mustBody(t, "mixed", Options{Seed: 4, Tokens: 120, Producer: ASCIIProducer}),
	}
	for _, kind := range Mutations() {
		check := mutationChecks[kind]
		if check == nil {
			t.Errorf("%s has no check", kind)
			continue
		}
		for name, body := range bodies {
			if strings.HasPrefix(kind, "patch-") && !strings.HasPrefix(name, "mixed") || kind == "retired-thinking" && name != "reasoning" {
				continue
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				for seed := range uint64(12) {
					got := Mutate(kind, body, seed)
					c := change{raw: got, texts: Events(got)}
					for _, data := range Events(body) {
						c.before = append(c.before, parseEvent(data))
					}
					for _, data := range c.texts {
						c.after = append(c.after, parseEvent(data))
					}
					if !check(c) {
						t.Errorf("seed %d: it did something else: %s", seed, c.changed().json())
					}
				}
			})
		}
	}
	for kind := range mutationChecks {
		if !slices.Contains(Mutations(), kind) {
			t.Errorf("a check for %s, which there isn't", kind)
		}
	}
}
