package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// A payload of too many values is refused by its limit before anything is made of it.
func TestPayloadOfTooManyValues(t *testing.T) {
	usage := "[" + strings.TrimSuffix(strings.Repeat("{},", 600_000), ",") + "]"
	body := engine.Frames(runStarted, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":`+usage+`}`)
	s, err := engine.NewStream(engine.HandlerFunc(func(*engine.Stream, engine.Update) {}), engine.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Write(body)
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.KindDecode || !strings.Contains(e.Reason, "1048576") {
		t.Errorf("got %v", err)
	}
}

// An option that is nil is none.
func TestNilOptions(t *testing.T) {
	s := engine.NewSession[engine.Raw](engine.ReplayEvents(runStarted, runFinished), "t", nil, engine.WithMessages())
	for u := range s.Run(t.Context(), nil) {
		if d, ok := u.(*engine.Done); ok && d.End.Kind != engine.Success {
			t.Error(d.End)
		}
	}
	if engine.HTTP("http://127.0.0.1:1/", nil) == nil {
		t.Error("no transport")
	}
}
