package engine_test

import (
	"testing"

	"github.com/aguistream/aguistream/engine"
)

func TestErrorNamesAPlaceItHas(t *testing.T) {
	for _, c := range []struct {
		name string
		err  engine.Error
		want string
	}{
		{"made by a caller", engine.Error{Kind: engine.KindHTTP, Reason: "no"}, "HTTP error: no"},
		{"place unknown", engine.Error{Kind: engine.KindTransport, Offset: -1, Reason: "no"}, "transport error: no"},
		{"the first event", engine.Error{Kind: engine.KindJSON, Event: 1, EventType: "RAW", Reason: "no"}, "JSON error: no (event 1, RAW, byte 0)"},
		{"the first event, typeless", engine.Error{Kind: engine.KindJSON, Event: 1, Reason: "no"}, "JSON error: no (event 1, byte 0)"},
		{"between events", engine.Error{Kind: engine.KindTransport, Offset: 7, Reason: "no"}, "transport error: no (byte 7)"},
		{"an event without a byte", engine.Error{Kind: engine.KindJSON, Event: 3, Offset: -1, Reason: "no"}, "JSON error: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.err.Error(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
