package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

const oneRun = "id: 1\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n" +
	": alive\r\n\r\ndata: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"a\":1.0,\"b\":2}}\r\n\r\n" +
	"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}"

func TestReelCutsBehindEachFrame(t *testing.T) {
	r, err := newReel(Body{Name: "one", Bytes: []byte(oneRun)}, 0, engine.Loud, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	at := 0
	for _, end := range r.cuts {
		got = append(got, oneRun[at:end])
		at = end
	}
	want := []string{
		"id: 1\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
		": alive\r\n\r\ndata: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"a\":1.0,\"b\":2}}\r\n\r\n",
		"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	// The first event gives no update, and the last one is whole only at the end of the bytes.
	if diff := cmp.Diff([]timedWrite{{r.cuts[0], 1}}, r.timed, cmp.AllowUnexported(timedWrite{})); diff != "" {
		t.Errorf("timed writes (-want +got):\n%s", diff)
	}
}

func TestReelKnowsTheStoresByValue(t *testing.T) {
	r, err := newReel(Body{Name: "one", Bytes: []byte(oneRun)}, 0, engine.Loud, true)
	if err != nil {
		t.Fatal(err)
	}
	stores := func(state string) []byte {
		return []byte(`{"threadId":"t","runId":"r","messages":[],"reasoning":[],"conversation":[],"state":` + state + `,"interrupts":[],"subagents":[]}`)
	}
	for _, c := range []struct {
		name, state string
		want        bool
	}{
		{"as it came", `{"a":1.0,"b":2}`, true},
		{"again", `{"a":1.0,"b":2}`, true},
		{"in another order, numbers written otherwise", `{"b":20e-1,"a":1}`, true},
		{"another number", `{"a":1,"b":2.1}`, false},
		{"a member less", `{"a":1}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := r.same(stores(c.state)); got != c.want {
				t.Errorf("same = %v\n%s", got, r.difference(stores(c.state)))
			}
		})
	}
}

// TestCheckSeesStoresThatDiffer expects something else of each stream than it gives.
func TestCheckSeesStoresThatDiffer(t *testing.T) {
	r, err := newRunner(RunOptions{Bodies: []Body{{Name: "one", Bytes: []byte(oneRun)}}, Total: 9, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	r.reels[0].want = []byte(`{"threadId":"other"}`)
	if r.eng, err = engine.New(engine.Config{Handler: r}); err != nil {
		t.Fatal(err)
	}
	r.measure(t.Context())
	if err := r.eng.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	res := r.result()
	if res.Checked != 9 || res.Mismatches != 9 || res.OK() || len(res.Differences) != shownDifferences {
		t.Errorf("%d of %d stores differ: %v", res.Mismatches, res.Checked, res.Differences)
	}
}

func TestBalanceSeesAnEventThatIsLost(t *testing.T) {
	r, err := newReel(Body{Name: "one", Bytes: []byte(oneRun)}, 0, engine.Loud, false)
	if err != nil {
		t.Fatal(err)
	}
	f := newFlight(0)
	f.begin(r, 0)
	for _, c := range []struct {
		name   string
		counts engine.Counts
		fatal  int64
		want   bool
	}{
		{"all applied", engine.Counts{Applied: 3}, 0, true},
		{"one skipped", engine.Counts{Applied: 2, Skipped: 1}, 0, true},
		{"one lost", engine.Counts{Applied: 2}, 0, false},
		{"one twice", engine.Counts{Applied: 4}, 0, false},
		{"failed at the first, the rest unread", engine.Counts{Failed: 1}, r.offsets[0], true},
		{"failed at the second", engine.Counts{Applied: 1, Failed: 1}, r.offsets[1], true},
		{"failed where nothing says so", engine.Counts{Applied: 1, Failed: 1}, r.offsets[0], false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.counts, f.fatal = c.counts, c.fatal
			if got := f.balance(); got.holds() != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNumbersReadWell(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(-1234567), "-1,234,567"},
		{short(12), "12"}, {short(12345), "12.3 k"}, {short(1234567), "1.23 M"},
		{micros(1.25), "1.2 us"}, {micros(1250), "1.25 ms"}, {micros(1.5e6), "1.50 s"},
		{counted(1, "run", "runs"), "1 run"}, {counted(2000, "run", "runs"), "2,000 runs"},
		{tally(map[string]int64{"b": 1, "a": 2000}, "none"), "2,000 a, 1 b"}, {tally(nil, "none"), "none"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
