package plain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCaptures holds the pipeline against what the official client made of
// real adapters' bodies.
func TestCaptures(t *testing.T) {
	for _, f := range readShared(t, "captures") {
		name, ok := strings.CutSuffix(f.Name(), ".sse")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(shared, "captures")
			raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, name+".reference.json"))
			if err != nil {
				t.Fatal(err)
			}
			var ref map[string]any
			if err := json.Unmarshal(text, &ref); err != nil {
				t.Fatal(err)
			}
			opts := Options{Spec: true, AdoptInput: true}
			r := record(t, opts, raw, 0)
			for _, chunk := range []int{1, 13} {
				if diff := cmp.Diff(r.lines, record(t, opts, raw, chunk).lines); diff != "" {
					t.Fatalf("chunks of %d differ (-whole +chunks):\n%s", chunk, diff)
				}
			}
			compareEnd(t, ref, r)
			compareMessages(t, ref, r)
			if state, ok := ref["state"]; ok {
				if diff := cmp.Diff(state, doubles(r.snapshot["state"])); diff != "" {
					t.Errorf("state (-reference +plain):\n%s", diff)
				}
			}
		})
	}
}

func compareEnd(t *testing.T, ref map[string]any, r *recording) {
	t.Helper()
	end := ""
	var hard []map[string]any
	for _, u := range r.updates {
		switch {
		case u["update"] == "done":
			end = u["end"].(string)
		case u["update"] == "error" && u["kind"] != "run" && u["kind"] != "patch":
			hard = append(hard, u)
		}
	}
	types, _ := ref["eventTypes"].([]any)
	truncated := ref["outcome"] == "completed" &&
		(len(types) == 0 || types[len(types)-1] != "RUN_FINISHED" && types[len(types)-1] != "RUN_ERROR")
	switch {
	case ref["outcome"] == "failed":
		if len(hard) == 0 {
			t.Error("the reference failed, plain did not")
		}
	case truncated || ref["runError"] != nil:
		if end != "failed" {
			t.Errorf("ends %q, want failed", end)
		}
	case len(hard) > 0:
		t.Errorf("error: %v", hard[0])
	case end == "failed":
		t.Error("plain failed, the reference did not")
	}
}

func compareMessages(t *testing.T, ref map[string]any, r *recording) {
	t.Helper()
	refs, _ := ref["messages"].([]any)
	ours := r.snapshot["conversation"].([]any)
	// Ids minted for THINKING_* blocks: random there, counted here.
	held := map[any]bool{}
	for _, m := range ours {
		held[m.(map[string]any)["id"]] = true
	}
	var minted []any
	for _, v := range refs {
		if m := v.(map[string]any); m["role"] == "reasoning" && !held[m["id"]] {
			minted = append(minted, m["id"])
		}
	}
	for _, v := range ours {
		m := v.(map[string]any)
		if strings.HasPrefix(m["id"].(string), "thinking-") && len(minted) > 0 {
			m["id"], minted = minted[0], minted[1:]
		}
	}
	want, got := map[string]any{}, map[string]any{}
	var wantOrder, gotOrder []string
	gather := func(list []any, into map[string]any, order *[]string) {
		for _, v := range list {
			m := v.(map[string]any)
			into[m["id"].(string)] = doubles(reduced(m))
			if m["role"] != "tool" {
				*order = append(*order, m["id"].(string))
			}
		}
	}
	gather(refs, want, &wantOrder)
	gather(ours, got, &gotOrder)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-reference +plain):\n%s", diff)
	}
	if !slices.Equal(wantOrder, gotOrder) {
		t.Errorf("order %q, want %q", gotOrder, wantOrder)
	}
}

// reduced keeps what both sides write of a message.
func reduced(m map[string]any) map[string]any {
	out := map[string]any{"role": m["role"]}
	for _, name := range []string{"content", "toolCallId", "metadata", "activityType", "encryptedValue", "subagentRunId", "name", "error"} {
		switch v := m[name].(type) {
		case nil:
		case string:
			if v != "" || name != "content" {
				out[name] = v
			}
		case map[string]any:
			if len(v) > 0 {
				out[name] = v
			}
		case []any:
			if len(v) > 0 {
				out[name] = v
			}
		}
	}
	calls, _ := m["toolCalls"].([]any)
	for i, v := range calls {
		c := v.(map[string]any)
		out[fmt.Sprintf("call %d", i)] = []any{c["id"], c["function"], c["encryptedValue"], c["metadata"]}
	}
	return out
}

// doubles reads numbers as the reference does.
func doubles(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = doubles(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = doubles(v[name])
		}
		return out
	}
	return v
}
