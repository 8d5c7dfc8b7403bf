package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

func TestRetiredThoughtKeepsItsText(t *testing.T) {
	body := engine.Frames(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"THINKING_START"}`,
		`{"type":"THINKING_TEXT_MESSAGE_START"}`,
		`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"let me "}`,
		`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"think\n"}`,
		`{"type":"THINKING_TEXT_MESSAGE_END"}`,
		`{"type":"THINKING_END"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	)
	var got []string
	handler := engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		if r, ok := u.(*engine.ReasoningUpdate); ok {
			got = append(got, r.ID+" "+r.Change.String()+" "+r.Delta+"|"+r.Text)
		}
	})
	s, err := engine.NewStream(handler, engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"thinking-1 started |",
		"thinking-1 content let me |let me ",
		"thinking-1 content think\n|let me think\n",
		"thinking-1 ended |let me think\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasoning updates (-want +got):\n%s", diff)
	}
}

// Machines are used again: what one stream counted must not show in the next.
func TestMintedThoughtsAreCountedByStream(t *testing.T) {
	body := engine.Frames(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"THINKING_START"}`,
		`{"type":"THINKING_END"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	)
	var got []string
	handler := engine.HandlerFunc(func(_ *engine.Stream, u engine.Update) {
		if r, ok := u.(*engine.ReasoningUpdate); ok && r.Change == engine.ReasoningStarted {
			got = append(got, strings.Clone(r.ID)) // it is lent
		}
	})
	var pool engine.Pool
	for range 2 {
		s, err := engine.NewStream(handler, engine.StreamOptions{Pool: &pool})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(append(body, body...)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s.Release()
	}
	want := []string{"thinking-1", "thinking-2", "thinking-1", "thinking-2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("minted ids (-want +got):\n%s", diff)
	}
}
