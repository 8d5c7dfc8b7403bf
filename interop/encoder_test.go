package interop

import (
	"strings"
	"testing"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

// named fills in the ids that a server takes from the request.
func named(events []string) []string {
	list := oneLine(events)
	for i := range list {
		list[i] = strings.Replace(list[i], `"threadId":"","runId":""`, `"threadId":"interop","runId":"r1"`, 1)
	}
	return list
}

// eventsOf are the events of a body.
func eventsOf(body []byte) []string {
	var list []string
	var f decode.Framer
	f.Feed(body)
	for frame, ok := f.Next(); ok; frame, ok = f.Next() {
		list = append(list, string(frame.Data))
	}
	return list
}

// A server made with @ag-ui/encoder (node/agent.mjs) writes what each request tells it to. It refuses requests that the
// official schema has anything against.
func TestTheTransportReadsTheTypeScriptEncoder(t *testing.T) {
	node(t)
	bodies := map[string][]string{"everything": named(everything), "afterwards": named(afterwards), "failing": named(failing)}
	for _, name := range captures.Names() {
		bodies[name] = eventsOf(captures.Body(name))
	}
	for name, events := range bodies {
		t.Run(name, func(t *testing.T) {
			// As text within the JSON: halves of surrogates, which no request may have, get there unharmed.
			props := append([]byte(`{"events":`), decode.AppendQuotedString(nil, "["+strings.Join(events, ",")+"]")...)
			sameReading(t, func() engine.Transport { return transport(t, node(t)+"/play") }, engine.Frames(events...),
				engine.WithForwardedProps(append(props, '}')))
		})
	}
}
