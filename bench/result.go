package bench

import (
	"encoding/json"
	"io"
	"runtime"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aguistream/aguistream/engine"
)

// Env says where something was measured.
type Env struct {
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"` // that Go code may use at once
}

// ThisEnv is the Env of this process.
func ThisEnv() Env {
	return Env{runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)}
}

// Percentiles of a distribution; 0 when nothing was measured.
type Percentiles struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// percentiles reads a histogram whose values are in units of 1/scale.
func percentiles(h *hdrhistogram.Histogram, scale float64) Percentiles {
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / scale }
	return Percentiles{at(50), at(90), at(99), at(99.9), float64(h.Max()) / scale}
}

// Result is what a Run did. Its JSON is the one that the command line promises, schema 1.
type Result struct {
	Schema   int     `json:"schema"`
	Command  string  `json:"command"`
	Env      Env     `json:"env"`
	Workload string  `json:"workload"`
	Bodies   int     `json:"bodies"` // distinct ones
	Rules    string  `json:"rules"`
	Shards   int     `json:"shards"`
	Chunk    int     `json:"chunk"` // bytes a write; 0: about one event
	Rate     float64 `json:"rate"`  // runs started a second; 0: as fast as it goes
	InFlight int     `json:"inFlight"`

	Runs     int64 `json:"runs"`     // streams that are over
	CutShort int64 `json:"cutShort"` // streams given up in flight; what they did is counted below
	Events   int64 `json:"events"`
	Applied  int64 `json:"applied"`
	Skipped  int64 `json:"skipped"`
	Failed   int64 `json:"failed"`
	Unread   int64 `json:"unread"`
	Bytes    int64 `json:"bytes"`
	Updates  int64 `json:"updates"`

	Seconds                float64     `json:"seconds"`
	EventsPerSecond        float64     `json:"eventsPerSecond"`
	EventsPerSecondPerCore float64     `json:"eventsPerSecondPerCore"`
	MBPerSecond            float64     `json:"mbPerSecond"` // 10^6 bytes
	AllocsPerEvent         float64     `json:"allocsPerEvent"`
	BytesAllocatedPerEvent float64     `json:"bytesAllocatedPerEvent"`
	LatencyMicros          Percentiles `json:"latencyMicros"` // from write to handler
	LatencySamples         int64       `json:"latencySamples"`
	PeakRSSBytes           int64       `json:"peakRSSBytes"`
	GCCPUFraction          float64     `json:"gcCPUFraction"` // of the CPU time used

	Ends       map[string]int64 `json:"ends"`   // runs by how they ended
	Errors     map[string]int64 `json:"errors"` // by kind
	Balanced   bool             `json:"balanced"`
	Unbalanced int64            `json:"unbalanced"` // streams whose counts don't add up
	Checked    int64            `json:"checked"`    // streams whose stores were compared
	Mismatches int64            `json:"mismatches"`

	// Differences show the first stores that differed.
	Differences []string `json:"differences,omitempty"`

	checks  bool
	latency *hdrhistogram.Histogram
}

// OK tells whether the counts balanced and every store that was checked was right.
func (r *Result) OK() bool { return r.Balanced && r.Mismatches == 0 }

// WriteJSON writes the result as one line of JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func (r *runner) result() *Result {
	t := &r.sum
	seconds := r.ended.Sub(r.began).Seconds()
	res := &Result{
		Schema: 1, Command: "run", Env: ThisEnv(),
		Workload: r.opt.Workload, Bodies: len(r.reels), Rules: r.opt.Rules.String(), Shards: r.opt.Shards,
		Chunk: r.opt.Chunk, Rate: r.opt.Rate, InFlight: r.opt.Runs,
		Runs: t.runs, CutShort: t.short, Events: t.events.In, Applied: t.events.Applied, Skipped: t.events.Skipped,
		Failed: t.events.Failed, Unread: t.events.Unread, Bytes: t.bytes, Updates: t.updates,
		Seconds: seconds, LatencyMicros: percentiles(r.latency, 1e3), LatencySamples: r.latency.TotalCount(),
		PeakRSSBytes: peakRSS(), GCCPUFraction: r.usage.gcShare(),
		Ends: map[string]int64{}, Errors: map[string]int64{},
		Balanced: t.unbalanced == 0, Unbalanced: t.unbalanced,
		Checked: t.checked, Mismatches: t.mismatch, Differences: t.differences,
		checks: r.opt.Check, latency: r.latency,
	}
	if seconds > 0 {
		res.EventsPerSecond = float64(t.events.In) / seconds
		res.EventsPerSecondPerCore = res.EventsPerSecond / float64(res.Env.CPUs)
		res.MBPerSecond = float64(t.bytes) / 1e6 / seconds
	}
	if t.events.In > 0 {
		res.AllocsPerEvent = float64(r.usage.objects) / float64(t.events.In)
		res.BytesAllocatedPerEvent = float64(r.usage.bytes) / float64(t.events.In)
	}
	for k := engine.Success; k <= engine.Cancelled; k++ {
		if n := t.ends[k]; n > 0 {
			res.Ends[k.String()] = n
		}
	}
	for k := engine.KindProtocol; k <= engine.KindConfig; k++ {
		if n := t.errors[k]; n > 0 {
			res.Errors[k.String()] = n
		}
	}
	return res
}
