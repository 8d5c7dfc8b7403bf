package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var variants = []struct {
	name    string
	options Options
}{
	{"as it comes", Options{}},
	{"chunks", Options{Chunks: true}},
	{"three runs", Options{Runs: 3}},
	{"tiny", Options{Tokens: 1, Runs: 2}},
	{"ascii", Options{Producer: ASCIIProducer}},
	{"html", Options{Producer: HTMLProducer}},
	{"slash", Options{Producer: SlashProducer}},
}

// everyBody calls f with a few streams of every workload and variant.
func everyBody(t *testing.T, seeds uint64, f func(t *testing.T, body []byte)) {
	for _, name := range Names() {
		for _, v := range variants {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				for seed := range seeds {
					o := v.options
					o.Seed = seed
					f(t, mustBody(t, name, o))
				}
			})
		}
	}
}

func TestEveryEventIsDescribed(t *testing.T) {
	everyBody(t, 6, func(t *testing.T, body []byte) {
		for i, data := range Events(body) {
			ev := parseEvent(data)
			f, known := described[ev.typ]
			if !known {
				t.Fatalf("event %d: type %q in %s", i+1, ev.typ, data)
			}
			names := append(append(typed(f.required, true), f.optionals()...), "type")
			for _, m := range ev.members {
				if !slices.Contains(names, m.name) {
					t.Fatalf("event %d: %s doesn't describe %q", i+1, ev.typ, m.name)
				}
			}
			for _, name := range typed(f.required, true) {
				if ev.get(name) == nil {
					t.Fatalf("event %d: %s lacks %q", i+1, ev.typ, name)
				}
			}
		}
	})
}

func TestFramesAreWhatTheDocSays(t *testing.T) {
	everyBody(t, 2, func(t *testing.T, body []byte) {
		var again []byte
		for _, data := range Events(body) {
			again = append(append(append(again, "data: "...), data...), "\n\n"...)
		}
		if !bytes.Equal(again, body) {
			t.Error("the body is more than its events in frames of one data line")
		}
	})
}

// Hashes of bodies as they were when this was written. A change here is a change of every recorded
// figure and seed: make it knowingly.
func TestSeedsGiveTheSameBytesEverywhere(t *testing.T) {
	got := map[string]string{}
	for _, name := range Names() {
		h := fnv.New64a()
		for seed := range uint64(8) {
			h.Write(mustBody(t, name, Options{Seed: seed, Runs: 2, Chunks: seed%2 == 1}))
		}
		got[name] = fmt.Sprintf("%016x", h.Sum64())
	}
	if diff := cmp.Diff(pinned, got); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}

var pinned = map[string]string{
	"chat":      "942d59a8fe020b38",
	"mixed":     "c7049af26c7314c9",
	"reasoning": "b014950dde030f2d",
	"state":     "d619d0cd970930d2",
	"subagents": "2e2f1d7200ab860c",
	"tools":     "ca651f1e62f4bf9a",
}

func TestSeedsDiffer(t *testing.T) {
	for _, name := range Names() {
		seen := map[string]uint64{}
		for seed := range uint64(20) {
			body := string(mustBody(t, name, Options{Seed: seed, Tokens: 20}))
			if other, ok := seen[body]; ok {
				t.Errorf("%s: seeds %d and %d give one body", name, other, seed)
			}
			seen[body] = seed
		}
	}
}

func TestGeneratorWritesWhatBodyHolds(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			want := mustBody(t, name, Options{Seed: 7, Runs: 3})
			g, err := New(name, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			g.Next(nil)
			g.Reset(7)
			var got, buf []byte
			for range 3 {
				buf = g.Next(buf[:0])
				got = append(got, buf...)
			}
			if !bytes.Equal(got, want) {
				t.Error("Next after Reset and Body differ")
			}
		})
	}
}

func TestTokensSetTheLength(t *testing.T) {
	for _, name := range Names() {
		for _, tokens := range []int{1, 50, 1000} {
			t.Run(fmt.Sprintf("%s/%d", name, tokens), func(t *testing.T) {
				for seed := range uint64(10) {
					n := 0
					for _, data := range Events(mustBody(t, name, Options{Seed: seed, Tokens: tokens})) {
						ev := parseEvent(data)
						if ev.get("delta") != nil {
							n++
						}
					}
					// Calls in flight are finished: at most four, and what a subagent still holds.
					if n < tokens || n > tokens+600 {
						t.Errorf("seed %d: %d content events for %d tokens", seed, n, tokens)
					}
				}
			})
		}
	}
}

