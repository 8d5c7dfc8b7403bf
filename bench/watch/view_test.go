package watch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// Events, short.
const (
	begins = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	ends   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

func event(typ string, members ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":%q`, typ)
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&b, `,%q:%s`, members[i], members[i+1])
	}
	return b.String() + "}"
}

func str(s string) string { return fmt.Sprintf("%q", s) }

func textStart(id string) string {
	return event("TEXT_MESSAGE_START", "messageId", str(id), "role", `"assistant"`)
}
func text(id, delta string) string {
	return event("TEXT_MESSAGE_CONTENT", "messageId", str(id), "delta", str(delta))
}
func textEnd(id string) string { return event("TEXT_MESSAGE_END", "messageId", str(id)) }
func callStart(id, name string) string {
	return event("TOOL_CALL_START", "toolCallId", str(id), "toolCallName", str(name))
}
func args(id, delta string) string {
	return event("TOOL_CALL_ARGS", "toolCallId", str(id), "delta", str(delta))
}
func callEnd(id string) string { return event("TOOL_CALL_END", "toolCallId", str(id)) }
func callResult(id, content string) string {
	return event("TOOL_CALL_RESULT", "messageId", str("result-"+id), "toolCallId", str(id), "content", str(content))
}

// by tags an event with a subagent.
func by(id, event string) string {
	return strings.TrimSuffix(event, "}") + fmt.Sprintf(`,"subagentRunId":%q}`, id)
}

// player feeds a View with events.
type player struct {
	t      *testing.T
	view   *View
	stream *engine.Stream
}

func newPlayer(t *testing.T, opt Options) *player {
	p := &player{t: t, view: NewView(opt)}
	var err error
	if p.stream, err = engine.NewStream(p.view, engine.StreamOptions{Warn: p.view.Warn}); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *player) play(events ...string) {
	_, _ = p.stream.Write(engine.Frames(events...))
}

