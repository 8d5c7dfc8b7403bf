package bench_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguistream/aguistream/bench"
)

// printed is what `updates` prints of a body, by what the lines are.
type printed struct {
	text     string
	updates  []map[string]any
	warnings []map[string]any
	events   []any
	snapshot map[string]any
}

func printOf(t *testing.T, body []byte, opt bench.UpdatesOptions) *printed {
	t.Helper()
	var out bytes.Buffer
	if err := bench.Updates(&out, bytes.NewReader(body), opt); err != nil {
		t.Fatal(err)
	}
	p := &printed{text: out.String()}
	for line := range strings.Lines(p.text) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		switch {
		case m["update"] != nil:
			p.updates = append(p.updates, m)
		case m["warning"] != nil:
			p.warnings = append(p.warnings, m)
		case m["event"] != nil:
			p.events = append(p.events, m["event"])
		default:
			p.snapshot, _ = m["snapshot"].(map[string]any)
		}
	}
	if opt.Snapshot && p.snapshot == nil {
		t.Fatal("no snapshot line")
	}
	return p
}

// kind picks the updates of one kind.
func (p *printed) kind(name string) []map[string]any {
	var list []map[string]any
	for _, u := range p.updates {
		if u["update"] == name {
			list = append(list, u)
		}
	}
	return list
}

// hard are the errors that no conforming stream gives: those of the agent and of patches apart.
func (p *printed) hard() []map[string]any {
	var list []map[string]any
	for _, e := range p.kind("error") {
		if e["kind"] != "run" && e["kind"] != "patch" {
			list = append(list, e)
		}
	}
	return list
}

// end is how the last run ended, "" if none has.
func (p *printed) end() string {
	done := p.kind("done")
	if len(done) == 0 {
		return ""
	}
	end, _ := done[len(done)-1]["end"].(string)
	return end
}

// conversation is the snapshot's messages and reasoning, in order.
func (p *printed) conversation() []map[string]any {
	list, _ := p.snapshot["conversation"].([]any)
	messages := make([]map[string]any, len(list))
	for i, m := range list {
		messages[i], _ = m.(map[string]any)
	}
	return messages
}
