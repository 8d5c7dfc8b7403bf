package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// seeded are messages of every role, with every kind of part and source, and all optional members of protocol 1.0.
const seeded = `[
	{"id":"dev","role":"developer","name":"ops","content":"be exact","encryptedValue":"MQ==","metadata":{"k":null},"subagentRunId":"sub-0"},
	{"id":"sys","role":"system","content":""},
	{"id":"user","role":"user","name":"ann","content":[{"type":"text","id":"p0","text":"see","metadata":{"n":1}},{"type":"image","source":{"type":"url","value":"https://example.com/a.png"}},
		{"type":"audio","source":{"type":"data","value":"AAAA","mimeType":"audio/wav"}},{"type":"video","source":{"type":"url","value":"https://example.com/v","mimeType":"video/mp4"}},
		{"type":"document","source":{"type":"file","value":"file-1","provider":"acme","mimeType":"text/plain"}}]},
	{"id":"empty","role":"user","content":[]},
	{"id":"asst","role":"assistant","content":"let me","toolCalls":[{"id":"c-0","type":"function","function":{"name":"look","arguments":"{\"a\":\"\u2028\"}"},"encryptedValue":"Mg==","metadata":{"m":[1]}}]},
	{"id":"bare","role":"assistant"},
	{"id":"tool","role":"tool","toolCallId":"c-0","content":[{"type":"text","text":"seen"}],"error":"dark","encryptedValue":"Mw=="},
	{"id":"act","role":"activity","activityType":"PLAN","content":{"never":"sent"}},
	{"id":"think","role":"reasoning","content":"hm","encryptedValue":"NA=="}]`

// asking is a run that calls the application's own tool, encrypts, and asks.
func asking(encrypted string) []string {
	return []string{
		`{"type":"RUN_STARTED","threadId":"","runId":""}`,
		`{"type":"REASONING_MESSAGE_CHUNK","messageId":"th","delta":"hm"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"th",` + encrypted + `}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,null,"é"],"b":{"c":0.5}}}`,
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c-1","toolCallName":"mine","delta":"{}"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c-1",` + encrypted + `}`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"act-2","activityType":"PLAN","content":{}}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"interrupt","interrupts":[{"id":"i-1","reason":"tool_call"},{"id":"i-2","reason":"input_required"}]}}`,
	}
}

// requests are what a Session sends: the first request of a seeded thread, and the one that answers a call and interrupts.
func requests(t *testing.T, encrypted string) [][]byte {
	t.Helper()
	list, err := new(state.Enforcer).Messages([]byte(strings.NewReplacer("\n", "", "\t", "").Replace(seeded)), "")
	if err != nil {
		t.Fatal(err)
	}
	replay := engine.ReplayBytes(engine.Frames(named(asking(encrypted))...), engine.Frames(
		`{"type":"RUN_STARTED","threadId":"interop","runId":"r2"}`, `{"type":"RUN_FINISHED","threadId":"interop","runId":"r2"}`))
	s := engine.NewSession[engine.Raw](replay, "interop",
		engine.WithMessages(list...), engine.WithState(engine.JSON(`[1,{"x":"y"}]`)),
		engine.WithTools(
			engine.Tool{Name: "mine", Description: "of the application", Parameters: engine.JSON(`{"type":"object","properties":{}}`), Metadata: engine.JSON(`{"ui":true}`)},
			engine.Tool{Name: "plain"}),
		engine.WithContext(engine.Context{Description: "zone", Value: "UTC"}, engine.Context{}),
		engine.WithForwardedProps(engine.JSON(`{"temperature":0.1,"stop":["<x>"]}`)))
	first := run(t, func(ctx context.Context) iter.Seq[engine.Update] {
		return s.SendMessage(ctx, engine.PartsMessage("new", engine.Part{Type: "text", Text: "and?"}), engine.WithRunID("r1"), engine.WithParentRunID("r0"))
	})
	if err := s.Add(engine.ToolMessage("answer", "c-1", "done")); err != nil {
		t.Fatal(err)
	}
	second := run(t, func(ctx context.Context) iter.Seq[engine.Update] {
		return s.ResumeMany(ctx, []engine.ResumeEntry{
			{InterruptID: "i-1", Status: engine.ResumeResolved, Payload: engine.JSON(`[null,{"ok":true}]`), Metadata: engine.JSON(`{"by":"ann"}`)},
			{InterruptID: "i-2", Status: engine.ResumeCancelled},
		}, engine.WithRunID("r2"))
	})
	if first.errors != nil || second.errors != nil || len(replay.Requests) != 2 {
		t.Fatalf("errors %q, %q, %d requests", first.errors, second.errors, len(replay.Requests))
	}
	for _, has := range []string{`"encryptedValue":"ZW5j"`, `"resume":[`, `"role":"reasoning"`, `"protocolVersion":"1.1"`, `"subagentRunId"`, `"provider"`} {
		if !bytes.Contains(replay.Requests[1], []byte(has)) {
			t.Errorf("the request has no %s", has)
		}
	}
	return replay.Requests
}

