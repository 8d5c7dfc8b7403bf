package engine_test

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aguistream/aguistream/engine"
)

// canned is a server that answers every request with one pre-made chunked body, as fast as it can.
func canned(b *testing.B, frames []string) (url string, size int) {
	b.Helper()
	var wire strings.Builder
	wire.WriteString(headerChunked)
	for _, f := range frames {
		fmt.Fprintf(&wire, "%x\r\n%s\r\n", len(f), f)
		size += len(f)
	}
	wire.WriteString("0\r\n\r\n")
	answer := []byte(wire.String())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 4<<10)
				for {
					if _, err := c.Read(buf); err != nil {
						return
					}
					if _, err := c.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	b.Cleanup(func() { _ = l.Close() })
	return "http://" + l.Addr().String(), size
}

// BenchmarkHTTP holds the transport with the whole pipeline (run) beside a bare loop of body reads (bare), 64 bodies at a
// time, and the pipeline without HTTP (replay). Bytes are those of the events.
func BenchmarkHTTP(b *testing.B) {
	var events []string
	events = append(events, string(engine.Frames(runStarted, `{"type":"TEXT_MESSAGE_START","messageId":"m"}`)))
	for range 4000 {
		events = append(events, string(engine.Frames(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" token"}`)))
	}
	events = append(events, string(engine.Frames(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`, runFinished)))
	joined := strings.Join(events, "")
	var large []string
	for rest := joined; rest != ""; {
		n := min(len(rest), 32<<10)
		large, rest = append(large, rest[:n]), rest[n:]
	}
	eng, err := engine.New(engine.Config{Handler: engine.HandlerFunc(func(*engine.Stream, engine.Update) {})})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = eng.Shutdown(b.Context()) })
	for _, tt := range []struct {
		name   string
		chunks []string
	}{{"event", events}, {"32KiB", large}} {
		url, size := canned(b, tt.chunks)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		run := func(b *testing.B, one func() error) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var wg sync.WaitGroup
			slots := make(chan struct{}, 64)
			for b.Loop() {
				slots <- struct{}{}
				wg.Go(func() {
					if err := one(); err != nil {
						b.Error(err)
					}
					<-slots
				})
			}
			wg.Wait()
		}
		b.Run("bare/"+tt.name, func(b *testing.B) {
			run(b, func() error {
				res, err := client.Post(url, "application/json", strings.NewReader("{}"))
				if err != nil {
					return err
				}
				defer res.Body.Close()
				buf := make([]byte, 32<<10)
				for {
					if _, err := res.Body.Read(buf); err == io.EOF {
						return nil
					} else if err != nil {
						return err
					}
				}
			})
		})
		b.Run("run/"+tt.name, func(b *testing.B) {
			tr := engine.HTTP(url, engine.WithHTTPClient(client))
			run(b, func() error { return eng.Run(b.Context(), tr, input("t"), engine.StreamOptions{}) })
		})
		client.CloseIdleConnections()
	}
	b.Run("replay", func(b *testing.B) {
		b.SetBytes(int64(len(joined)))
		for b.Loop() {
			if err := eng.Run(b.Context(), engine.ReplayBytes([]byte(joined)), input("t"), engine.StreamOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The benchmark once, so that it doesn't rot.
func TestBenchmarkHTTP(t *testing.T) {
	benchtime := flag.Lookup("test.benchtime").Value
	was := benchtime.String()
	_ = benchtime.Set("1x")
	defer func() { _ = benchtime.Set(was) }()
	if r := testing.Benchmark(BenchmarkHTTP); r.N == 0 {
		t.Error("the benchmark failed")
	}
}
