package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

// Types of requests, under the names a user of this package needs.
type (
	// RunAgentInput is the request of a run (protocol, section 2.7).
	RunAgentInput = state.RunAgentInput
	// Tool is a tool that the application offers to the agent.
	Tool = state.Tool
	// Context is a piece of context for the agent.
	Context = state.Context
	// ResumeEntry answers one interrupt.
	ResumeEntry = state.ResumeEntry
	// Part is one content part of a message.
	Part = state.Part
	// Source is where a media part's bytes are.
	Source = state.Source
	// OptString is a string that may be absent.
	OptString = state.OptString
)

// Transport makes a request and gives the body of its answer: an event stream, cut anywhere.
//
// Run may block; it must return soon after ctx is over. The body is closed exactly once by whoever called Run; Close
// must unblock a Read. An error that is an *Error is reported as it is (KindHTTP, say), any other as KindTransport.
type Transport interface {
	// Run makes the request and gives the body of its answer.
	Run(ctx context.Context, in *RunAgentInput) (io.ReadCloser, error)
}

// Replay is a transport that answers from memory: each request gets the next body, the last one again and again. It
// remembers the requests. It may not be used from several goroutines at once.
type Replay struct {
	bodies [][]byte
	// Chunk, when positive, is the most that one Read of the body gives.
	Chunk int
	// Requests are the inputs received, as JSON.
	Requests [][]byte
}

// ReplayBytes is a transport that answers with recorded bodies.
func ReplayBytes(bodies ...[]byte) *Replay { return &Replay{bodies: bodies} }

// ReplayEvents is a transport that answers with one body, made of events in JSON.
func ReplayEvents(events ...string) *Replay {
	return &Replay{bodies: [][]byte{Frames(events...)}}
}

// Frames makes an event stream of events in JSON: a frame each.
func Frames(events ...string) []byte {
	var b bytes.Buffer
	for _, e := range events {
		// A line end inside the JSON is white space; each line is a data field of its own.
		for line := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(e, "\r\n", "\n"), "\r", "\n"), "\n") {
			b.WriteString("data: ")
			b.WriteString(line)
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Run answers with the next body.
func (r *Replay) Run(ctx context.Context, in *RunAgentInput) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.Requests = append(r.Requests, in.AppendJSON(nil))
	if len(r.bodies) == 0 {
		return nil, errors.New("replay: no body")
	}
	body := r.bodies[min(len(r.Requests), len(r.bodies))-1]
	var rd io.Reader = bytes.NewReader(body)
	if r.Chunk > 0 {
		rd = &chunkReader{rd, r.Chunk}
	}
	return io.NopCloser(rd), nil
}

type chunkReader struct {
	r io.Reader
	n int
}

func (c *chunkReader) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

// validJSON says whether text that a caller handed in is JSON within the default nesting.
func validJSON(b []byte) bool { return decode.Valid(b, DefaultDepth) }
