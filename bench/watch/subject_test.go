package watch

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// What each kind of thing reads like, where the output is no terminal.
func TestPlainText(t *testing.T) {
	sub := func(id, name string, more ...string) string {
		return event("SUBAGENT_STARTED", append([]string{"subagentRunId", str(id), "name", str(name)}, more...)...)
	}
	cases := []struct {
		name    string
		events  []string
		grouped []string
		inOrder []string
	}{
		{
			"a message", []string{begins, textStart("m"), text("m", "\n\nOne\ntwo"), text("m", "\n\nthree\n"), textEnd("m"), ends},
			[]string{"assistant", "  One", "  two", "", "  three", "run success"},
			[]string{"assistant m", "  One", "  two", "", "  three", "run success"},
		},
		{
			"reasoning", []string{begins,
				event("REASONING_START", "messageId", `"r"`), event("REASONING_MESSAGE_START", "messageId", `"r"`, "role", `"reasoning"`),
				event("REASONING_MESSAGE_CONTENT", "messageId", `"r"`, "delta", `"hm"`), event("REASONING_MESSAGE_END", "messageId", `"r"`),
				event("REASONING_END", "messageId", `"r"`), ends},
			[]string{"thinking", "  hm", "run success"},
			[]string{"thinking r", "  hm", "run success"},
		},
		{
			"state", []string{begins,
				event("STATE_SNAPSHOT", "snapshot", `{"count":1,"list":[1,2,3],"doc":"It was a dark"}`),
				event("STATE_DELTA", "delta", `[{"op":"replace","path":"/count","value":2},{"op":"remove","path":"/list/1"},{"op":"replace","path":"/doc","value":"It was a dark night"}]`),
				event("STATE_DELTA", "delta", `[{"op":"test","path":"/count","value":2}]`),
				event("STATE_DELTA", "delta", `[{"op":"add","path":"/list/0","value":{"a/b":null}}]`),
				event("STATE_SNAPSHOT", "snapshot", `null`), ends},
			[]string{
				"state", "  + /count 1", "  + /list [1,2,3]", `  + /doc "It was a dark"`,
				"state", "  ~ /count 1 -> 2", "  - /list/1 2", `  ~ /doc grew by " night"`,
				"state as it was",
				"state", `  + /list/0 {"a/b":null}`,
				"state", `  ~ all {"count":2,"list":[{"a/b":null},1,3],"doc":"It was a dark ni... -> null`,
				"run success",
			}, nil,
		},
		{
			"a failed patch and a warning", []string{begins, event("STATE_DELTA", "delta", `[{"op":"remove","path":"/x"}]`),
				event("RUN_FINISHED", "threadId", `"t"`, "runId", `"other"`)},
			[]string{
				`error state patch failed: operation 0 (remove "/x"): there is no such value (event 2, STATE_DELTA, byte 57)`,
				`warning runId "other" differs from RUN_STARTED's "r" (event 3, RUN_FINISHED, /runId)`, "run success",
			}, nil,
		},
		{
			"a snapshot of messages", []string{begins, textStart("m"), text("m", "known"), textEnd("m"),
				event("MESSAGES_SNAPSHOT", "messages", `[{"id":"u","role":"user","content":"hi"},{"id":"m","role":"assistant","content":"known"}]`),
				event("MESSAGES_SNAPSHOT", "messages", `[{"id":"m","role":"assistant","content":"changed","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]`), ends},
			[]string{
				"assistant", "  known", "messages replaced: 2 messages now", "  + user hi",
				"messages replaced: 1 message now", "  ~ assistant changed calls f", "  - u is gone", "run success",
			}, nil,
		},
		{
			"an activity", []string{begins,
				event("ACTIVITY_SNAPSHOT", "messageId", `"a"`, "activityType", `"PLAN"`, "content", `{"steps":[]}`),
				event("ACTIVITY_DELTA", "messageId", `"a"`, "activityType", `"PLAN"`, "patch", `[{"op":"add","path":"/steps/-","value":"look"}]`), ends},
			[]string{"activity PLAN changed 1 time", `  {"steps":["look"]}`, "run success"},
			[]string{"activity PLAN a", "  + /steps []", "activity PLAN a", `  + /steps/0 "look"`, "run success"},
		},
		{
			"subagents", []string{begins,
				sub("s", "researcher", "description", `"looks things up"`), by("s", textStart("m")), textStart("p"), text("p", "Meanwhile."),
				by("s", text("m", "Three")), sub("n", "reader", "parentSubagentRunId", `"s"`), by("n", textStart("q")), by("n", text("q", "inner")),
				textEnd("p"), by("n", textEnd("q")), event("SUBAGENT_ERROR", "subagentRunId", `"n"`, "message", `"no luck"`, "code", `"E1"`),
				by("s", text("m", " sources.")), by("s", textEnd("m")),
				event("SUBAGENT_FINISHED", "subagentRunId", `"s"`, "result", `{"sources":3}`, "outcome", `{"type":"success"}`), ends},
			[]string{
				"assistant", "  Meanwhile.",
				"subagent researcher started: looks things up",
				"  | assistant", "  |   Three sources.",
				"  | subagent reader started", "  |   | assistant", "  |   |   inner", "  |   failed no luck", "  |   code E1",
				"  finished", `  result {"sources":3}`,
				"run success",
			},
			[]string{
				"subagent researcher started s", "  looks things up", "assistant m of researcher", "assistant p", "  Meanwhile.",
				"assistant m of researcher goes on", "  Three", "subagent researcher/reader started n",
				"assistant q of researcher/reader", "  inner", "assistant p ended", "assistant q of researcher/reader ended",
				"subagent researcher/reader failed n", "  no luck", "  code E1",
				"assistant m of researcher goes on", "   sources.", "subagent researcher finished s", `  result {"sources":3}`, "run success",
			},
		},
		{
			"a subagent's loose ends", []string{begins, sub("s", "helper"),
				by("s", textStart("m")), by("s", callStart("c", "find")), by("s", callEnd("c")),
				by("s", event("ACTIVITY_SNAPSHOT", "messageId", `"a"`, "activityType", `"PLAN"`, "content", `{}`)),
				by("s", textEnd("m")), event("SUBAGENT_FINISHED", "subagentRunId", `"s"`, "outcome", `{"type":"suspended","interruptIds":["i"]}`),
				textStart("p"), textEnd("p"), by("s", callResult("c", "late")), ends},
			[]string{
				"subagent helper started", "  | assistant", "  | tool find c", "  |   (no result before the subagent ended)",
				"  | activity PLAN", "  |   {}", "  suspended until answered: i",
				"assistant",
				"subagent helper goes on", "  | result of find c", "  |   -> late",
				"run success",
			}, nil,
		},
		{
			"what isn't ended", []string{begins, textStart("m"), text("m", "half"), callStart("c", "f"), callEnd("c"), callStart("d", "g"),
				sub("s", "helper"), event("RUN_ERROR", "message", `"overloaded"`, "code", `"529"`)},
			[]string{
				"error run failed: overloaded", "  code 529",
				"assistant", "  half", "  (not ended when the run ended)",
				"tool f c", "  (no result when the run ended)",
				"tool g d", "  (not whole when the run ended)",
				"subagent helper started", "  (still running when the run ended)",
				"run failed",
			}, nil,
		},
		{
			"how it ended", []string{begins, callStart("c", "confirm"), callEnd("c"),
				event("RUN_FINISHED", "threadId", `"t"`, "runId", `"r"`, "result", `{"ok":true}`,
					"outcome", `{"type":"success","pendingToolCallIds":["c"]}`,
					"usage", `[{"provider":"acme","model":"large","inputTokens":12,"outputTokens":34,"reasoningTokens":5}]`)},
			[]string{
				"tool confirm c", "  (no result when the run ended)", "run success", `  result {"ok":true}`,
				"  usage acme/large: 12 in, 34 out, 5 of them reasoning", "  pending call confirm c",
			}, nil,
		},
		{
			"questions", []string{begins, event("RUN_FINISHED", "threadId", `"t"`, "runId", `"r"`, "outcome",
				`{"type":"interrupt","interrupts":[{"id":"i","reason":"approval","message":"Delete it?","toolCallId":"c","responseSchema":{"type":"boolean"}}]}`)},
			[]string{
				"question i approval", "  Delete it?", "  about call c", `  answer as {"type":"boolean"}`, "run interrupted on 1 question",
			}, nil,
		},
		{
			"cut short", []string{begins, textStart("m"), text("m", "half")},
			[]string{
				"error protocol violation: the stream ended before RUN_FINISHED or RUN_ERROR (byte 199)",
				"assistant", "  half", "  (not ended when the run ended)", "run failed",
			}, nil,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, way := range []struct {
				name    string
				inOrder bool
				want    []string
			}{{"grouped", false, c.grouped}, {"in order", true, c.inOrder}} {
				if way.want == nil {
					continue
				}
				var out bytes.Buffer
				p := newPlayer(t, Options{Out: &out, InOrder: way.inOrder})
				p.play(c.events...)
				_ = p.stream.Close()
				if err := p.view.Close(); err != nil {
					t.Error(err)
				}
				want(t, way.name, out.String(), way.want...)
			}
		})
	}
}

