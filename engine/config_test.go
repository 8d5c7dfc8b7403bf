package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

func ignoring() engine.Handler { return engine.HandlerFunc(func(*engine.Stream, engine.Update) {}) }

// What can't be used is told by an error of its kind, by whoever is given it.
func TestMisuseIsAConfigError(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 1, Handler: ignoring()})
	input := &engine.RunAgentInput{ThreadID: "t", RunID: "r"}
	seeded := func(m *engine.Message) engine.StreamOptions {
		return engine.StreamOptions{Messages: []*engine.Message{{ID: "a", Role: state.RoleUser}, m}}
	}
	bad := map[string]*engine.Message{
		"nil": nil, "without a role": {ID: "m"}, "of no role": {ID: "m", Role: 200}, "without an id": {Role: state.RoleUser},
		"with a nil call": {ID: "m", Role: state.RoleAssistant, ToolCalls: []*engine.ToolCall{nil}},
		"of a held id":    {ID: "a", Role: state.RoleUser},
	}
	tests := map[string]func() error{
		"New without a handler":         func() error { _, err := engine.New(engine.Config{}); return err },
		"New with a nil function":       func() error { _, err := engine.New(engine.Config{Handler: engine.HandlerFunc(nil)}); return err },
		"NewStream without a handler":   func() error { _, err := engine.NewStream(nil, engine.StreamOptions{}); return err },
		"NewStream with a nil function": func() error { _, err := engine.NewStream(engine.HandlerFunc(nil), engine.StreamOptions{}); return err },
		"Run without a transport":       func() error { return eng.Run(t.Context(), nil, input, engine.StreamOptions{}) },
		"Session without a transport": func() error {
			return firstError(engine.NewSession[engine.Raw](nil, "t").Send(t.Context(), "hello"))
		},
		"Session.Add nil": func() error { return engine.NewSession[engine.Raw](engine.ReplayEvents(), "t").Add(nil) },
		"Session.SendMessage nil": func() error {
			return firstError(engine.NewSession[engine.Raw](engine.ReplayEvents(), "t").SendMessage(t.Context(), nil))
		},
	}
	for name, m := range bad {
		tests["NewStream, a message "+name] = func() error { _, err := engine.NewStream(ignoring(), seeded(m)); return err }
		tests["Open, a message "+name] = func() error { _, err := eng.Open("t", seeded(m)); return err }
		tests["Run, a message "+name] = func() error { return eng.Run(t.Context(), engine.ReplayEvents(), input, seeded(m)) }
		tests["Session, a message "+name] = func() error {
			return firstError(engine.NewSession[engine.Raw](engine.ReplayEvents(), "t", engine.WithMessages(seeded(m).Messages...)).Run(t.Context()))
		}
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("panic: %v", v)
				}
			}()
			if err := f(); !errors.Is(err, engine.ErrConfig) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func firstError(run func(func(engine.Update) bool)) (err error) {
	for u := range run {
		if e, ok := u.(*engine.ErrorUpdate); ok && err == nil {
			err = e.Err
		}
	}
	return err
}

// An *Error of a kind that there isn't, or none at all, is a transport's failure like any other.
func TestATransportsOddErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		kind engine.ErrorKind
		text string
	}{
		{"of a known kind", &engine.Error{Kind: engine.KindHTTP, Status: 503, Reason: "busy"}, engine.KindHTTP, "HTTP 503: busy"},
		{"of no kind", &engine.Error{Reason: "odd"}, engine.KindTransport, "transport error: odd"},
		{"of an unknown kind", &engine.Error{Kind: 77, Reason: "odd"}, engine.KindTransport, "transport error: odd"},
		{"wrapped", fmt.Errorf("w: %w", &engine.Error{Kind: 77, Reason: "odd"}), engine.KindTransport, "transport error: w: odd"},
		{"a nil *Error", (*engine.Error)(nil), engine.KindTransport, "transport error: unexpected EOF"},
		{"neither body nor error", nil, engine.KindTransport, "transport error: the transport gave neither a body nor an error"},
	}
	for _, c := range tests {
		tr := transportFunc(func(context.Context, *engine.RunAgentInput) (io.ReadCloser, error) { return nil, c.err })
		check := func(t *testing.T, got error) {
			t.Helper()
			var e *engine.Error
			if !errors.As(got, &e) || e.Kind != c.kind || e.Error() != c.text {
				t.Errorf("error %v", got)
			}
		}
		t.Run(c.name+"/Session", func(t *testing.T) {
			check(t, firstError(engine.NewSession[engine.Raw](tr, "t").Run(t.Context())))
		})
		t.Run(c.name+"/Run", func(t *testing.T) {
			eng := startEngine(t, engine.Config{Shards: 1, Handler: ignoring()})
			check(t, eng.Run(t.Context(), tr, &engine.RunAgentInput{ThreadID: "t", RunID: "r"}, engine.StreamOptions{}))
		})
		if c.err == nil {
			continue
		}
		t.Run(c.name+"/CloseWithError", func(t *testing.T) {
			s, err := engine.NewStream(ignoring(), engine.StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.CloseWithError(c.err); err != nil {
				t.Error(err)
			}
			check(t, s.Err())
		})
	}
}

// Seeds are copied before Open returns: the stream's stores are made of them only when its first bytes come.
func TestOpenCopiesItsSeeds(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 1, Handler: ignoring()})
	msg := &engine.Message{ID: "a", Role: state.RoleUser}
	msg.SetText("as it was")
	list, text := []*engine.Message{msg}, engine.JSON(`{"a":1}`)
	s := open(t, eng, "t", engine.StreamOptions{Messages: list, State: text})
	msg.ID, msg.Role = "", 0
	msg.SetText("changed")
	list[0] = nil
	copy(text, "not JSON")
	err := s.View(t.Context(), func(v engine.View) {
		got := v.Message("a")
		if got == nil || got.Text() != "as it was" || got.Role != state.RoleUser {
			t.Errorf("message %v", got)
		}
		if diff := cmp.Diff(`{"a":1}`, string(v.State().AppendJSON(nil))); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	})
	if err != nil {
		t.Error(err)
	}
	_ = s.Close()
}

// A run is made by the first loop over its updates; another one sends nothing.
func TestASecondLoopIsRefused(t *testing.T) {
	body := engine.ReplayEvents(events("RS\nRF")...)
	sess := engine.NewSession[engine.Raw](body, "t", counted())
	for name, run := range map[string]func(func(engine.Update) bool){
		"Run": sess.Run(t.Context()), "Send": sess.Send(t.Context(), "hello"),
		"SendMessage": sess.SendMessage(t.Context(), &engine.Message{Role: state.RoleUser}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := firstError(run); err != nil {
				t.Fatal(err)
			}
			asked, held := len(body.Requests), len(sess.Messages())
			var got []string
			for u := range run {
				got = append(got, line(u))
			}
			want := []string{"error config: config error: the updates of one run were looped over twice", "done failed: ~"}
			if diff := cmp.Diff(want, match(got, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(body.Requests) != asked || len(sess.Messages()) != held {
				t.Error("it was sent again")
			}
		})
	}
}