func want(t *testing.T, what, got string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(lines, "\n"), strings.TrimRight(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Two calls whose events interleave are two blocks, or a headline at each turn.
func TestTwoCallsInterleaved(t *testing.T) {
	events := []string{
		begins, callStart("c1", "find"), args("c1", `{"q":`), callStart("c2", "sum"), args("c2", `[1,`), args("c1", `"x"}`),
		args("c2", "2]"), callEnd("c1"), callEnd("c2"), callResult("c2", "3"), callResult("c1", "nothing"), ends,
	}
	cases := []struct {
		name    string
		inOrder bool
		want    []string
	}{
		{"grouped", false, []string{
			"tool sum c2", "  [1,2]", "  -> 3",
			"tool find c1", `  {"q":"x"}`, "  -> nothing",
			"run success",
		}},
		{"in order", true, []string{
			"tool find c1", `  {"q":`,
			"tool sum c2", "  [1,",
			"tool find c1 goes on", `  "x"}`,
			"tool sum c2 goes on", "  2]",
			"tool find c1 is whole",
			"tool sum c2 is whole",
			"result of sum c2", "  -> 3",
			"result of find c1", "  -> nothing",
			"run success",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			newPlayer(t, Options{Out: &out, InOrder: c.inOrder}).play(events...)
			want(t, "plain", out.String(), c.want...)

			term := newTerminal(t, 40, 10)
			newPlayer(t, Options{Out: term, Size: term.size, InOrder: c.inOrder, Color: true}).play(events...)
			want(t, "terminal", term.all(), c.want...)
		})
	}
}

// What a live screen shows, step by step.
func TestScreen(t *testing.T) {
	type step struct {
		events []string
		screen []string
	}
	cases := []struct {
		name          string
		columns, rows int
		steps         []step
	}{
		{"text as it streams", 30, 6, []step{
			{[]string{begins, textStart("m")}, []string{"assistant"}},
			{[]string{text("m", "Hel")}, []string{"assistant", "  Hel"}},
			{[]string{text("m", "lo")}, []string{"assistant", "  Hello"}},
			{[]string{text("m", " there, that wraps here")}, []string{"assistant", "  Hello there, that wraps", "  here"}},
			{[]string{textEnd("m"), ends}, []string{"assistant", "  Hello there, that wraps", "  here", "run success"}},
		}},
		{"a block that is done goes above those that are open", 30, 8, []step{
			{[]string{begins, textStart("a"), text("a", "one"), textStart("b"), text("b", "two")}, []string{
				"assistant", "  one", "assistant", "  two",
			}},
			{[]string{textEnd("b"), text("a", " more")}, []string{
				"assistant", "  two", "assistant", "  one more",
			}},
			{[]string{textEnd("a"), ends}, []string{
				"assistant", "  two", "assistant", "  one more", "run success",
			}},
		}},
		{"a call waits for its result", 30, 8, []step{
			{[]string{begins, callStart("c", "find"), args("c", "{}"), callEnd("c")}, []string{"tool find c", "  {}"}},
			{[]string{textStart("m"), text("m", "wait"), textEnd("m")}, []string{"assistant", "  wait", "tool find c", "  {}"}},
			{[]string{callResult("c", "ok")}, []string{"assistant", "  wait", "tool find c", "  {}", "  -> ok"}},
		}},
		{"the first message that outgrows the screen scrolls off", 30, 6, []step{
			{[]string{begins, textStart("m"), text("m", "1\n2\n3\n4")}, []string{"assistant", "  1", "  2", "  3", "  4"}},
			{[]string{text("m", "\n5\n6")}, []string{"  2", "  3", "  4", "  5", "  6"}},
			{[]string{event("STATE_SNAPSHOT", "snapshot", `{"n":1}`)}, []string{
				"  3", "  4", "  5", "  6", "... 1 block done, waiting",
			}},
			{[]string{text("m", "\n7"), textEnd("m")}, []string{"  5", "  6", "  7", "state", "  + /n 1"}},
		}},
		{"what doesn't fit shows headlines and ends", 30, 7, []step{
			{[]string{begins, callStart("c1", "one"), args("c1", `1\n2\n3\n4\n5`), callStart("c2", "two"), args("c2", `1\n2\n3\n4`)}, []string{
				"tool one c1", `  1\n2\n3\n4\n5`, "tool two c2", `  1\n2\n3\n4`,
			}},
			{[]string{args("c1", "1\n2\n3\n4\n5"), args("c2", "1\n2\n3\n4\n5")}, []string{
				"tool one c1", "  ... 4 rows", "  5", "tool two c2", "  ... 4 rows", "  5",
			}},
		}},
		{"more blocks than rows", 30, 5, []step{
			{[]string{begins, callStart("c1", "one"), callStart("c2", "two"), callStart("c3", "three"), callStart("c4", "four"), args("c4", "4")}, []string{
				"... 3 more blocks open", "tool four c4", "  4",
			}},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			term := newTerminal(t, c.columns, c.rows)
			p := newPlayer(t, Options{Out: term, Size: term.size, Color: true})
			for i, s := range c.steps {
				p.play(s.events...)
				want(t, fmt.Sprintf("step %d", i+1), term.screen(), s.screen...)
			}
		})
	}
}

// Whatever a run brings, what a terminal holds in the end is what plain output has, wrapped; and no row is too wide.
func TestTerminalEndsWithThePlainTranscript(t *testing.T) {
	var plainOut bytes.Buffer
	long := strings.Repeat("The 速い茶色 fox jumps e\u0301 over 👩‍🚀 the lazy dog.\n", 40)
	events := []string{
		begins, textStart("a"), text("a", long), callStart("c", "find"), args("c", long), textStart("b"), text("b", long[:200]),
		event("SUBAGENT_STARTED", "subagentRunId", `"s"`, "name", `"helper"`),
		by("s", textStart("sa")), by("s", text("sa", long)), textEnd("b"), event("STATE_SNAPSHOT", "snapshot", `{"a":[1,2]}`),
		text("a", long), callEnd("c"), textEnd("a"), by("s", textEnd("sa")), event("SUBAGENT_FINISHED", "subagentRunId", `"s"`),
		callResult("c", long), ends,
	}
	newPlayer(t, Options{Out: &plainOut}).play(events...)
	// Some blocks waited on a small screen, so their order may differ; rails and blanks depend on the width.
	drawn := func(s string) map[rune]int {
		n := map[rune]int{}
		for _, r := range s {
			if r != ' ' && r != '\n' && r != '|' {
				n[r]++
			}
		}
		return n
	}
	for columns := 24; columns < 90; columns += 7 {
		for _, rows := range []int{1, 2, 3, 5, 9, 24, 400} {
			term := newTerminal(t, columns, rows)
			p := newPlayer(t, Options{Out: term, Size: term.size, Color: true})
			for _, e := range events {
				p.play(e)
			}
			if diff := cmp.Diff(drawn(plainOut.String()), drawn(term.all())); diff != "" {
				t.Errorf("%dx%d: characters (-plain +terminal):\n%s", columns, rows, diff)
			}
			if w := widest(term.all()); w >= columns {
				t.Errorf("%dx%d: a row is %d wide", columns, rows, w)
			}
			for _, l := range term.lines {
				if l.soft {
					t.Errorf("%dx%d: the terminal had to wrap %q", columns, rows, strings.Join(l.cells, ""))
				}
			}
		}
	}
}

func TestResize(t *testing.T) {
	term := newTerminal(t, 60, 10)
	p := newPlayer(t, Options{Out: term, Size: term.size})
	p.play(begins, textStart("x"), text("x", "done before"), textEnd("x"), callStart("c", "find"),
		args("c", "a word or two that fill more than one row of the screen at any width"))
	want(t, "60 columns", term.screen(), "assistant", "  done before", "tool find c",
		"  a word or two that fill more than one row of the screen", "  at any width")
	term.resize(30, 10)
	p.view.tick()
	want(t, "30 columns", term.screen(), "assistant", "  done before", "tool find c",
		"  a word or two that fill", "  more than one row of the", "  screen at any width")
	term.resize(80, 7)
	p.view.tick()
	want(t, "80 columns", term.all(), "assistant", "  done before", "tool find c",
		"  a word or two that fill more than one row of the screen at any width")
	p.play(callEnd("c"), callResult("c", "ok"), ends)
	want(t, "in the end", term.all(), "assistant", "  done before", "tool find c",
		"  a word or two that fill more than one row of the screen at any width", "  -> ok", "run success")
}

func TestTooSmallATerminalDrawsNothingAgain(t *testing.T) {
	for _, size := range [][2]int{{10, 20}, {1, 1}, {23, 2}} {
		term := newTerminal(t, size[0], size[1])
		p := newPlayer(t, Options{Out: term, Size: term.size})
		p.play(begins, textStart("m"), text("m", "some text that is wider"))
		if got := term.all(); got != "" {
			t.Errorf("%v: %q before the message is done", size, got)
		}
		p.play(textEnd("m"))
		if got := strings.ReplaceAll(term.all(), "\n", ""); !strings.Contains(got, "wider") {
			t.Errorf("%v: %q", size, got)
		}
	}
}

// A program that was stopped finds a shell's lines below its region, and must not draw over them.
func TestPause(t *testing.T) {
	term := newTerminal(t, 40, 12)
	p := newPlayer(t, Options{Out: term, Size: term.size})
	p.play(begins, textStart("m"), text("m", "one"))
	p.view.Pause(func() { _, _ = term.Write([]byte("[1]+ Stopped\n$ fg\n")) })
	p.play(text("m", " two"), textEnd("m"), ends)
	want(t, "screen", term.screen(), "assistant", "  one", "[1]+ Stopped", "$ fg", "assistant", "  one two", "run success")
}
