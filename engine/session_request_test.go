package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// What a session sends, for each way to start a run.
func TestSessionRequests(t *testing.T) {
	started := `RUN_STARTED t r`
	tests := []struct {
		name string
		opts []engine.SessionOption
		// first is the body of a first run, events a line; empty: there was none.
		first string
		run   func(*engine.Session[engine.Raw]) iter.Seq[engine.Update]
		want  string
	}{
		{
			name: "Send",
			run:  func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] { return s.Send(t.Context(), "hi") },
			want: `{"threadId":"t","runId":"run-1","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"}]}`,
		},
		{
			name: "SendMessage, with parts and an id of its own",
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				return s.SendMessage(t.Context(), engine.PartsMessage("mine", engine.Part{Type: "text", Text: "hi"}))
			},
			want: `{"threadId":"t","runId":"run-1","protocolVersion":"1.1","state":{},"messages":[{"id":"mine","role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		},
		{
			name: "Run, with everything",
			opts: []engine.SessionOption{
				engine.WithMessages(user("u", "hi")), engine.WithState(engine.JSON(`{"b":1.50,"a":null}`)),
				engine.WithTools(engine.Tool{Name: "f", Description: "does", Parameters: engine.JSON(`{"type":"object"}`)}),
				engine.WithContext(engine.Context{Description: "d", Value: "v"}),
				engine.WithForwardedProps(engine.JSON(`{"x":null}`)),
			},
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				return s.Run(t.Context(), engine.WithRunID("my-run"), engine.WithParentRunID("p"))
			},
			want: `{"threadId":"t","runId":"my-run","parentRunId":"p","protocolVersion":"1.1","state":{"b":1.50,"a":null},"messages":[{"id":"u","role":"user","content":"hi"}],"tools":[{"name":"f","description":"does","parameters":{"type":"object"}}],"context":[{"description":"d","value":"v"}],"forwardedProps":{"x":null}}`,
		},
		{
			name: "100 81 the second request: no activities, reasoning in its place, encrypted values and types unmodified",
			first: started + `
				REASONING_MESSAGE_START z reasoning
				REASONING_MESSAGE_CONTENT z "think"
				REASONING_MESSAGE_END z
				REASONING_ENCRYPTED_VALUE message z "==e/1" encryptedValueType=k
				ACTIVITY_SNAPSHOT x plan {}
				TOOL_CALL_START c f parentMessageId=m metadata={"a":1}
				TOOL_CALL_ARGS c "{"
				TOOL_CALL_END c
				REASONING_ENCRYPTED_VALUE tool-call c e2
				TOOL_CALL_RESULT r c "ok" subagentRunId=s
				STATE_SNAPSHOT {"n":9007199254740993}
				RUN_FINISHED t r`,
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] { return s.Send(t.Context(), "more") },
			want: `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{"n":9007199254740993},"messages":[` +
				`{"id":"msg-1","role":"user","content":"hi"},` +
				`{"id":"z","role":"reasoning","content":"think","encryptedValue":"==e/1","encryptedValueType":"k"},` +
				`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{"},"encryptedValue":"e2","metadata":{"a":1}}]},` +
				`{"id":"r","role":"tool","content":"ok","toolCallId":"c","subagentRunId":"s"},` +
				`{"id":"msg-2","role":"user","content":"more"}]}`,
		},
		{
			name:  "A12 a null state is left out",
			first: started + "\nSTATE_SNAPSHOT null\nRUN_FINISHED t r",
			run:   func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] { return s.Run(t.Context()) },
			want:  `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","messages":[{"id":"msg-1","role":"user","content":"hi"}]}`,
		},
		{
			name:  "127 Resume",
			first: started + "\n" + `RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`,
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				return s.Resume(t.Context(), "i", map[string]any{"yes": true})
			},
			want: `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"}],"resume":[{"interruptId":"i","status":"resolved","payload":{"yes":true}}]}`,
		},
		{
			name:  "127 Resume without a payload",
			first: started + "\n" + `RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`,
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				return s.Resume(t.Context(), "i", nil)
			},
			want: `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"}],"resume":[{"interruptId":"i","status":"resolved"}]}`,
		},
		{
			name:  "129 Cancel, though it expired",
			first: started + "\n" + `RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x","expiresAt":"2001-01-01T00:00:00Z"}]}`,
			run:   func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] { return s.Cancel(t.Context(), "i") },
			want:  `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"}],"resume":[{"interruptId":"i","status":"cancelled"}]}`,
		},
		{
			name:  "127 ResumeMany",
			first: started + "\n" + `RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"j","reason":"y","expiresAt":"never"}]}`,
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				return s.ResumeMany(t.Context(), []engine.ResumeEntry{
					{InterruptID: "j", Status: engine.ResumeResolved, Payload: engine.JSON(`[1]`)},
					{InterruptID: "i", Status: engine.ResumeCancelled},
				})
			},
			want: `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"}],"resume":[{"interruptId":"j","status":"resolved","payload":[1]},{"interruptId":"i","status":"cancelled"}]}`,
		},
		{
			name:  "118 own calls are answered by Add, or by the message that is sent",
			opts:  []engine.SessionOption{engine.WithTools(engine.Tool{Name: "f", Description: "d"})},
			first: started + "\nTOOL_CALL_START c f parentMessageId=m\nTOOL_CALL_END c\nTOOL_CALL_START d f parentMessageId=m\nTOOL_CALL_END d\nTOOL_CALL_START e other parentMessageId=m\nTOOL_CALL_END e\nRUN_FINISHED t r",
			run: func(s *engine.Session[engine.Raw]) iter.Seq[engine.Update] {
				if err := s.Add(engine.ToolMessage("a1", "c", "1")); err != nil {
					t.Error(err)
				}
				return s.SendMessage(t.Context(), engine.ToolMessage("", "d", "2"))
			},
			want: `{"threadId":"t","runId":"run-2","protocolVersion":"1.1","state":{},"messages":[{"id":"msg-1","role":"user","content":"hi"},` +
				`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}},{"id":"d","type":"function","function":{"name":"f","arguments":""}},{"id":"e","type":"function","function":{"name":"other","arguments":""}}]},` +
				`{"id":"a1","role":"tool","content":"1","toolCallId":"c"},{"id":"msg-2","role":"tool","content":"2","toolCallId":"d"}],"tools":[{"name":"f","description":"d"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			last := engine.Frames(events("RS\nRF")...)
			replay := engine.ReplayBytes(last)
			if tt.first != "" {
				replay = engine.ReplayBytes(engine.Frames(events(tt.first)...), last)
			}
			sess := engine.NewSession[engine.Raw](replay, "t", append(tt.opts, counted())...)
			if tt.first != "" {
				for range sess.Send(t.Context(), "hi") {
				}
			}
			if diff := cmp.Diff([]string{"done success"}, linesOf(tt.run(sess))); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			var got, want any
			if err := json.Unmarshal(replay.Requests[len(replay.Requests)-1], &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s\n%s", diff, replay.Requests[len(replay.Requests)-1])
			}
			if tt.first != "" && strings.Contains(tt.first, "9007199254740993") && !strings.Contains(string(replay.Requests[1]), "9007199254740993") {
				t.Errorf("digits were lost: %s", replay.Requests[1])
			}
		})
	}
}

// What may not be sent is refused with an Error and Done(Failed), and changes nothing.
func TestSessionRefusesRequests(t *testing.T) {
	interrupted := "RUN_STARTED t r\n" + `RUN_FINISHED t r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"j","reason":"y","expiresAt":"2001-01-01T00:00:00Z"}]}`
	entry := func(id, status string) engine.ResumeEntry { return engine.ResumeEntry{InterruptID: id, Status: status} }
	type session = *engine.Session[engine.Raw]
	tests := []struct {
		name  string
		opts  []engine.SessionOption
		first string
		run   func(session) iter.Seq[engine.Update]
		names string
	}{
		{"128 interrupts uncovered", nil, interrupted, func(s session) iter.Seq[engine.Update] { return s.Send(t.Context(), "x") }, `"i"`},
		{"128 one of two uncovered", nil, interrupted, func(s session) iter.Seq[engine.Update] { return s.Cancel(t.Context(), "j") }, `"i"`},
		{"129 one expired", nil, interrupted, func(s session) iter.Seq[engine.Update] {
			return s.ResumeMany(t.Context(), []engine.ResumeEntry{entry("i", engine.ResumeResolved), entry("j", engine.ResumeResolved)})
		}, `"j"`},
		{"127 answered twice", nil, interrupted, func(s session) iter.Seq[engine.Update] {
			return s.ResumeMany(t.Context(), []engine.ResumeEntry{entry("i", engine.ResumeCancelled), entry("i", engine.ResumeCancelled), entry("j", engine.ResumeCancelled)})
		}, `"i"`},
		{"127 an unknown interrupt", nil, "", func(s session) iter.Seq[engine.Update] { return s.Resume(t.Context(), "k", nil) }, `"k"`},
		{"2.5 an unknown status", nil, interrupted, func(s session) iter.Seq[engine.Update] {
			return s.ResumeMany(t.Context(), []engine.ResumeEntry{entry("i", "maybe"), entry("j", engine.ResumeCancelled)})
		}, `"maybe"`},
		{"a payload that doesn't encode", nil, interrupted, func(s session) iter.Seq[engine.Update] { return s.Resume(t.Context(), "i", func() {}) }, "payload"},
		{"114 a payload that is no JSON", nil, interrupted, func(s session) iter.Seq[engine.Update] {
			return s.ResumeMany(t.Context(), []engine.ResumeEntry{{InterruptID: "i", Status: engine.ResumeResolved, Payload: engine.JSON("{")}, entry("j", engine.ResumeCancelled)})
		}, ""},
		{"118 a call of an own tool unanswered", []engine.SessionOption{engine.WithTools(engine.Tool{Name: "f", Description: "d"})},
			"RUN_STARTED t r\nTOOL_CALL_START c f\nTOOL_CALL_END c\nRUN_FINISHED t r", func(s session) iter.Seq[engine.Update] { return s.Send(t.Context(), "x") }, `"c"`},
		{"114 tool parameters that are no JSON", []engine.SessionOption{engine.WithTools(engine.Tool{Name: "f", Parameters: engine.JSON("{")})}, "",
			func(s session) iter.Seq[engine.Update] { return s.Send(t.Context(), "x") }, ""},
		{"114 properties that are no JSON", []engine.SessionOption{engine.WithForwardedProps(engine.JSON("{"))}, "",
			func(s session) iter.Seq[engine.Update] { return s.Send(t.Context(), "x") }, ""},
		{"an id that is held", []engine.SessionOption{engine.WithMessages(user("u", "a"))}, "",
			func(s session) iter.Seq[engine.Update] { return s.SendMessage(t.Context(), user("u", "b")) }, `"u"`},
		{"114 a malformed message", nil, "", func(s session) iter.Seq[engine.Update] {
			return s.SendMessage(t.Context(), &engine.Message{ID: "p", Role: engine.RoleUser, HasParts: true, Parts: []engine.Part{{Type: "image"}}})
		}, `"p"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			replay := engine.ReplayBytes(engine.Frames(events(tt.first)...))
			sess := engine.NewSession[engine.Raw](replay, "t", append(tt.opts, counted())...)
			if tt.first != "" {
				for range sess.Run(t.Context()) {
				}
			}
			before, sent := sessionStores(sess), len(replay.Requests)
			want := []string{"error config: ~ " + tt.names, "done failed: config error: ~ " + tt.names}
			if diff := cmp.Diff(want, match(linesOf(tt.run(sess)), want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, sessionStores(sess)); diff != "" {
				t.Errorf("stores (-before +after):\n%s", diff)
			}
			if len(replay.Requests) != sent {
				t.Errorf("sent %s", replay.Requests[sent:])
			}
		})
	}
}

