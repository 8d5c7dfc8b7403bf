package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguistream/aguistream/engine"
)

// typed has the kinds of members that a native decoder has its own code for.
type typed struct {
	Count  int64             `json:"count"`
	Ratio  float64           `json:"ratio"`
	Title  string            `json:"title"`
	Tags   []string          `json:"tags"`
	Index  map[string]int    `json:"index"`
	Nested *typed            `json:"nested"`
	Raw    json.RawMessage   `json:"raw"`
	Any    map[string]any    `json:"any"`
	Pairs  map[string]*typed `json:"pairs"`
}

// TestTypedStateUnderPressure is D09: the native decoder of typed states, from many goroutines while the collector runs,
// gives what encoding/json gives, and what it gave stays as it was.
func TestTypedStateUnderPressure(t *testing.T) {
	const sessions = 64
	end := time.Now().Add(time.Second)
	if testing.Short() {
		end = time.Now().Add(100 * time.Millisecond)
	}
	var over atomic.Bool
	var collector, all sync.WaitGroup
	collector.Go(func() {
		for !over.Load() {
			runtime.GC()
		}
	})
	for i := range sessions {
		all.Go(func() {
			for round := 0; round == 0 || time.Now().Before(end); round++ {
				if err := decodesLikeJSON(t, i*1000+round); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	over.Store(true)
	collector.Wait()
}

// decodesLikeJSON runs a session whose state changes a few times, and keeps every value until the end.
func decodesLikeJSON(t *testing.T, seed int) error {
	text := fmt.Sprintf(`{"count":%d,"ratio":%d.5e-1,"title":"naïve \"%d\" \u00e9","tags":["a","b\n"],"index":{"k%d":%d},`+
		`"nested":{"count":-%d,"title":"in"},"raw":[1,{"x":null}],"any":{"n":%d,"s":"t"},"pairs":{"p":{"count":1}}}`,
		seed, seed, seed, seed, seed, seed, seed)
	events := []string{runStarted, `{"type":"STATE_SNAPSHOT","snapshot":` + text + `}`}
	for i := range 4 {
		events = append(events, fmt.Sprintf(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":%d},`+
			`{"op":"add","path":"/tags/-","value":"t%d"}]}`, seed+i, i))
	}
	s := engine.NewSession[typed](engine.ReplayEvents(append(events, runFinished)...), "t")
	var got []typed
	var texts []string
	for u := range s.Run(t.Context()) {
		switch u := u.(type) {
		case *engine.StateUpdate[typed]:
			got, texts = append(got, u.State), append(texts, string(s.RawState().AppendJSON(nil)))
		case *engine.ErrorUpdate:
			return u.Err
		}
	}
	if len(got) != 5 {
		return fmt.Errorf("%d states came, not 5", len(got))
	}
	for i := range got {
		var want typed
		if err := json.Unmarshal([]byte(texts[i]), &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(got[i], want) {
			return fmt.Errorf("state %d is %+v, of %s", i, got[i], texts[i])
		}
	}
	return nil
}
