package engine_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// Every wire event is counted once, and warnings with or without a hook.
func TestCounts(t *testing.T) {
	body := engine.Frames(events(`RS
		CUSTOM x 1 extra=1
		ACTIVITY_DELTA nobody plan []
		TEXT_MESSAGE_CHUNK messageId=m delta="a"
		{"type":"NEW_THING"}
		STATE_DELTA [{"op":"remove","path":"/gone"}]
		RUN_FINISHED t other
		RUN_STARTED t r2
		TEXT_MESSAGE_END m`)...)
	for _, hook := range []func(engine.Warning){nil, func(engine.Warning) {}} {
		s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{Rules: engine.Spec, Warn: hook})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Write(body)
		_ = s.Close()
		// Applied: two RUN_STARTED, CUSTOM, the chunk, RUN_FINISHED. Updates: three of the chunk, the patch's Error, Done,
		// and the violation's Error and Done.
		got := viewOf(s).Counts()
		want := engine.Counts{Events: 9, Applied: 5, Skipped: 3, Failed: 1, Updates: 7, Warnings: 4, Errors: got.Errors}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with a hook %v (-want +got):\n%s", hook != nil, diff)
		}
		if diff := cmp.Diff(map[engine.ErrorKind]int64{engine.KindPatch: 1, engine.KindProtocol: 1}, maps.Collect(got.Errors.All())); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
	}
}

// An update counts where it was handed on: a state that doesn't decode into the caller's type is an Error and no State
// update, and nothing is handed to a loop that was broken.
func TestSessionCountsWhatItDelivered(t *testing.T) {
	body := engine.ReplayEvents(events("RS\nSTATE_SNAPSHOT {\"n\":\"x\"}\nSTATE_SNAPSHOT {\"n\":1}\nRF")...)
	for _, c := range []struct {
		name string
		stop int64
		want int64
	}{{"to its end", 9, 3}, {"broken at the first", 1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			sess := engine.NewSession[struct{ N int }](body, "t", counted())
			seen := int64(0)
			for range sess.Run(t.Context()) {
				if seen++; seen == c.stop {
					break
				}
			}
			if got := sess.View().Counts().Updates; got != c.want || seen != c.want {
				t.Errorf("%d counted, %d seen, want %d", got, seen, c.want)
			}
		})
	}
}

func TestTally(t *testing.T) {
	s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Write(engine.Frames(events("RS\nRS\nRS\nSTATE_DELTA [{\"op\":\"remove\",\"path\":\"/gone\"}]")...))
	errs := viewOf(s).Counts().Errors
	if errs.Total() != 3 || errs.Of(engine.KindProtocol) != 2 || errs.Of(engine.KindHTTP) != 0 || errs.Of(200) != 0 {
		t.Errorf("errors %v", errs)
	}
	text, err := json.Marshal(errs)
	if want := `{"protocol":2,"patch":1}`; err != nil || string(text) != want {
		t.Errorf("JSON %s, %v; want %s", text, err, want)
	}
	if errs.Equal(engine.Tally[engine.ErrorKind]{}) {
		t.Error("equal to none")
	}
	for k := engine.KindProtocol; k.String() != "unknown"; k++ {
		_ = errs.Of(k) // every kind that there is has its place
	}
}
