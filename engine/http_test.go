package engine_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/engine"
)

const (
	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// serve is an agent on loopback that ends with the test.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

// over is a transport to a server, with a client of its own whose connections end with the test.
func over(t *testing.T, url string, opts ...engine.HTTPOption) *engine.HTTPTransport {
	t.Helper()
	tr := engine.HTTP(url, opts...)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// sent makes one run over a transport and prints its updates.
func sent(ctx context.Context, tr engine.Transport) []string {
	sess := engine.NewSession[engine.Raw](tr, "t", engine.WithIDs(func(kind string) string { return kind[:1] }))
	var lines []string
	for u := range sess.Run(ctx) {
		lines = append(lines, line(u))
	}
	return lines
}

func TestHTTPRequest(t *testing.T) {
	var method, body string
	var header http.Header
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		method, body, header = r.Method, string(b), r.Header
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(engine.Frames(runStarted, runFinished))
	})
	got := sent(t.Context(), over(t, srv.URL))
	if diff := cmp.Diff([]string{"done success"}, got); diff != "" {
		t.Error(diff)
	}
	t.Log(method, body, header)
}
