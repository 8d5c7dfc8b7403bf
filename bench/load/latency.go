package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aguistream/aguistream/bench"
)

// Latencies are kept in microseconds up to an hour, three digits.
const (
	latencyUnit   = time.Microsecond
	mostLatency   = int64(time.Hour / latencyUnit)
	latencyDigits = 3
)

// latency is a histogram of times.
type latency struct{ h *hdrhistogram.Histogram }

func newLatency() latency { return latency{hdrhistogram.New(1, mostLatency, latencyDigits)} }

func (l latency) record(d time.Duration) { l.records(d, 1) }

func (l latency) records(d time.Duration, n int64) {
	_ = l.h.RecordValues(min(max(int64(d/latencyUnit), 0), mostLatency), n) // it is in range now
}

// Distribution is a histogram in milliseconds.
type Distribution struct {
	bench.Percentiles
	Mean  float64 `json:"mean"`
	Count int64   `json:"count"`
}

func (l latency) distribution() Distribution {
	const unit = float64(time.Millisecond / latencyUnit)
	at := func(q float64) float64 { return float64(l.h.ValueAtQuantile(q)) / unit }
	d := Distribution{Count: l.h.TotalCount()}
	if d.Count == 0 {
		return d
	}
	d.Percentiles = bench.Percentiles{P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: float64(l.h.Max()) / unit}
	d.Mean = l.h.Mean() / unit
	return d
}

// gapStripes is how many histograms the gaps are spread over: they are recorded with every event, by many goroutines.
const gapStripes = 8

type stripe struct {
	mu   sync.Mutex
	gaps latency
}

// gap records the time before an event, and that those that came with it came at once.
func (s *stripe) gap(d time.Duration, events int64) {
	s.mu.Lock()
	s.gaps.record(d)
	if events > 1 {
		s.gaps.records(0, events-1)
	}
	s.mu.Unlock()
}
