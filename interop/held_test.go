package interop

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/engine"
)

// held is what a client has after a run, in a form that two clients have in common.
type held struct {
	Messages   []map[string]any `json:"messages"` // reasoning among them
	State      any              `json:"state"`
	Interrupts []any            `json:"interrupts"`
}

// oneLine takes the line ends out of events that are written over several.
func oneLine(events []string) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = strings.NewReplacer("\n", "", "\t", "").Replace(e)
	}
	return list
}

func frames(events []string) []byte { return engine.Frames(oneLine(events)...) }

// served is the address of what aguibench serve answers with; no bodies: the captures.
func served(t *testing.T, bodies ...serve.Body) string {
	t.Helper()
	agent, err := serve.New(serve.Options{Bodies: bodies})
	if err != nil {
		t.Fatal(err)
	}
	s, err := serve.Listen(t.Context(), "127.0.0.1:0", agent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(time.Second) })
	return s.URL()
}

// transport has limits within which a test that hangs says so by itself.
func transport(t *testing.T, url string) *engine.HTTPTransport {
	tr := engine.HTTP(url, engine.WithHTTPLimits(engine.HTTPLimits{
		Dial: 5 * time.Second, Header: 10 * time.Second, Idle: 10 * time.Second,
	}))
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// sessionHolds reads what a Session has.
func sessionHolds(t *testing.T, s *engine.Session[engine.Raw]) held {
	t.Helper()
	var v struct {
		held
		Conversation []map[string]any `json:"conversation"`
	}
	if err := json.Unmarshal(s.View().AppendJSON(nil), &v); err != nil {
		t.Fatal(err)
	}
	return held{v.Conversation, v.State, v.Interrupts}
}

// same compares the official client's with ours. Known differences (testdata/captures comes with the same): a result is
// appended here and inserted behind its call there, so tool messages are left out of the order; minted ids of retired
// thoughts are counted here and random there; numbers are compared as doubles, which is how they are read there; empty
// members are as good as absent.
func same(t *testing.T, official, ours held) {
	t.Helper()
	nameThoughts(official.Messages, ours.Messages)
	if diff := cmp.Diff(byID(official.Messages), byID(ours.Messages)); diff != "" {
		t.Errorf("messages (-official +ours):\n%s", diff)
	}
	if diff := cmp.Diff(order(official.Messages), order(ours.Messages)); diff != "" {
		t.Errorf("order (-official +ours):\n%s", diff)
	}
	if diff := cmp.Diff(official.State, ours.State); diff != "" {
		t.Errorf("state (-official +ours):\n%s", diff)
	}
	if len(official.Interrupts)+len(ours.Interrupts) == 0 {
		return
	}
	if diff := cmp.Diff(official.Interrupts, ours.Interrupts); diff != "" {
		t.Errorf("interrupts (-official +ours):\n%s", diff)
	}
}

func nameThoughts(official, ours []map[string]any) {
	known := map[any]bool{}
	for _, m := range ours {
		known[m["id"]] = true
	}
	var minted []any
	for _, m := range official {
		if m["role"] == "reasoning" && !known[m["id"]] {
			minted = append(minted, m["id"])
		}
	}
	for _, m := range ours {
		if id, _ := m["id"].(string); strings.HasPrefix(id, "thinking-") && len(minted) > 0 {
			m["id"], minted = minted[0], minted[1:]
		}
	}
}

func byID(messages []map[string]any) map[any]map[string]any {
	list := map[any]map[string]any{}
	for _, m := range messages {
		kept := map[string]any{}
		for name, v := range m {
			if !isEmpty(v) {
				kept[name] = v
			}
		}
		list[m["id"]] = kept
	}
	return list
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func order(messages []map[string]any) []any {
	var ids []any
	for _, m := range messages {
		if m["role"] != "tool" {
			ids = append(ids, m["id"])
		}
	}
	return ids
}
