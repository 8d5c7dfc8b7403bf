package load

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"time"

	"github.com/aguistream/aguistream/engine"
)

// Defaults of Options.
const (
	DefaultRuns     = 100
	DefaultDuration = 10 * time.Second
	DefaultDrain    = 10 * time.Second
	DefaultInFlight = 10_000
	DefaultMessage  = "Hello"
)

const mostInFlight = 1_000_000

// Options shape Run. Only URL must be given.
type Options struct {
	URL string
	// Rate is how many runs are begun a second, whatever the server does; 0: Runs are kept in flight instead.
	Rate float64
	// Runs is how many are in flight at once; with Rate it is the most that may be (0: DefaultInFlight).
	Runs     int
	Duration time.Duration // runs are begun for so long; 0: DefaultDuration
	// Ramp is the time, at the beginning of Duration, in which the rate or the runs in flight grow to what they are to be.
	// 0: none for a rate; for runs in flight 1 ms each, at most a tenth of Duration, so that they don't all knock at once.
	// Negative: none.
	Ramp    time.Duration
	Drain   time.Duration // those in flight at the end may go on for so long; 0: DefaultDrain, negative: not at all
	Message string        // what the user says; empty: DefaultMessage
	Rules   engine.Rules
	Limits  engine.HTTPLimits
	Live    io.Writer // if set, a line of progress is drawn there over and over
}

// Check finds options that make no sense.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

func (o Options) withDefaults() (Options, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return o, err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return o, fmt.Errorf("%q is no http or https URL", o.URL)
	case o.Rate < 0 || math.IsNaN(o.Rate) || math.IsInf(o.Rate, 0):
		return o, fmt.Errorf("%v runs a second are no rate", o.Rate)
	case o.Runs < 0 || o.Runs > mostInFlight:
		return o, fmt.Errorf("%d runs in flight are out of 1..%d", o.Runs, mostInFlight)
	case o.Duration < 0:
		return o, errors.New("a time is less than 0")
	}
	if o.Runs == 0 {
		o.Runs = DefaultRuns
		if o.Rate > 0 {
			o.Runs = DefaultInFlight
		}
	}
	if o.Duration == 0 {
		o.Duration = DefaultDuration
	}
	switch {
	case o.Drain == 0:
		o.Drain = DefaultDrain
	case o.Drain < 0:
		o.Drain = 0
	}
	switch {
	case o.Ramp < 0:
		o.Ramp = 0
	case o.Ramp == 0 && o.Rate == 0:
		o.Ramp = min(time.Duration(o.Runs)*time.Millisecond, o.Duration/10)
	}
	if o.Ramp > o.Duration {
		return o, fmt.Errorf("the ramp of %v is longer than the %v that runs are begun for", o.Ramp, o.Duration)
	}
	if o.Message == "" {
		o.Message = DefaultMessage
	}
	return o, nil
}
