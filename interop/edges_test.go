package interop

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/engine"
)

const (
	begin   = `{"type":"RUN_STARTED","threadId":"","runId":""}`
	finish  = `{"type":"RUN_FINISHED","threadId":"","runId":""}`
	history = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[{"type":"text","text":"a"}]},` +
		`{"id":"as","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"1"}}]},` +
		`{"id":"th","role":"reasoning","content":"r"},{"id":"act","role":"activity","activityType":"A","content":{"l":[1]}}]}`
)

// edge is a run at the edge of the protocol. Where the official client and a Session under the Spec rules differ, differs
// says what ours does and what is done there; README.md says who is right by which text. An empty one means that both come
// to the same.
type edge struct {
	name    string
	events  []string
	differs string
}

var edges = []edge{
	{"text into parts", []string{
		begin,
		history,
		`{"type":"TEXT_MESSAGE_START","messageId":"u","role":"user"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"u","delta":"b"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"u"}`,
		finish,
	}, "text appends to the last text part; there it takes the parts' place"},
	{"call renamed", []string{
		begin,
		history,
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"other"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"2"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
		finish,
	}, "the first name of a held call stands; there the last does (rule 74 promises neither)"},
	{"START of a known message, other role and name", []string{
		begin,
		history,
		`{"type":"TEXT_MESSAGE_START","messageId":"as","role":"user","name":"z"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"as","delta":"b"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"as"}`,
		finish,
	}, ""},
	{"text on reasoning", []string{
		begin,
		history,
		`{"type":"TEXT_MESSAGE_START","messageId":"th"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"th","delta":"b"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"th"}`,
		finish,
	}, "text of an agent is none of its reasoning: a violation; there it appends"},
	{"text on activity", []string{
		begin,
		history,
		`{"type":"TEXT_MESSAGE_START","messageId":"act"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"act","delta":"b"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"act"}`,
		finish,
	}, "a violation; there a warning"},
	{"result twice one id", []string{
		begin,
		history,
		`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"1"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"2"}`,
		finish,
	}, "the later result of one id stands; there two messages have it"},
	{"result on an assistant's id", []string{
		begin,
		history,
		`{"type":"TOOL_CALL_RESULT","messageId":"as","toolCallId":"c","content":"1"}`,
		finish,
	}, "ids stay unlike: <id>-result; there two messages have one id"},
	{"snapshot duplicates", []string{
		begin,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"user","content":"1"},{"id":"b","role":"user","content":"2"},{"id":"a","role":"user","content":"3"}]}`,
		finish,
	}, "the last of one id stands; there both do"},
	{"call with user parent", []string{
		begin,
		history,
		`{"type":"TOOL_CALL_START","toolCallId":"c9","toolCallName":"n","parentMessageId":"u"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c9"}`,
		finish,
	}, ""},
	{"call id is a message id", []string{
		begin,
		history,
		`{"type":"TOOL_CALL_START","toolCallId":"u","toolCallName":"n"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"u"}`,
		finish,
	}, "ids stay unlike: <id>-message; there two messages have one id"},
	{"failed activity patch with metadata", []string{
		begin,
		history,
		`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"B","metadata":{"m":1},"patch":[{"op":"remove","path":"/no"}]}`,
		finish,
	}, "a delta that fails does nothing; there its metadata stays"},
	{"activity delta other type", []string{
		begin,
		history,
		`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"B","patch":[{"op":"add","path":"/k","value":1}]}`,
		finish,
	}, ""},
	{"activity to array", []string{
		begin,
		history,
		`{"type":"ACTIVITY_DELTA","messageId":"act","activityType":"A","patch":[{"op":"replace","path":"","value":[1]}]}`,
		finish,
	}, "an activity's content is an object, or the patch fails; there it is an array from then on"},
	{"activity on a user id", []string{
		begin,
		history,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"u","activityType":"A","content":{}}`,
		finish,
	}, "a snapshot for another kind of message is skipped; there the user's message is lost"},
	{"failed state patch", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":2}]}`,
		finish,
	}, ""},
	{"remove root", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":""}]}`,
		finish,
	}, "the whole document can be replaced, not removed; there the state is null afterwards"},
	{"index 01", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,2,3]}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a/01","value":9}]}`,
		finish,
	}, ""},
	{"replace -", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1]}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a/-","value":9}]}`,
		finish,
	}, ""},
	{"remove -", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1]}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a/-"}]}`,
		finish,
	}, ""},
	{"add beyond", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1]}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/5","value":9}]}`,
		finish,
	}, ""},
	{"add into a number", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/b","value":9}]}`,
		finish,
	}, ""},
	{"move into itself", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":{"b":1}}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"move","from":"/a","path":"/a/b"}]}`,
		finish,
	}, ""},
	{"add to a null state", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":null}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":{"x":1}}]}`,
		finish,
	}, ""},
	{"__proto__", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/__proto__","value":{"x":1}}]}`,
		finish,
	}, "a name like any other; there the patch is refused"},
	{"key constructor", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"constructor":1,"__proto__":2}}`,
		finish,
	}, ""},
	{"test numbers", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":9007199254740993}}`,
		`{"type":"STATE_DELTA","delta":[{"op":"test","path":"/a","value":9007199254740992},{"op":"add","path":"/b","value":1}]}`,
		finish,
	}, "numbers are compared as written; there 9007199254740993 is 9007199254740992"},
	{"snapshot false", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":false}`,
		finish,
	}, ""},
	{"snapshot null", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":null}`,
		finish,
	}, ""},
	{"unknown op", []string{
		begin,
		`{"type":"STATE_DELTA","delta":[{"op":"increment","path":"/a"},{"op":"add","path":"/b","value":1}]}`,
		finish,
	}, ""},
	{"lone surrogate", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		finish,
	}, ""},
	{"encrypted unknown", []string{
		begin,
		`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"nobody","encryptedValue":"x"}`,
		finish,
	}, ""},
	{"truncated", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`,
	}, ""},
	{"finish while open", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		finish,
	}, ""},
	{"other run id at the end", []string{
		begin,
		`{"type":"RUN_FINISHED","threadId":"other","runId":"other"}`,
	}, ""},
	{"content without start", []string{
		begin,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`,
		finish,
	}, ""},
	{"double interrupt id", []string{
		begin,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}}`,
	}, "a violation; there both are held"},
	{"unknown type", []string{
		begin,
		`{"type":"NEW_THING","x":1}`,
		finish,
	}, ""},
	{"unknown outcome", []string{
		begin,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"exploded"}}`,
	}, ""},
	{"null for a role", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":null}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		finish,
	}, "null in an optional member is as good as absent, with a warning; there the run fails"},
	{"echo input", []string{
		`{"type":"RUN_STARTED","threadId":"","runId":"","input":{"threadId":"t","runId":"r","messages":[{"id":"e","role":"user","content":"x"}],"state":{"s":1}}}`,
		finish,
	}, "a Session adopts nothing (a Stream does with AdoptInput); there messages are adopted, the state is not"},
	{"pending others", []string{
		begin,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"n"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"success","pendingToolCallIds":["zz"]}}`,
	}, ""},
	{"subagent unknown finish", []string{
		begin,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`,
		finish,
	}, ""},
	{"reasoning on text id", []string{
		begin,
		history,
		`{"type":"REASONING_MESSAGE_START","messageId":"as","role":"reasoning"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"as","delta":"q"}`,
		`{"type":"REASONING_MESSAGE_END","messageId":"as"}`,
		finish,
	}, "a violation; there the thought is appended to the answer"},
	{"metadata merge", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","metadata":{"a":{"x":1},"b":2}}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"d","metadata":{"a":{"y":2},"b":null,"__proto__":{"p":1}}}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		finish,
	}, ""},
	{"snapshot while open", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"old"}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"new"}]}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"+"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		finish,
	}, ""},
	{"snapshot drops open", []string{
		begin,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"+"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		finish,
	}, "a delta of what a snapshot dropped is a violation; there it is dropped with a warning"},
	{"run error first", []string{
		`{"type":"RUN_ERROR","message":"no"}`,
	}, ""},
	{"late error", []string{
		begin,
		finish,
		`{"type":"RUN_ERROR","message":"late"}`,
	}, "a Session stops at the end of its run; there the stream is read on"},
	{"dup members", []string{
		begin,
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"b":2,"a":3}}`,
		finish,
	}, ""},
	{"subagent open at end", []string{
		begin,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`,
		finish,
	}, ""},
	{"step open at end", []string{
		begin,
		`{"type":"STEP_STARTED","stepName":"n"}`,
		finish,
	}, ""},
}

