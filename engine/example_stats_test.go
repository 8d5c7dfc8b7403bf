package engine_test

import (
	"context"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aguistream/aguistream/engine"
)

// An engine's figures for expvar and for Prometheus: neither needs a library.
func ExampleEngine_Stats() {
	eng, err := engine.New(engine.Config{Shards: 1, Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) {})})
	if err != nil {
		fmt.Println(err)
		return
	}
	expvar.Publish("aguistream", expvar.Func(func() any { return eng.Stats() }))
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(eng.Stats().AppendPrometheus(nil, "aguistream"))
	})

	transport := engine.ReplayEvents(
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	)
	input := &engine.RunAgentInput{ThreadID: "t", RunID: "r"}
	if err := eng.Run(context.Background(), transport, input, engine.StreamOptions{}); err != nil {
		fmt.Println(err)
	}

	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	res, err := http.Get(server.URL + "/metrics")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "aguistream_runs_ended_total") {
			fmt.Print(line)
		}
	}
	_ = eng.Shutdown(context.Background())
	// Output:
	// aguistream_runs_ended_total{end="success"} 1
	// aguistream_runs_ended_total{end="interrupted"} 0
	// aguistream_runs_ended_total{end="failed"} 0
	// aguistream_runs_ended_total{end="cancelled"} 0
}
