package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// briefly is a comparison of a round or so.
func briefly(t *testing.T, name string, bodies []Body) *Comparison {
	t.Helper()
	c, err := Compare(context.Background(), CompareOptions{Workload: name, Bodies: bodies, For: time.Millisecond, Slice: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareOnEveryWorkload(t *testing.T) {
	for _, name := range Workloads() {
		t.Run(name, func(t *testing.T) {
			bodies, err := CompareBodies(name, 1, 20)
			if err != nil {
				t.Fatal(err)
			}
			if name == "state" {
				bodies = bodies[:3] // plain takes long over it
			}
			c := briefly(t, name, bodies)
			if !c.Equal {
				t.Errorf("stores differ: %s", strings.Join(c.Differences, "\n"))
			}
			units, err := MeasureBodies(bodies)
			if err != nil {
				t.Fatal(err)
			}
			all := totalWork(units)
			var pipelines []string
			for _, r := range c.Rows {
				pipelines = append(pipelines, r.Pipeline)
				if r.Seconds <= 0 || r.EventsPerSecond <= 0 {
					t.Errorf("%s: %+v", r.Pipeline, r)
				}
				if r.Events%all.Events != 0 || r.Events/all.Events*all.Bytes != r.Bytes {
					t.Errorf("%s: %d events and %d bytes are not the same work, %+v, some times over", r.Pipeline, r.Events, r.Bytes, all)
				}
			}
			if diff := cmp.Diff([]string{"floor", "unmarshal", "plain", "engine"}, pipelines); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if allocs := c.Row(floorRow).AllocsPerEvent; allocs > 0.01 {
				t.Errorf("the floor allocates %v objects an event", allocs)
			}
		})
	}
}

// The rows are only worth what they do: each must meet every event.
func TestRowsMeetEveryEvent(t *testing.T) {
	bodies, err := CompareBodies("mixed", 1, 2500) // over several pieces each
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies[:3] {
		t.Run(b.Name, func(t *testing.T) {
			if len(b.Bytes) < 2*comparedPiece {
				t.Fatalf("%d bytes are too few to be torn", len(b.Bytes))
			}
			events := int64(bytes.Count(b.Bytes, []byte("\n\n")))
			units, err := MeasureBodies([]Body{b})
			if err != nil {
				t.Fatal(err)
			}
			if units[0].Events != events {
				t.Errorf("%d events are counted, want %d", units[0].Events, events)
			}
			var floor lineCounter
			if err := pieces(b.Bytes, comparedPiece, floor.split); err != nil {
				t.Fatal(err)
			}
			if want := bytes.Count(b.Bytes, []byte("\n")); floor.lines != want || floor.open != 0 {
				t.Errorf("the floor finds %d lines and %d bytes more, want %d", floor.lines, floor.open, want)
			}
			var u unmarshaler
			if err := u.take(b.Bytes); err != nil {
				t.Fatal(err)
			}
			if u.bad != 0 || u.event.Type != "RUN_FINISHED" {
				t.Errorf("unmarshal: %d bad frames, the last one %s", u.bad, u.event.Type)
			}
			var d deltas
			p, err := d.plain(b)
			if err != nil {
				t.Fatal(err)
			}
			if n := p.Counts().Applied; n != events {
				t.Errorf("plain applied %d events, want %d", n, events)
			}
		})
	}
}

func TestCompareSeesStoresThatDiffer(t *testing.T) {
	bodies, err := CompareBodies("chat", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := bodies[0]
	var d deltas
	// Only plain is given a state to begin with.
	p, err := d.plain(Body{Bytes: b.Bytes, Input: &Input{State: json.RawMessage(`{"odd":true}`)}})
	if err != nil {
		t.Fatal(err)
	}
	stores, err := d.engineStores(b)
	if err != nil {
		t.Fatal(err)
	}
	r := &reel{Body: b, want: canonical(p.Snapshot())}
	if r.same(stores) {
		t.Fatal("stores that differ pass as the same")
	}
	c := &Comparison{Differences: []string{r.difference(stores)}, Rows: []Row{{Pipeline: floorRow}}}
	var text strings.Builder
	if err := c.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "DIFFER") || !strings.Contains(text.String(), "odd") {
		t.Errorf("the table doesn't show it:\n%s", text.String())
	}
}

func TestComparisonJSON(t *testing.T) {
	bodies, err := CompareBodies("tools", 3, 10)
	if err != nil {
		t.Fatal(err)
	}
	c := briefly(t, "tools", bodies)
	var text bytes.Buffer
	if err := c.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   int
		Command  string
		Env      map[string]any
		Workload string
		Equal    bool
		Rows     []map[string]any
		Ratio    map[string]float64
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Command != "compare" || got.Workload != "tools" || !got.Equal || len(got.Rows) != 4 {
		t.Errorf("%s", text.Bytes())
	}
	for _, name := range []string{"go", "os", "arch", "cpus"} {
		if got.Env[name] == nil {
			t.Errorf("env has no %s", name)
		}
	}
	for i, row := range got.Rows {
		for _, name := range []string{"pipeline", "events", "bytes", "seconds", "eventsPerSecond", "allocsPerEvent"} {
			if _, ok := row[name]; !ok {
				t.Errorf("row %d has no %s", i, name)
			}
		}
	}
	for _, name := range []string{"engineToPlain", "engineToFloor"} {
		if got.Ratio[name] <= 0 {
			t.Errorf("ratio %s: %v", name, got.Ratio[name])
		}
	}
}

func TestCompareTakesADozenSeeds(t *testing.T) {
	bodies, err := CompareBodies("chat", 7, 3)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, b := range bodies {
		if want := fmt.Sprintf("chat, seed %d", 7+i); b.Name != want {
			t.Errorf("body %d is %q, want %q", i, b.Name, want)
		}
		seen[string(b.Bytes)] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d distinct bodies", len(seen))
	}
	if _, err := CompareBodies("chess", 1, 0); err == nil {
		t.Error("an unknown workload gives bodies")
	}
	if _, err := Compare(context.Background(), CompareOptions{}); err == nil {
		t.Error("no bodies give a comparison")
	}
}
