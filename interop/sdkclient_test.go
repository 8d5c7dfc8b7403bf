package interop

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/client/sse"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/testdata/captures"
)

func quiet() *logrus.Logger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return l
}

// sdkFrames are the frames that the SDK's client finds in an answer.
func sdkFrames(t *testing.T, url string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	client := sse.NewClient(sse.Config{Endpoint: url, ConnectTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, Logger: quiet()})
	defer client.Close()
	frames, errs, err := client.Stream(sse.StreamOptions{Context: ctx, Payload: types.RunAgentInput{
		ThreadID: "interop", RunID: "r1", Messages: []types.Message{{ID: "u", Role: types.RoleUser, Content: "go"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for f := range frames {
		list = append(list, string(f.Data))
	}
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("the client hangs")
	}
	return list
}

// ourFrames are those that our own transport and framer find.
func ourFrames(t *testing.T, url string) []string {
	t.Helper()
	body, err := transport(t, url).Run(t.Context(), &engine.RunAgentInput{ThreadID: "interop", RunID: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return eventsOf(text)
}

// throughSDK is what the SDK makes of an event, written out again; what it can't decode is refused with an error. The one
// type that its decoder forgot, TOOL_CALL_CHUNK, it hands out raw, as it came.
func throughSDK(data string) (again string, raw bool, err error) {
	var head struct{ Type string }
	if err := json.Unmarshal([]byte(data), &head); err != nil {
		return "", false, err
	}
	e, err := events.NewEventDecoder(quiet()).DecodeEvent(head.Type, []byte(data))
	if err != nil {
		return "", false, err
	}
	if r, ok := e.(*events.RawEvent); ok && head.Type != "RAW" {
		text, err := json.Marshal(r.Event)
		return string(text), true, err
	}
	text, err := e.ToJSON()
	return string(text), false, err
}

// Every event that serve sends reaches who uses the SDK's client: whole, in order, and decoded but for the types that the
// SDK lacks and for results in parts, which are newer than it.
func TestTheGoSDKReadsEveryEventThatServeSends(t *testing.T) {
	bodies := []serve.Body{
		{Name: "everything", Runs: [][]byte{frames(everything)}}, {Name: "failing", Runs: [][]byte{frames(failing)}},
		{Name: "sdk-everything", Runs: [][]byte{engine.Frames(asJSON(t, sdkEverything())...)}},
	}
	for _, name := range captures.Names() {
		bodies = append(bodies, serve.Body{Name: name, Runs: [][]byte{captures.Body(name)}})
	}
	url := served(t, bodies...)
	seen, raw, refused := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, b := range bodies {
		t.Run(b.Name, func(t *testing.T) {
			got := sdkFrames(t, url+b.Name)
			if diff := cmp.Diff(ourFrames(t, url+b.Name), got); diff != "" {
				t.Errorf("frames (-ours +the SDK's):\n%s", diff)
			}
			for _, data := range got {
				var ev decode.Event
				if err := ev.Decode([]byte(data), 0); err != nil {
					t.Fatal(err)
				}
				seen[ev.Type.String()] = true
				_, isRaw, err := throughSDK(data)
				switch {
				case err != nil:
					refused[ev.Type.String()] = true
					if parts := ev.Type == decode.ToolCallResult && ev.Kind(decode.FieldContent) == decode.Array; !parts && !unknownToSDK[ev.Type] {
						t.Errorf("%s: %v", data, err)
					}
				case isRaw:
					raw[ev.Type.String()] = true
				}
			}
		})
	}
	if len(seen) != int(decode.NumTypes)-1 {
		t.Errorf("%d types were sent, want all and the retired ones", len(seen))
	}
	if diff := cmp.Diff([]string{"TOOL_CALL_CHUNK"}, names(raw)); diff != "" {
		t.Errorf("handed out raw (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"SUBAGENT_ERROR", "SUBAGENT_FINISHED", "SUBAGENT_STARTED", "TOOL_CALL_RESULT"}, names(refused)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func names(set map[string]bool) []string {
	var list []string
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// The SDK has no stores of its own. What its client reads of serve, decoded and written out again by the SDK, comes to the
// same updates, messages, reasoning and state as what a Session reads itself: for all bodies whose members the SDK knows.
// (It knows no token usage.)
func TestWhatTheGoSDKReadsComesToTheSame(t *testing.T) {
	bodies := []serve.Body{{Name: "sdk-everything", Runs: [][]byte{engine.Frames(asJSON(t, sdkEverything())...)}}, {Name: "failing", Runs: [][]byte{frames(failing)}}}
	for _, name := range captures.Names() {
		if !beyondSDK[name] {
			bodies = append(bodies, serve.Body{Name: name, Runs: [][]byte{captures.Body(name)}})
		}
	}
	url := served(t, bodies...)
	for _, b := range bodies {
		var again []string
		for _, data := range sdkFrames(t, url+b.Name) {
			text, _, err := throughSDK(data)
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, text)
		}
		for _, rules := range ruleSets {
			t.Run(b.Name+"/"+rules.String(), func(t *testing.T) {
				want := read(t, transport(t, url+b.Name), rules)
				got := read(t, engine.ReplayEvents(again...), rules)
				want.Usage, got.Usage = nil, nil
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-a Session's +through the SDK):\n%s", diff)
				}
			})
		}
	}
}

// beyondSDK are the captures with something that the SDK loses: of them the frames alone are compared.
var beyondSDK = map[string]bool{
	"cpk-state": true, // a null as a patch operation's value
	"ts-rich":   true, // subagents, metadata, owners, results in parts
}