func TestStateSizes(t *testing.T) {
	for _, size := range []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			body := mustBody(t, "state", Options{StateBytes: size, Tokens: 300})
			for _, data := range Events(body) {
				ev := parseEvent(data)
				if ev.typ != "STATE_SNAPSHOT" {
					continue
				}
				text := ev.get("snapshot")
				within(t, "bytes of a target byte", float64(len(text))/float64(size), 0.8, 1.2)
				deepest := depth(text)
				t.Logf("depth %d", deepest)
				if deepest > 200 {
					t.Errorf("nested %d deep: too near the limit of 256", deepest)
				}
				if size >= 16<<10 && deepest < 64 {
					t.Errorf("nested only %d deep", deepest)
				}
				return
			}
			t.Error("no snapshot")
		})
	}
}

func depth(text []byte) int {
	deepest, now := 0, 0
	for _, c := range text {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

func TestStateUsesAllSixOperations(t *testing.T) {
	seen := map[string]int{}
	for _, data := range Events(mustBody(t, "state", Options{Tokens: 500})) {
		if ev := parseEvent(data); ev.typ == "STATE_DELTA" {
			var ops []struct{ Op string }
			if err := json.Unmarshal(ev.get("delta"), &ops); err != nil {
				t.Fatal(err)
			}
			for _, op := range ops {
				seen[op.Op]++
			}
		}
	}
	for _, op := range []string{"add", "remove", "replace", "move", "copy", "test"} {
		if seen[op] < 10 {
			t.Errorf("%d times %q in %v", seen[op], op, seen)
		}
	}
}

// All but RUN_ERROR: a valid stream has no error. What only some seeds bring must come within 40.
func TestWorkloadsCoverTheTypes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		types []string
	}{
		{"chat", []string{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"}},
		{"tools", []string{"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT"}},
		{"state", []string{"STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED"}},
		{"reasoning", []string{"REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END", "REASONING_ENCRYPTED_VALUE", "REASONING_MESSAGE_CHUNK"}},
		{"subagents", []string{"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR", "TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "CUSTOM", "RAW", "STEP_STARTED"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var bodies [][]byte
			for seed := range uint64(40) {
				bodies = append(bodies, mustBody(t, tt.name, Options{Seed: seed}))
			}
			sh := measure(t, bodies...)
			for _, typ := range tt.types {
				if sh.types[typ] == 0 {
					t.Errorf("no %s in %v", typ, sh.types)
				}
			}
		})
	}
}

func TestOptionsOutOfBounds(t *testing.T) {
	for _, tt := range []struct {
		name, workload string
		options        Options
	}{
		{"unknown workload", "chit-chat", Options{}},
		{"no name", "", Options{}},
		{"negative tokens", "chat", Options{Tokens: -1}},
		{"negative runs", "chat", Options{Runs: -1}},
		{"small state", "state", Options{StateBytes: 1}},
		{"huge state", "state", Options{StateBytes: 64 << 20}},
		{"unknown producer", "chat", Options{Producer: numProducers}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Body(tt.workload, tt.options); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestEventsReadsTheWholeGrammar(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"one", "data: a\n\n", []string{"a"}},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"cr", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"no space", "data:a\n\n", []string{"a"}},
		{"two spaces", "data:  a\n\n", []string{" a"}},
		{"joined", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"empty", "data\n\ndata:\n\n", []string{"", ""}},
		{"comments and fields", ": x\n\nid: 1\nevent: e\ndata: a\nretry: 1\n\n", []string{"a"}},
		{"byte-order mark", "\ufeffdata: a\n\n", []string{"a"}},
		{"no blank line at the end", "data: a", []string{"a"}},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, ev := range Events([]byte(tt.body)) {
				got = append(got, string(ev))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkGenerator(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g, err := New(name, Options{})
			if err != nil {
				b.Fatal(err)
			}
			var buf []byte
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				buf = g.Next(buf[:0])
				n += len(buf)
			}
			b.SetBytes(int64(n / b.N))
		})
	}
}
