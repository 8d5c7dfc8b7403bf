package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// tokens is a body of n text deltas.
func tokens(n int) []byte {
	events := []string{
		`{"type":"RUN_STARTED","threadId":"","runId":""}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
	}
	for range n {
		events = append(events, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"token "}`)
	}
	return engine.Frames(append(events,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":""}`)...)
}

// eventsOf is how many events tokens(n) has.
func eventsOf(n int64) int64 { return n + 4 }

// target is an agent to load, behind a handler of the test's own if there is one.
func target(t *testing.T, opt serve.Options, n int, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	opt.Bodies = []serve.Body{{Name: "one", Runs: [][]byte{tokens(n)}}}
	a, err := serve.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler = a
	if wrap != nil {
		h = wrap(a)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		a.Stop()
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func loaded(t *testing.T, opt Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum := r.RunsDone + r.RunsCut + r.RunsNotMade; sum != r.RunsStarted {
		t.Errorf("%d runs begun, %d done + %d cut + %d not made", r.RunsStarted, r.RunsDone, r.RunsCut, r.RunsNotMade)
	}
	ends := int64(0)
	for _, n := range r.Ends {
		ends += n
	}
	if ends != r.RunsDone {
		t.Errorf("%d runs done, ends %v", r.RunsDone, r.Ends)
	}
	return r
}

func describe(r *Result) string {
	return fmt.Sprintf("%d begun, %d done, ends %v, errors %v, limits %v", r.RunsStarted, r.RunsDone, r.Ends, r.Errors, r.GeneratorLimits.text())
}