func TestSessionExpiry(t *testing.T) {
	soon := time.Now().Add(time.Hour).UTC()
	for at, resolvable := range map[string]bool{
		soon.Format(time.RFC3339): true, soon.Format(time.RFC3339Nano): true, "tomorrow": true, "": true,
		"2001-01-01T00:00:00Z": false, "2001-01-01T00:00:00.123+02:00": false, "2001-01-01": false,
	} {
		t.Run(at, func(t *testing.T) {
			first := fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","expiresAt":%q}]}}`, at)
			sess := engine.NewSession[engine.Raw](engine.ReplayBytes(engine.Frames(events("RS\n"+first)...), engine.Frames(events("RS\nRF")...)), "t")
			for range sess.Run(t.Context()) {
			}
			got := linesOf(sess.Resume(t.Context(), "i", nil))
			if ok := got[0] == "done success"; ok != resolvable {
				t.Errorf("resolving gave %q", got)
			}
		})
	}
}

func TestSessionIDs(t *testing.T) {
	t.Run("random and free", func(t *testing.T) {
		seen := map[string]bool{}
		for range 3 {
			replay := engine.ReplayEvents(events("RS\nRF")...)
			sess := engine.NewSession[engine.Raw](replay, "t")
			for range 3 {
				for range sess.Send(t.Context(), "hi") {
				}
			}
			for _, m := range sess.Messages() {
				if seen[m.ID] || len(m.ID) < 16 {
					t.Errorf("the id %q is short, or came before", m.ID)
				}
				seen[m.ID] = true
			}
			for _, r := range replay.Requests {
				var in struct{ RunID string }
				if err := json.Unmarshal(r, &in); err != nil || seen[in.RunID] {
					t.Errorf("the run id %q came before (%v)", in.RunID, err)
				}
				seen[in.RunID] = true
			}
		}
	})
	t.Run("one that is held is asked for again", func(t *testing.T) {
		ids := []string{"run-1", "u", "u", "v"}
		mint := func(string) string { id := ids[0]; ids = ids[1:]; return id }
		sess := engine.NewSession[engine.Raw](engine.ReplayEvents(events("RS\nRF")...), "t", engine.WithIDs(mint), engine.WithMessages(user("u", "a")))
		for range sess.Send(t.Context(), "hi") {
		}
		if m := sess.Messages()[1]; m.ID != "v" {
			t.Errorf("the message's id is %q", m.ID)
		}
	})
	t.Run("no free id at all", func(t *testing.T) {
		sess := engine.NewSession[engine.Raw](engine.ReplayEvents(events("RS\nRF")...), "t",
			engine.WithIDs(func(string) string { return "u" }), engine.WithMessages(user("u", "a")))
		want := []string{"error config ~", "done failed ~"}
		if diff := cmp.Diff(want, match(linesOf(sess.Send(t.Context(), "hi")), want)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSessionOneRunAtATime(t *testing.T) {
	sess := engine.NewSession[engine.Raw](engine.ReplayEvents(richStream()...), "t")
	once := false
	for range sess.Run(t.Context()) {
		if once {
			continue
		}
		once = true
		want := []string{"error config ~ in progress", "done failed ~"}
		if diff := cmp.Diff(want, match(linesOf(sess.Send(t.Context(), "now")), want)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := sess.Add(user("u", "x")); !errors.Is(err, engine.ErrConfig) {
			t.Errorf("Add in a run: %v", err)
		}
	}
}

// A session compares what comes back with what it asked, and speaks of it in warnings only.
func TestSessionComparesIdentity(t *testing.T) {
	var warnings []string
	sess := engine.NewSession[engine.Raw](engine.ReplayEvents(events("RUN_STARTED other r9\nRUN_FINISHED other r9")...), "t", counted(),
		engine.WithWarnings(func(w engine.Warning) { warnings = append(warnings, warningLine(w)) }))
	if diff := cmp.Diff([]string{"done success"}, linesOf(sess.Run(t.Context()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{`warn RUN_STARTED /threadId ~ "other" ~ "t"`, `warn RUN_STARTED /runId ~ "r9" ~ "run-1"`}
	if diff := cmp.Diff(want, match(warnings, want)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
