package load

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
)

// Result is what a load did. Its JSON is the one that the command line promises, schema 1.
type Result struct {
	Schema  int       `json:"schema"`
	Command string    `json:"command"`
	Env     bench.Env `json:"env"`

	URL             string  `json:"url"`
	Rate            float64 `json:"rate"`     // runs begun a second; 0: InFlight of them were kept
	InFlight        int     `json:"inFlight"` // runs that may be in flight
	DurationSeconds float64 `json:"durationSeconds"`
	RampSeconds     float64 `json:"rampSeconds"`
	DrainSeconds    float64 `json:"drainSeconds"` // that those in flight at the end may go on for
	Rules           string  `json:"rules"`
	Message         string  `json:"message"` // what the user says

	Seconds         float64 `json:"seconds"` // until the last run was over
	RunsStarted     int64   `json:"runsStarted"`
	RunsDone        int64   `json:"runsDone"`       // over, one way or another
	RunsCut         int64   `json:"runsCut"`        // left in flight at the end
	RunsNotMade     int64   `json:"runsNotMade"`    // for want of something on this side
	RunsWithErrors  int64   `json:"runsWithErrors"` // of those done
	PeakInFlight    int64   `json:"peakInFlight"`
	Events          int64   `json:"events"`
	EventsPerSecond float64 `json:"eventsPerSecond"`
	Bytes           int64   `json:"bytes"`

	Ends   map[string]int64 `json:"ends"`   // of the runs done
	Errors map[string]int64 `json:"errors"` // by kind; without those that GeneratorLimits count

	GeneratorLimits GeneratorLimits `json:"generatorLimits"`
	Valid           bool            `json:"valid"` // no limit on this side was met
	BoundedBy       string          `json:"boundedBy"`
	CPU             CPU             `json:"cpu"`
	Memory          Memory          `json:"memory"`

	// From the time that a run was meant to start; EventGapMillis between two events of a run, ServiceMillis from when
	// it did start.
	FirstEventMillis Distribution `json:"firstEventMillis"`
	FirstTokenMillis Distribution `json:"firstTokenMillis"`
	EventGapMillis   Distribution `json:"eventGapMillis"`
	RunMillis        Distribution `json:"runMillis"`
	ServiceMillis    Distribution `json:"serviceMillis"`

	SLO []Verdict `json:"slo,omitempty"`

	Timeline []Sample `json:"timeline"` // from the beginning to the end, in order
}

// WriteJSON writes the result as one line of JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func (l *loader) result(seconds float64, f found) *Result {
	s := &l.sum
	f.cpu.StartMillis = s.startLag.distribution().P99
	r := &Result{
		Schema: 1, Command: "load", Env: bench.ThisEnv(),
		URL: l.opt.URL, Rate: l.opt.Rate, InFlight: l.opt.Runs,
		DurationSeconds: l.opt.Duration.Seconds(), RampSeconds: l.opt.Ramp.Seconds(),
		DrainSeconds: l.opt.Drain.Seconds(), Rules: l.opt.Rules.String(), Message: l.opt.Message,
		Seconds: seconds, RunsStarted: l.started.Load(), RunsDone: s.done, RunsCut: s.cut, RunsWithErrors: s.failed,
		PeakInFlight: l.peak.Load(), Events: l.events.Load(), Bytes: l.bytes.Load(),
		Ends: map[string]int64{}, Errors: map[string]int64{},
		GeneratorLimits: l.limits(f.cpu), CPU: f.cpu, Memory: f.mem,
		FirstEventMillis: s.firstEvent.distribution(), FirstTokenMillis: s.firstToken.distribution(),
		RunMillis: s.run.distribution(), ServiceMillis: s.service.distribution(),
		Timeline: l.timeline,
	}
	r.EventsPerSecond = ratio(float64(r.Events), seconds)
	for _, n := range s.limited {
		r.RunsNotMade += n
	}
	gaps := newLatency()
	for i := range l.stripes {
		gaps.h.Merge(l.stripes[i].gaps.h)
	}
	r.EventGapMillis = gaps.distribution()
	for k := engine.Success; k <= engine.Cancelled; k++ {
		if n := s.ends[k]; n > 0 {
			r.Ends[k.String()] = n
		}
	}
	for k := engine.KindProtocol; k <= engine.KindConfig; k++ {
		if n := s.errors[k]; n > 0 {
			r.Errors[k.String()] = n
		}
	}
	limits := r.GeneratorLimits.text()
	r.Valid = len(limits) == 0
	r.BoundedBy = r.bound(limits)
	return r
}

// failing is the share of runs with errors from which on it is they that the load is bound by.
const failing = 0.5

// bound says what kept the load from being more.
func (r *Result) bound(limits []string) string {
	failed := ""
	if r.RunsDone > 0 && float64(r.RunsWithErrors) >= failing*float64(r.RunsDone) {
		failed = fmt.Sprintf("the server's failures: %s of %s runs had errors", grouped(r.RunsWithErrors), grouped(r.RunsDone))
	}
	if len(limits) > 0 {
		text := "this side: " + strings.Join(limits, "; ")
		if failed != "" {
			text += "; and " + failed
		}
		return text
	}
	machine := ""
	if r.CPU.Machine > busyShare {
		machine = fmt.Sprintf(", on a machine whose CPUs are %.0f %% busy", 100*r.CPU.Machine)
	}
	switch {
	case failed != "":
		return failed
	case r.Rate > 0:
		return fmt.Sprintf("the schedule: %g runs a second were begun on time%s", r.Rate, machine)
	}
	return fmt.Sprintf("the runs in flight: each of %s waited for the server (%.2f of %d cores used here)%s",
		grouped(r.PeakInFlight), r.CPU.Cores, r.CPU.Of, machine)
}