type verdict struct {
	Issues []string `json:"issues"`
}

func TestTheOfficialSchemaTakesOurRequests(t *testing.T) {
	node(t)
	for _, request := range requests(t, `"encryptedValue":"ZW5j"`) {
		var v verdict
		call(t, "/judge", request, &v)
		if len(v.Issues) > 0 {
			t.Errorf("%q about %s", v.Issues, request)
		}
	}
}

// What 1.1 added to requests has a server of 1.0 warn, and nothing else.
func TestTheOfficialSchemaKnowsNoTypesOfEncryptedValues(t *testing.T) {
	node(t)
	var v verdict
	call(t, "/judge", requests(t, `"encryptedValue":"ZW5j","encryptedValueType":"acme"`)[1], &v)
	stripped := 0
	for _, issue := range v.Issues {
		if strings.Contains(issue, "/encryptedValueType' ") {
			stripped++
		}
	}
	if stripped != 2 || len(v.Issues) != stripped+1 { // the last says that what is left isn't what was sent
		t.Errorf("%q", v.Issues)
	}
}

// A test that never finds anything proves nothing.
func TestTheOfficialSchemaFindsFaults(t *testing.T) {
	node(t)
	cases := map[string]string{
		"a member missing":  `{"threadId":"t","messages":[]}`,
		"a role of nobody":  `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"nobody","content":""}]}`,
		"an unknown member": `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"","mood":"fine"}]}`,
		"a null":            `{"threadId":"t","runId":"r","messages":[],"forwardedProps":null}`,
	}
	for name, request := range cases {
		var v verdict
		call(t, "/judge", []byte(request), &v)
		if len(v.Issues) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

// lostBySDK are the members of our requests that the SDK's types, older than they, don't have.
var lostBySDK = []string{"encryptedValue (toolCalls)", "metadata (messages)", "metadata (resume)", "metadata (toolCalls)", "metadata (tools)", "protocolVersion ()", "subagentRunId (messages)"}

// The SDK's types take our requests, and hold what they have members for.
func TestTheGoSDKsTypesTakeOurRequests(t *testing.T) {
	lost := map[string]bool{}
	for _, request := range requests(t, `"encryptedValue":"ZW5j"`) {
		var in types.RunAgentInput
		if err := json.Unmarshal(request, &in); err != nil {
			t.Fatal(err)
		}
		for _, m := range in.Messages {
			err := events.NewMessagesSnapshotEvent([]types.Message{m}).Validate()
			if _, text := m.Content.(string); err != nil && (m.Role != types.RoleTool || text) { // it has no results in parts
				t.Errorf("%s: %v", m.ID, err)
			}
		}
		again, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var sent, kept any
		if json.Unmarshal(request, &sent) != nil || json.Unmarshal(again, &kept) != nil {
			t.Fatal("no JSON")
		}
		compare(t, lost, "", "", sent, kept)
	}
	if diff := cmp.Diff(lostBySDK, names(lost)); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}

// compare collects members that were sent and not kept, and fails for values that changed. An empty member is as good as
// absent, since the SDK leaves those out.
func compare(t *testing.T, lost map[string]bool, path, list string, sent, kept any) {
	t.Helper()
	switch sent := sent.(type) {
	case map[string]any:
		kept, ok := kept.(map[string]any)
		if !ok {
			t.Errorf("%s is %v", path, kept)
		}
		for name, v := range sent {
			if k, ok := kept[name]; ok {
				compare(t, lost, path+"/"+name, name, v, k)
			} else if !isEmpty(v) {
				lost[name+" ("+list+")"] = true
			}
		}
	case []any:
		kept, ok := kept.([]any)
		if !ok || len(kept) != len(sent) {
			t.Errorf("%s is %v, sent was %v", path, kept, sent)
			return
		}
		for i := range sent {
			compare(t, lost, path, list, sent[i], kept[i])
		}
	default:
		if sent != kept {
			t.Errorf("%s is %v, sent was %v", path, kept, sent)
		}
	}
}

// The official client and a Session that came through the same run ask for the next one alike: same messages, state and
// answers. The order of results differs as it does in what they hold.
func TestBothClientsSendTheSame(t *testing.T) {
	node(t)
	agent, err := serve.New(serve.Options{Bodies: []serve.Body{{Name: "everything", Runs: [][]byte{frames(everything), frames(afterwards)}}}})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got [][]byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		got = append(got, body)
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		agent.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	askOfficial(t, question{
		URL: s.URL, ThreadID: "interop", Messages: json.RawMessage(`[{"id":"u","role":"user","content":"go"}]`), State: json.RawMessage(`{}`),
		Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`), json.RawMessage(`{"runId":"r2","resume":` + resumeBoth + `}`)},
	})
	session := engine.NewSession[engine.Raw](transport(t, s.URL), "interop", engine.WithMessages(engine.UserMessage("u", "go")))
	run(t, func(ctx context.Context) iter.Seq[engine.Update] { return session.Run(ctx, engine.WithRunID("r1")) })
	run(t, func(ctx context.Context) iter.Seq[engine.Update] {
		return session.ResumeMany(ctx, resumeEntries(), engine.WithRunID("r2"))
	})
	if len(got) != 4 {
		t.Fatalf("%d requests", len(got))
	}
	for i, which := range []string{"first", "second"} {
		official, ours := asked(t, got[i]), asked(t, got[i+2])
		if diff := cmp.Diff(official, ours); diff != "" {
			t.Errorf("the %s request (-official +ours):\n%s", which, diff)
		}
	}
}

// asked is a request without what may differ: the version, empty members, where results stand.
func asked(t *testing.T, request []byte) map[string]any {
	t.Helper()
	in := map[string]any{}
	if err := json.Unmarshal(request, &in); err != nil {
		t.Fatal(err)
	}
	var messages []map[string]any
	for _, m := range in["messages"].([]any) {
		messages = append(messages, m.(map[string]any))
	}
	in["messages"], in["order"] = byID(messages), order(messages)
	delete(in, "protocolVersion")
	for name, v := range in {
		if isEmpty(v) {
			delete(in, name)
		}
	}
	return in
}

// What a client of the SDK sends, nulls for absent lists among it, is a request to serve (TestTheGoSDKReads... reads the
// answers). The list of messages is required, so a null for it is refused.
func TestServeTakesTheGoSDKsRequests(t *testing.T) {
	url := served(t)
	cases := []struct {
		name     string
		messages []types.Message
		status   int
	}{
		{"no lists but messages", []types.Message{}, http.StatusOK},
		{"every role", sdkMessages(), http.StatusOK},
		{"null for messages", nil, http.StatusBadRequest},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text, err := json.Marshal(types.RunAgentInput{ThreadID: "t", RunID: "r", Messages: c.messages})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte(`"tools":null`)) {
				t.Errorf("the SDK sends %s", text)
			}
			res, err := http.Post(url, "application/json", bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != c.status {
				t.Errorf("%d %.200s", res.StatusCode, body)
			}
		})
	}
}