// Nothing that an agent sends reaches the terminal as a control, wherever it stands, and rows stay rows.
func TestHostileText(t *testing.T) {
	const evil = `\u001b[2J\u001b]0;x\u0007\u009b1A\r\b\u007f\u202e\u2028\u200b\n` + `e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301`
	raw := event
	q := `"` + evil + `"`
	events := []string{
		begins,
		raw("TEXT_MESSAGE_START", "messageId", q, "role", `"assistant"`, "name", q),
		raw("TEXT_MESSAGE_CONTENT", "messageId", q, "delta", q),
		raw("TOOL_CALL_START", "toolCallId", q, "toolCallName", q),
		raw("TOOL_CALL_ARGS", "toolCallId", q, "delta", q),
		raw("TOOL_CALL_END", "toolCallId", q),
		raw("TOOL_CALL_RESULT", "messageId", `"m2"`, "toolCallId", q, "content", q),
		raw("SUBAGENT_STARTED", "subagentRunId", q, "name", q, "description", q),
		raw("REASONING_MESSAGE_START", "messageId", `"r"`, "role", `"reasoning"`, "subagentRunId", q),
		raw("REASONING_MESSAGE_CONTENT", "messageId", `"r"`, "delta", q, "subagentRunId", q),
		raw("SUBAGENT_ERROR", "subagentRunId", q, "message", q, "code", q),
		raw("ACTIVITY_SNAPSHOT", "messageId", `"a"`, "activityType", q, "content", `{`+q+`:`+q+`}`),
		raw("STATE_SNAPSHOT", "snapshot", `{`+q+`:`+q+`}`),
		raw("STATE_DELTA", "delta", `[{"op":"replace","path":`+q+`,"value":1}]`),
		raw("MESSAGES_SNAPSHOT", "messages", `[{"id":`+q+`,"role":"user","name":`+q+`,"content":`+q+`}]`),
		raw("RUN_FINISHED", "threadId", q, "runId", q, "result", q, "outcome",
			`{"type":"interrupt","interrupts":[{"id":`+q+`,"reason":`+q+`,"message":`+q+`,"expiresAt":`+q+`}]}`,
			"usage", `[{"provider":`+q+`,"model":`+q+`}]`),
		begins, raw("RUN_ERROR", "message", q, "code", q),
	}
	for _, inOrder := range []bool{false, true} {
		term := newTerminal(t, 60, 12) // it fails the test on what is not the View's own
		p := newPlayer(t, Options{Out: term, Size: term.size, InOrder: inOrder, Color: true})
		for _, e := range events {
			p.play(e)
		}
		if err := p.view.Close(); err != nil {
			t.Error(err)
		}
		all := term.all()
		for _, sign := range []string{"␛[2J", "␇", "<U+009B>", "␍", "␈", "␡", "<U+202E>", "<U+2028>", "<U+200B>"} {
			if !strings.Contains(all, sign) {
				t.Errorf("in order %v: %q is not shown", inOrder, sign)
			}
		}
		if !strings.Contains(all, "run failed") {
			t.Errorf("in order %v: the end is not told:\n%s", inOrder, all)
		}
		for _, l := range term.lines {
			if l.soft {
				t.Errorf("in order %v: the terminal had to wrap %q", inOrder, strings.Join(l.cells, ""))
			}
		}
		p.view.Ask(prompt(&engine.Interrupt{Reason: "\x1b[2J\n\u202e"}, 1, 1))
	}
}

