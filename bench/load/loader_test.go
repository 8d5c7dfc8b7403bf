package load

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistream/aguistream/bench/serve"
	"github.com/aguistream/aguistream/engine"
)

// Every other run fails; what the errors are counted as is what a Session would report.
func TestServerFailuresAreCountedByKind(t *testing.T) {
	cases := []struct {
		fault serve.Fault
		kind  string
	}{
		{serve.Refuse, "http"}, {serve.Cut, "transport"}, {serve.Stall, "transport"}, {serve.ErrorEvent, "run"},
		{serve.Garbage, "json"}, {serve.SlowHeader, "transport"},
	}
	for _, c := range cases {
		t.Run(c.fault.String(), func(t *testing.T) {
			url := target(t, serve.Options{Fault: c.fault, FaultRate: 0.5, Delay: 5 * time.Second}, 10, nil)
			r := loaded(t, Options{
				URL: url, Rate: 40, Duration: 500 * time.Millisecond,
				Limits: engine.HTTPLimits{Header: 300 * time.Millisecond, Idle: 300 * time.Millisecond},
			})
			want := map[string]int64{"success": 10, "failed": 10}
			if diff := cmp.Diff(want, r.Ends); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]int64{c.kind: 10}, r.Errors); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if r.RunsWithErrors != 10 || r.RunsNotMade != 0 || !strings.Contains(r.BoundedBy, "the server's failures") {
				t.Errorf("%s; bounded by %s", describe(r), r.BoundedBy)
			}
		})
	}
}

func TestLimitsOfThisSideAreToldFromTheServers(t *testing.T) {
	dial := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}
	}
	cases := []struct {
		name  string
		err   error
		found func(g *GeneratorLimits) *Shortage
		kind  string
	}{
		{"descriptors of the process", dial(syscall.EMFILE), func(g *GeneratorLimits) *Shortage { return g.FileDescriptors }, ""},
		{"descriptors of the machine", dial(syscall.ENFILE), func(g *GeneratorLimits) *Shortage { return g.FileDescriptors }, ""},
		{"ports", dial(syscall.EADDRNOTAVAIL), func(g *GeneratorLimits) *Shortage { return g.Ports }, ""},
		{"refused", dial(syscall.ECONNREFUSED), nil, "transport"},
		{"reset", dial(syscall.ECONNRESET), nil, "transport"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			opt, err := Options{URL: target(t, serve.Options{}, 1, nil), Rate: 40, Duration: 500 * time.Millisecond}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			l := newLoader(opt)
			l.client.DisableKeepAlives = true
			whole := l.client.DialContext
			var dials atomic.Int64
			l.client.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if dials.Add(1)%2 == 0 {
					return nil, c.err
				}
				return whole(ctx, network, addr)
			}
			r, err := l.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.found == nil {
				if r.Errors[c.kind] != 10 || r.RunsNotMade != 0 || r.Ends["failed"] != 10 {
					t.Errorf("%s", describe(r))
				}
				return
			}
			if got := c.found(&r.GeneratorLimits); got == nil || got.Met != 10 {
				t.Errorf("%s", describe(r))
			}
			if len(r.Errors) != 0 || r.RunsNotMade != 10 || r.RunsDone != 10 || r.Valid || !strings.Contains(r.BoundedBy, "this side") {
				t.Errorf("%s; valid %v, bounded by %s", describe(r), r.Valid, r.BoundedBy)
			}
		})
	}
}

func TestSaturation(t *testing.T) {
	cases := []struct {
		name string
		cpu  CPU
		want bool
	}{
		{"calm", CPU{Cores: 0.5, Of: 2, LagMillis: 3, StartMillis: 2}, false},
		{"a busy machine that still gives us our turn", CPU{Cores: 0.5, Of: 2, Machine: 1, LagMillis: 20}, false},
		{"all cores", CPU{Cores: 1.9, Of: 2}, true},
		{"timers late", CPU{Cores: 0.5, Of: 2, LagMillis: 150}, true},
		{"runs late", CPU{Cores: 0.5, Of: 2, StartMillis: 150}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.cpu.saturated() != c.want {
				t.Errorf("saturated is %v", !c.want)
			}
		})
	}
}

// A server that isn't there isn't asked as fast as it can refuse.
func TestRefusalsAreNotAskedForAtFullSpeed(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	r := loaded(t, Options{URL: "http://" + ln.Addr().String(), Runs: 4, Duration: time.Second})
	if r.RunsStarted > 60 || r.RunsStarted < 8 || r.Errors["transport"] != r.RunsStarted || r.Events != 0 {
		t.Errorf("%s", describe(r))
	}
}

func TestInterruptedLoadReportsWhatWasDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	begun := time.Now()
	r, err := Run(ctx, Options{URL: target(t, serve.Options{Pace: 20}, 100, nil), Runs: 5, Duration: time.Minute, Ramp: -1})
	if err != nil {
		t.Fatal(err)
	}
	if time.Since(begun) > 3*time.Second || r.RunsStarted != 5 || r.RunsCut != 5 || r.Events == 0 || len(r.Errors) != 0 {
		t.Errorf("after %v: %s, %d cut", time.Since(begun), describe(r), r.RunsCut)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	cases := []struct {
		name string
		opt  Options
	}{
		{"no URL", Options{}},
		{"another scheme", Options{URL: "ftp://127.0.0.1/"}},
		{"no host", Options{URL: "http:///"}},
		{"a negative rate", Options{URL: "http://127.0.0.1:1/", Rate: -1}},
		{"negative runs", Options{URL: "http://127.0.0.1:1/", Runs: -1}},
		{"too many runs", Options{URL: "http://127.0.0.1:1/", Runs: 2_000_000}},
		{"a ramp longer than all", Options{URL: "http://127.0.0.1:1/", Duration: time.Second, Ramp: time.Minute}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if r, err := Run(t.Context(), c.opt); err == nil {
				t.Errorf("%s", describe(r))
			}
		})
	}
}

func TestResultHasWhatIsPromised(t *testing.T) {
	r := loaded(t, Options{URL: target(t, serve.Options{}, 3, nil), Runs: 2, Duration: 200 * time.Millisecond})
	slo, err := ParseSLO("p99<1h,errors<1%")
	if err != nil {
		t.Fatal(err)
	}
	r.SLO, _ = slo.Judge(r)
	var text strings.Builder
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got["schema"] != 1.0 || got["command"] != "load" {
		t.Errorf("schema %v, command %v", got["schema"], got["command"])
	}
	for _, name := range []string{"seconds", "runsStarted", "runsDone", "events", "eventsPerSecond", "valid"} {
		switch got[name].(type) {
		case float64, bool:
		default:
			t.Errorf("%s is %v", name, got[name])
		}
	}
	for name, members := range map[string][]string{
		"env": {"go", "os", "arch", "cpus"}, "ends": {"success"}, "errors": nil, "generatorLimits": nil,
		"firstEventMillis": percentileNames, "firstTokenMillis": percentileNames, "eventGapMillis": percentileNames,
		"runMillis": percentileNames, "serviceMillis": percentileNames,
	} {
		object, ok := got[name].(map[string]any)
		if !ok {
			t.Errorf("%s is %v", name, got[name])
		}
		for _, m := range members {
			if _, ok := object[m]; !ok {
				t.Errorf("%s has no %s", name, m)
			}
		}
	}
	text.Reset()
	if err := r.WriteSummary(&text); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"first event", "first token", "event gap", "whole run", "service", "bounded by", "slo", "success"} {
		if !strings.Contains(text.String(), says) {
			t.Errorf("the summary says nothing of %q:\n%s", says, text.String())
		}
	}
}

var percentileNames = []string{"p50", "p90", "p99", "p999", "max"}

func TestLiveLine(t *testing.T) {
	var line strings.Builder
	loaded(t, Options{URL: target(t, serve.Options{Pace: 50}, 20, nil), Runs: 3, Duration: 1200 * time.Millisecond, Live: &line})
	for _, says := range []string{"3 live", "events/s", "first event p99", "s left"} {
		if !strings.Contains(line.String(), says) {
			t.Errorf("the live line says nothing of %q: %q", says, line.String())
		}
	}
	if !strings.HasSuffix(line.String(), eraseLine) {
		t.Errorf("the live line is left behind: %q", line.String())
	}
}

func TestConfigErrorsEndTheLoad(t *testing.T) {
	opt, err := Options{URL: "http://127.0.0.1:1/", Rate: 10, Duration: time.Second}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	l := newLoader(opt)
	l.http = engine.HTTP(opt.URL, engine.WithHeader("bad header", "x"))
	var config *engine.Error
	if _, err := l.run(t.Context()); !errors.As(err, &config) || config.Kind != engine.KindConfig {
		t.Errorf("error %v", err)
	}
}
