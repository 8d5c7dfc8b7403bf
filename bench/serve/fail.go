package serve

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is a way in which a run is made to fail.
type Fault uint8

// The faults.
const (
	NoFault    Fault = iota
	Refuse           // 503 in place of a stream
	Cut              // the connection is closed in the midst of a frame
	Stall            // no byte comes any more, and the connection stays
	ErrorEvent       // RUN_ERROR in the midst of the run
	Garbage          // a frame that is no JSON
	SlowHeader       // the answer's header comes late
)

var faults = [...]string{
	NoFault: "none", Refuse: "refuse", Cut: "cut", Stall: "stall", ErrorEvent: "error", Garbage: "garbage",
	SlowHeader: "slow-header",
}

// String is the fault's name.
func (f Fault) String() string {
	if int(f) < len(faults) {
		return faults[f]
	}
	return "unknown"
}

// Faults lists the names.
func Faults() []string { return faults[1:] }

// ParseFault reads a name.
func ParseFault(name string) (Fault, error) {
	i := slices.Index(faults[:], name)
	if i < 0 {
		return NoFault, fmt.Errorf("%q is none of %s", name, strings.Join(Faults(), ", "))
	}
	return Fault(i), nil
}

// fails tells whether run n (from 1) is among those that fail: evenly spread, so that a rate of 0.5 is every other run,
// and the same for every start of the agent.
func fails(n int64, rate float64) bool {
	return int64(float64(n)*rate) > int64(float64(n-1)*rate)
}

var (
	garbageFrame = []byte("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"delta\":\x00\xff\xfe}}<html>\n\n")
	errorFrame   = []byte(`data: {"type":"RUN_ERROR","message":"the agent was told to fail","code":"aguibench_fail"}` + "\n\n")
	leavingFrame = []byte(`data: {"type":"RUN_ERROR","message":"the server is shutting down","code":"shutdown"}` + "\n\n")
	keepAlive    = []byte(": keep-alive\n\n")
)
