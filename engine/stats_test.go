package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

// Stats add up what all streams came to, those that are over included, on however many shards.
func TestStatsAddUp(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 3, Handler: ignoring(), MaxRuns: 1, QueueRuns: -1})
	const streams = 12
	for i := range streams {
		s := open(t, eng, string(rune('a'+i)), engine.StreamOptions{Rules: engine.Spec})
		_, _ = s.Write(engine.Frames(events("RS\nTEXT_MESSAGE_CHUNK messageId=m delta=\"a\"\nCUSTOM x 1 extra=1\nRUN_FINISHED t r\nRUN_STARTED t r2")...))
		if i%2 == 0 {
			_, _ = s.Write(engine.Frames(events("STEP_FINISHED no")...))
		}
		_ = s.Close()
		await(t, s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	live := &gate{}
	first := make(chan error, 1)
	go func() {
		first <- eng.Run(ctx, live, &engine.RunAgentInput{ThreadID: "t", RunID: "r"}, engine.StreamOptions{})
	}()
	eventually(t, "the run is live", func() bool { return eng.Stats().Runs == 1 })
	if err := eng.Run(ctx, live, &engine.RunAgentInput{ThreadID: "t", RunID: "r"}, engine.StreamOptions{}); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("Run: %v", err)
	}
	cancel()
	<-first
	st := eng.Stats()
	st.Shards.Workers = nil
	type tallies struct{ Errors, Ends string }
	want := engine.Stats{Events: 5*streams + streams/2, Updates: (3 + 1 + 2) * streams, Warnings: streams, Busy: 1, Errors: st.Errors, Ends: st.Ends}
	if diff := cmp.Diff(want, st); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(tallies{`{"protocol":12}`, `{"success":12,"failed":12}`}, tallies{st.Errors.String(), st.Ends.String()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a batch brought is counted even where a panic ended it.
func TestStatsCountABatchThatPanicked(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) { panic("boom") })})
	s := open(t, eng, "t", engine.StreamOptions{})
	_, _ = s.Write(engine.Frames(events(openRun)...))
	await(t, s)
	if st := eng.Stats(); st.Events != 2 || st.Updates != 1 || st.Shards.Total().Panics != 1 {
		t.Errorf("%+v", st)
	}
}

var (
	metricLine = regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="[a-z0-9]+"\})? -?[0-9]+$`)
	typeLine   = regexp.MustCompile(`^# TYPE ([a-z_]+) (gauge|counter)$`)
)

// The exposition is lines of the text format: each sample in its family's group, counters named as such.
func TestPrometheusText(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 2, Handler: ignoring()})
	s := open(t, eng, "t", engine.StreamOptions{})
	_, _ = s.Write(engine.Frames(events("RS\nRS\nRF")...))
	_ = s.Close()
	await(t, s)
	text := string(eng.Stats().AppendPrometheus([]byte("# before\n"), "agui"))
	if !strings.HasPrefix(text, "# before\n") || !strings.HasSuffix(text, "\n") {
		t.Error("it does not append whole lines")
	}
	family, seen := "", map[string]bool{}
	for l := range strings.Lines(strings.TrimPrefix(text, "# before\n")) {
		l = strings.TrimSuffix(l, "\n")
		if strings.HasPrefix(l, "# HELP agui_") {
			continue
		}
		if m := typeLine.FindStringSubmatch(l); m != nil {
			if family = m[1]; seen[family] {
				t.Errorf("%s comes twice", family)
			}
			if strings.HasSuffix(family, "_total") != (m[2] == "counter") {
				t.Errorf("%s is called a %s", family, m[2])
			}
			seen[family] = true
			continue
		}
		if m := metricLine.FindStringSubmatch(l); m == nil || m[1] != family || seen[l] {
			t.Errorf("line %q in family %s", l, family)
		}
		seen[l] = true
	}
	for _, want := range []string{
		`agui_streams 0`, `agui_events_total 3`, `agui_updates_total 2`, `agui_errors_total{kind="protocol"} 1`,
		`agui_errors_total{kind="config"} 0`, `agui_runs_ended_total{end="success"} 1`, `agui_shard_panics_total{shard="1"} 0`,
	} {
		if !seen[want] {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

func TestStatsAreJSON(t *testing.T) {
	eng := startEngine(t, engine.Config{Shards: 1, Handler: ignoring()})
	text, err := json.Marshal(eng.Stats())
	if err != nil || !strings.Contains(string(text), `"Errors":{}`) {
		t.Errorf("%s, %v", text, err)
	}
}
