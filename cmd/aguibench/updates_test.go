package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// call runs the command line in this process.
func call(t *testing.T, stdin string, args ...string) (status int, out, diagnostics string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = dispatch(args, streams{strings.NewReader(stdin), &stdout, &stderr})
	return status, stdout.String(), stderr.String()
}

// Texts of errors and warnings are the engine's to choose: of them only the kind, which begins them, is held here.
var (
	errorText   = regexp.MustCompile(`"message":"((?:protocol violation|state patch failed|JSON error|SSE decode error|transport error): )(?:[^"\\]|\\.)*"`)
	warningText = regexp.MustCompile(`"warning":"(?:[^"\\]|\\.)+"`)
)

func scrub(out string) []string {
	out = errorText.ReplaceAllString(out, `"message":"$1..."`)
	out = warningText.ReplaceAllString(out, `"warning":"..."`)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const (
	runBegins = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runEnds   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	done      = `{"update":"done","end":"success"}`
	nothing   = `{"snapshot":{"threadId":"","runId":"","messages":[],"reasoning":[],"conversation":[],"state":{},"interrupts":[],"subagents":[]}}`
)

// ofRun is an event stream of one run.
func ofRun(events ...string) string {
	return sse(append(append([]string{runBegins}, events...), runEnds)...)
}

var updatesCases = []struct {
	name string
	args []string
	in   string
	want []string
}{
	{"text", nil, ofRun(
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"<é> & \"\n"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	), []string{
		`{"update":"message","index":0,"id":"m","change":"started"}`,
		`{"update":"message","index":0,"id":"m","change":"content","delta":"<é> & \"\n"}`,
		`{"update":"message","index":0,"id":"m","change":"ended"}`,
		done,
	}},
	{"full messages", []string{"--full"}, ofRun(
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"hi"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	), []string{
		`{"update":"message","index":0,"id":"m","change":"started","message":{"id":"m","role":"assistant","content":""}}`,
		`{"update":"message","index":0,"id":"m","change":"content","delta":"hi","message":{"id":"m","role":"assistant","content":"hi"}}`,
		`{"update":"message","index":0,"id":"m","change":"ended","message":{"id":"m","role":"assistant","content":"hi"}}`,
		done,
	}},
	{"calls", nil, ofRun(
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"res","toolCallId":"c","content":"42"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"x"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"res","encryptedValue":"y"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"g"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"d"}`,
	), []string{
		`{"update":"message","index":0,"id":"c","change":"toolCallStarted","toolCallId":"c","name":"f"}`,
		`{"update":"message","index":0,"id":"c","change":"toolCallArgs","delta":"{}","toolCallId":"c"}`,
		`{"update":"message","index":0,"id":"c","change":"toolCallEnded","toolCallId":"c"}`,
		`{"update":"message","index":1,"id":"res","change":"toolResult","toolCallId":"c"}`,
		`{"update":"message","index":0,"id":"c","change":"encryptedValue","toolCallId":"c"}`,
		`{"update":"message","index":1,"id":"res","change":"encryptedValue"}`,
		`{"update":"message","index":2,"id":"d","change":"toolCallStarted","toolCallId":"d","name":"g"}`,
		`{"update":"message","index":2,"id":"d","change":"toolCallEnded","toolCallId":"d"}`,
		`{"update":"done","end":"success","pendingToolCallIds":["d"]}`,
	}},
	{"state, activities and snapshots", nil, ofRun(
		`{"type":"STATE_SNAPSHOT","snapshot":null}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"n":1.0}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/big","value":9007199254740993}]}`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"plan","content":{}}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"q"},{"id":"t","role":"reasoning","content":"hm"}]}`,
	), []string{
		`{"update":"state","state":null}`,
		`{"update":"state","state":{"n":1.0}}`,
		`{"update":"state","state":{"n":1.0,"big":9007199254740993}}`,
		`{"update":"message","index":0,"id":"a","change":"activity"}`,
		`{"update":"messages","count":2}`,
		done,
	}},
	{"reasoning", nil, ofRun(
		`{"type":"REASONING_START","messageId":"r"}`,
		`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"hm"}`,
		`{"type":"REASONING_MESSAGE_END","messageId":"r"}`,
		`{"type":"REASONING_END","messageId":"r"}`,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"x"}`,
	), []string{
		`{"update":"reasoning","id":"r","change":"started","text":""}`,
		`{"update":"reasoning","id":"r","change":"content","delta":"hm","text":"hm"}`,
		`{"update":"reasoning","id":"r","change":"ended","text":"hm"}`,
		`{"update":"reasoning","id":"r","change":"encryptedValue","text":"hm"}`,
		done,
	}},
	{"subagents", []string{"--full"}, ofRun(
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"scout","description":"looks"}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","result":[1]}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"b","name":"bad"}`,
		`{"type":"SUBAGENT_ERROR","subagentRunId":"b","message":"no","code":""}`,
	), []string{
		`{"update":"subagent","index":0,"id":"s","change":"started","status":"running","name":"scout","subagent":{"id":"s","name":"scout","description":"looks","status":"running"}}`,
		`{"update":"subagent","index":0,"id":"s","change":"finished","status":"finished","name":"scout","subagent":{"id":"s","name":"scout","description":"looks","status":"finished","result":[1]}}`,
		`{"update":"subagent","index":1,"id":"b","change":"started","status":"running","name":"bad","subagent":{"id":"b","name":"bad","status":"running"}}`,
		`{"update":"subagent","index":1,"id":"b","change":"failed","status":"failed","name":"bad","subagent":{"id":"b","name":"bad","status":"failed","message":"no","code":""}}`,
		done,
	}},
	{"interrupts", nil, sse(runBegins,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"scout"}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":{"a":1},"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"ask"}]},"usage":[{"model":"m","inputTokens":3}]}`,
	), []string{
		`{"update":"subagent","index":0,"id":"s","change":"started","status":"running","name":"scout"}`,
		`{"update":"subagent","index":0,"id":"s","change":"suspended","status":"suspended","name":"scout"}`,
		`{"update":"interrupt","interrupt":{"id":"i","reason":"ask"}}`,
		`{"update":"done","end":"interrupted","result":{"a":1},"interrupts":[{"id":"i","reason":"ask"}],"usage":[{"model":"m","inputTokens":3}]}`,
	}},
	{"cancelled", nil, sse(runBegins, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`), []string{
		`{"update":"done","end":"cancelled"}`,
	}},
	{"run error", nil, sse(runBegins, `{"type":"RUN_ERROR","message":"boom","code":"E1"}`), []string{
		`{"update":"error","kind":"run","message":"run failed: boom","code":"E1","event":2,"offset":57,"type":"RUN_ERROR"}`,
		`{"update":"done","end":"failed","message":"boom","code":"E1"}`,
	}},
	{"late run error, in a stream", []string{"--stream"}, ofRun() + sse(`{"type":"RUN_ERROR","message":"boom"}`), []string{
		done,
		`{"update":"error","kind":"run","message":"run failed: boom","late":true,"event":3,"offset":115,"type":"RUN_ERROR"}`,
	}},
	{"the first Done ends it", nil, ofRun() + sse(`{"type":"RUN_ERROR","message":"boom"}`), []string{done}},
	{"several runs in a stream", []string{"--stream"}, ofRun() + ofRun(), []string{done, done}},
	{"violation, loud", nil, ofRun(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`), []string{
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","event":2,"offset":57,"type":"TEXT_MESSAGE_END"}`,
		done,
	}},
	{"violation, spec", []string{"--rules", "spec"}, ofRun(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`), []string{
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","event":2,"offset":57,"type":"TEXT_MESSAGE_END"}`,
		`{"update":"done","end":"failed","message":"protocol violation: ..."}`,
	}},
	{"violation, not verified", []string{"--verify=false"}, ofRun(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`), []string{
		`{"update":"message","index":0,"id":"m","change":"content","delta":"x"}`,
		done,
	}},
	{"patch error", nil, ofRun(`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/x"}]}`), []string{
		`{"update":"error","kind":"patch","message":"state patch failed: ...","event":2,"offset":57,"type":"STATE_DELTA"}`,
		done,
	}},
	{"json error", nil, sse(runBegins, `{"type":`), []string{
		`{"update":"error","kind":"json","message":"JSON error: ...","event":2,"offset":57}`,
		`{"update":"done","end":"failed","message":"JSON error: ..."}`,
	}},
	{"truncated", nil, sse(runBegins), []string{
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","offset":57}`,
		`{"update":"done","end":"failed","message":"protocol violation: ..."}`,
	}},
	{"warnings in their place", []string{"--rules", "spec"}, ofRun(
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","odd":1}`,
		`{"type":"TELEPATHY"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	), []string{
		`{"warning":"...","event":2,"type":"TEXT_MESSAGE_START","path":"/odd"}`,
		`{"update":"message","index":0,"id":"m","change":"started"}`,
		`{"warning":"...","event":3,"type":"TELEPATHY"}`,
		`{"update":"message","index":0,"id":"m","change":"ended"}`,
		done,
	}},
	{"trace", []string{"--trace"}, ofRun(
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"other"}`,
	), []string{
		`{"event":{"type":"RUN_STARTED","threadId":"t","runId":"r"}}`,
		`{"event":{"type":"TEXT_MESSAGE_START","messageId":"m"}}`,
		`{"update":"message","index":0,"id":"m","change":"started"}`,
		`{"event":{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}}`,
		`{"update":"message","index":0,"id":"m","change":"content","delta":"x"}`,
		`{"event":{"type":"TEXT_MESSAGE_END","messageId":"m"}}`,
		`{"update":"message","index":0,"id":"m","change":"ended"}`,
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","event":3,"offset":122,"type":"TEXT_MESSAGE_END"}`,
		`{"event":{"type":"RUN_FINISHED","threadId":"t","runId":"r"}}`,
		done,
	}},
	{"send and snapshot", []string{"--send", "hi <you>", "--snapshot"}, ofRun(), []string{
		done,
		`{"snapshot":{"threadId":"t","runId":"r","messages":[{"id":"user-1","role":"user","content":"hi <you>"}],"reasoning":[],"conversation":[{"id":"user-1","role":"user","content":"hi <you>"}],"state":{},"interrupts":[],"subagents":[]}}`,
	}},
	{"echoed input is not taken over", []string{"--snapshot"}, sse(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","state":{"a":1},"messages":[{"id":"u","role":"user","content":"q"}],"tools":[],"context":[],"forwardedProps":{}}}`, runEnds), []string{
		done,
		`{"snapshot":{"threadId":"t","runId":"r","messages":[],"reasoning":[],"conversation":[],"state":{},"interrupts":[],"subagents":[]}}`,
	}},
	{"but on demand", []string{"--adopt-input"}, sse(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","state":{"a":1},"messages":[{"id":"u","role":"user","content":"q"}],"tools":[],"context":[],"forwardedProps":{}}}`, runEnds), []string{
		`{"update":"messages","count":1}`,
		`{"update":"state","state":{"a":1}}`,
		done,
	}},
	{"nothing at all", []string{"--snapshot"}, "", []string{
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","offset":0}`,
		`{"update":"done","end":"failed","message":"protocol violation: ..."}`,
		nothing,
	}},
	{"an array of events", nil, "\uFEFF \n[" + runBegins + ",\n" + runEnds + "]\n", []string{done}},
	{"an event a line", nil, runBegins + "\r\n\n" + runEnds, []string{done}},
	{"a line that is no event", nil, runBegins + "\nnonsense\n" + runEnds, []string{
		`{"update":"error","kind":"json","message":"JSON error: ...","event":2,"offset":57}`,
		`{"update":"done","end":"failed","message":"JSON error: ..."}`,
	}},
	{"a fixture", []string{"--snapshot", "--send", "more"}, `{"name":"x","stream":[` + runBegins + `,{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a","value":2}]},` + runEnds + `],
		"input":{"state":{"a":1},"messages":[{"id":"user-1","role":"user","content":[{"type":"binary","mimeType":"image/png","url":"https://x/y.png"}]}]}}`, []string{
		`{"update":"state","state":{"a":2}}`,
		done,
		`{"snapshot":{"threadId":"t","runId":"r","messages":[{"id":"user-1","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://x/y.png","mimeType":"image/png"}}]},{"id":"user-2","role":"user","content":"more"}],"reasoning":[],"conversation":[{"id":"user-1","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://x/y.png","mimeType":"image/png"}}]},{"id":"user-2","role":"user","content":"more"}],"state":{"a":2},"interrupts":[],"subagents":[]}}`,
	}},
	{"an event whose unknown member is a stream", []string{"--input", "auto"}, `{"stream":[],"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n" + runEnds, []string{done}},
	{"said to be events", []string{"--input", "events"}, runBegins + "\n" + runEnds, []string{done}},
	{"said to be sse", []string{"--input", "sse"}, "[]\n", []string{
		`{"update":"error","kind":"protocol","message":"protocol violation: ...","offset":3}`,
		`{"update":"done","end":"failed","message":"protocol violation: ..."}`,
	}},
	{"a tail without its blank line", nil, strings.TrimSuffix(ofRun(), "\n\n"), []string{done}},
}

func TestUpdatesPrints(t *testing.T) {
	for _, c := range updatesCases {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, c.in, append([]string{"updates"}, c.args...)...)
			if status != exitOK || diagnostics != "" {
				t.Errorf("exit status %d, diagnostics %q", status, diagnostics)
			}
			if diff := cmp.Diff(c.want, scrub(out)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("not JSON: %s", line)
				}
			}
		})
	}
}

// TestUpdatesIsDeafToChunks holds the same lines, texts included, for any cut.
func TestUpdatesIsDeafToChunks(t *testing.T) {
	for _, c := range updatesCases {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"updates"}, c.args...)
			_, whole, _ := call(t, c.in, args...)
			for _, chunk := range []string{"1", "2", "7", "64", "100000"} {
				_, cut, _ := call(t, c.in, append(args, "--chunk", chunk)...)
				if diff := cmp.Diff(whole, cut); diff != "" {
					t.Errorf("chunk %s (-whole +cut):\n%s", chunk, diff)
				}
			}
		})
	}
}

func TestUpdatesReadsFilesAndStandardInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body.sse")
	if err := os.WriteFile(file, []byte(ofRun()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
	}{
		{"a file", "", []string{file}},
		{"a dash", ofRun(), []string{"-"}},
		{"nothing named", ofRun(), nil},
		{"behind two dashes", "", []string{"--", file}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := call(t, c.stdin, append([]string{"updates"}, c.args...)...)
			if status != exitOK || out != done+"\n" {
				t.Errorf("exit status %d, output %q, diagnostics %q", status, out, diagnostics)
			}
		})
	}
}

// TestUpdatesKeepsWhatCameBeforeAFault holds that a source that breaks off loses nothing.
func TestUpdatesKeepsWhatCameBeforeAFault(t *testing.T) {
	message := `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`
	status, out, diagnostics := call(t, "["+runBegins+","+message+",{]", "updates")
	want := []string{
		`{"update":"message","index":0,"id":"m","change":"started"}`,
		`{"update":"error","kind":"transport","message":"transport error: ...","offset":129}`,
		`{"update":"done","end":"failed","message":"transport error: ..."}`,
	}
	if diff := cmp.Diff(want, scrub(out)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if status != exitFault || !strings.Contains(diagnostics, "standard input") {
		t.Errorf("exit status %d, diagnostics %q", status, diagnostics)
	}
}