func TestEdgesAreReadAlikeOrAsIsKnown(t *testing.T) {
	node(t)
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			url := served(t, serve.Body{Name: "edge", Runs: [][]byte{engine.Frames(e.events...)}})
			official := askOfficial(t, question{
				URL: url, ThreadID: "interop", Messages: json.RawMessage(`[]`), State: json.RawMessage(`{}`),
				Runs: []json.RawMessage{json.RawMessage(`{"runId":"r1"}`)},
			})[0]
			s := engine.NewSession[engine.Raw](transport(t, url), "interop", engine.WithRules(engine.Spec))
			ours := run(t, func(ctx context.Context) iter.Seq[engine.Update] { return s.Run(ctx, engine.WithRunID("r1")) })
			theirs, own := entries(official.held), entries(sessionHolds(t, s))
			if official.Error != nil {
				theirs, own = nil, nil // what it holds then is a matter of how the bytes came
			}
			ends := [2]string{official.end(), ours.end.Kind.String()}
			diff := cmp.Diff(theirs, own)
			switch alike := ends[0] == ends[1] && diff == ""; {
			case e.differs == "" && !alike:
				t.Errorf("it ends as %s officially, as %s here (-official +ours):\n%s", ends[0], ends[1], diff)
			case e.differs != "" && alike:
				t.Errorf("both come to the same now, so this is out of date: %s", e.differs)
			}
		})
	}
}

// entries are the state, the number of interrupts, and the messages, doubled ids and all: results last, since where they
// stand differs as is known.
func entries(h held) []any {
	list := []any{h.State, len(h.Interrupts)}
	var results []any
	for _, m := range h.Messages {
		entry := byID([]map[string]any{m})
		if m["role"] == "tool" {
			results = append(results, entry)
			continue
		}
		list = append(list, entry)
	}
	return append(list, results...)
}
