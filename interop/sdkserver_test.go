package interop

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"

	"github.com/aguistream/aguistream/engine"
)

// sdkServer answers with what the SDK's writer writes. It reads the request into the SDK's type first.
func sdkServer(t *testing.T, write func(w *sse.SSEWriter, r *http.Request, to io.Writer) error) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in types.RunAgentInput
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		if err := write(sse.NewSSEWriter().WithLogger(slog.New(slog.DiscardHandler)), r, w); err != nil {
			t.Errorf("the SDK's writer: %v", err)
		}
	}))
	s.Config.ReadTimeout, s.Config.WriteTimeout = 10*time.Second, 20*time.Second
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

func TestTheTransportReadsTheGoSDKsWriter(t *testing.T) {
	bodies := []struct {
		name   string
		events []events.Event
	}{{"everything", sdkEverything()}, {"failing", sdkFailing()}}
	for _, b := range bodies {
		t.Run(b.name, func(t *testing.T) {
			url := sdkServer(t, func(w *sse.SSEWriter, r *http.Request, to io.Writer) error {
				for _, e := range b.events {
					if err := w.WriteEvent(r.Context(), to, e); err != nil {
						return err
					}
				}
				return nil
			})
			sameReading(t, func() engine.Transport { return transport(t, url) }, engine.Frames(asJSON(t, b.events)...))
		})
	}
}

// The run that the SDK writes is a good one: what it comes to is no accident of two readings being wrong alike.
func TestTheGoSDKsRunIsGood(t *testing.T) {
	for _, rules := range ruleSets {
		t.Run(rules.String(), func(t *testing.T) {
			r := read(t, engine.ReplayEvents(asJSON(t, sdkEverything())...), rules)
			for _, l := range r.Lines {
				if strings.HasPrefix(l, "error") {
					t.Error(l)
				}
			}
			if last := r.Lines[len(r.Lines)-1]; !strings.HasPrefix(last, "done interrupted") {
				t.Error(last)
			}
		})
	}
}

// Where the SDK writes what the protocol has not, the run fails and says why: WriteErrorEvent and a CUSTOM event without a
// value, both of which leave out a required member.
func TestWhatTheGoSDKWritesWrongIsTold(t *testing.T) {
	cases := []struct {
		name  string
		write func(w *sse.SSEWriter, r *http.Request, to io.Writer) error
		says  string
	}{
		{"an error event", func(w *sse.SSEWriter, r *http.Request, to io.Writer) error {
			return w.WriteErrorEvent(r.Context(), to, errors.New("boom"), "req-1")
		}, "name"},
		{"a custom event without a value", func(w *sse.SSEWriter, r *http.Request, to io.Writer) error {
			return w.WriteEvent(r.Context(), to, events.NewCustomEvent("note"))
		}, "value"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			url := sdkServer(t, func(w *sse.SSEWriter, r *http.Request, to io.Writer) error {
				if err := w.WriteEvent(r.Context(), to, events.NewRunStartedEvent("interop", "r1")); err != nil {
					return err
				}
				return c.write(w, r, to)
			})
			for _, rules := range ruleSets {
				got := read(t, transport(t, url), rules).Lines
				if len(got) != 2 || !strings.HasPrefix(got[0], "error json") || !strings.Contains(got[0], c.says) || !strings.HasPrefix(got[1], "done failed") {
					t.Errorf("%s: %q", rules, got)
				}
			}
		})
	}
}