// Without colour there is no escape sequence at all; with it, reasoning is faint.
func TestColor(t *testing.T) {
	events := []string{begins, event("REASONING_MESSAGE_START", "messageId", `"r"`, "role", `"reasoning"`),
		event("REASONING_MESSAGE_CONTENT", "messageId", `"r"`, "delta", `"hm"`), event("REASONING_MESSAGE_END", "messageId", `"r"`), ends}
	for _, inOrder := range []bool{false, true} {
		var with, without bytes.Buffer
		newPlayer(t, Options{Out: &with, Color: true, InOrder: inOrder}).play(events...)
		newPlayer(t, Options{Out: &without, InOrder: inOrder}).play(events...)
		if strings.Contains(without.String(), "\x1b") {
			t.Errorf("in order %v: %q", inOrder, without.String())
		}
		if !strings.Contains(with.String(), "\x1b[2mhm\x1b[m") && !strings.Contains(with.String(), "\x1b[2m  hm\x1b[m") {
			t.Errorf("in order %v: reasoning is not faint: %q", inOrder, with.String())
		}
	}
}

// In order, a character that comes in pieces is counted once, and rows end where they should.
func TestInOrderWraps(t *testing.T) {
	cases := []struct {
		name   string
		deltas []string
		want   []string
	}{
		{"at blanks", []string{"The quick", " brown fox", " jumps over", " it"}, []string{"  The quick brown fox jumps", "  over it"}},
		{"wide", []string{"世界世界世界", "世界世界世界", "世界"}, []string{"  世界世界世界世界世界世界", "  世界"}},
		{"a family in pieces", []string{"👩", "\u200d", "👧", "!"}, []string{"  👩\u200d👧!"}},
		{"a flag in pieces", []string{"🇮", "🇸", " ok"}, []string{"  🇮🇸 ok"}},
		{"a mark in a piece of its own", []string{strings.Repeat("x", 26), "\u0301", "y"}, []string{"  " + strings.Repeat("x", 26) + "\u0301", "  y"}},
		{"a long word", []string{strings.Repeat("x", 60)}, []string{"  " + strings.Repeat("x", 26), "  " + strings.Repeat("x", 26), "  " + strings.Repeat("x", 8)}},
		{"a wide one at the very end", []string{"end 👩"}, []string{"  end 👩"}},
		{"line ends in pieces", []string{"a\r", "\nb\n", "\n", "c\n\n"}, []string{"  a", "  b", "", "  c"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			term := newTerminal(t, 29, 10)
			p := newPlayer(t, Options{Out: term, Size: term.size, InOrder: true, Color: true})
			p.play(begins, textStart("m"))
			for _, d := range c.deltas {
				p.play(event("TEXT_MESSAGE_CONTENT", "messageId", `"m"`, "delta", str(d)))
			}
			p.play(textEnd("m"), ends)
			lines := append(append([]string{"assistant m"}, c.want...), "run success")
			want(t, "screen", term.all(), lines...)
		})
	}
}
