package engine_test

import (
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
		want := engine.Counts{Events: 9, Applied: 5, Skipped: 3, Failed: 1, Updates: 7, Warnings: 4}
		want.Errors[engine.KindPatch], want.Errors[engine.KindProtocol] = 1, 1
		if diff := cmp.Diff(want, s.Local().Counts()); diff != "" {
			t.Errorf("with a hook %v (-want +got):\n%s", hook != nil, diff)
		}
	}
}
