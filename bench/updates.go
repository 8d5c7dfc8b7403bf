package bench

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// UpdatesOptions shape Updates. The zero value reads one run by the Loud rule set and prints its updates and warnings.
type UpdatesOptions struct {
	Input      InputKind
	Chunk      int // bytes a write; 0: as they are read
	Rules      engine.Rules
	NoVerify   bool
	Stream     bool   // go on after the first Done
	AdoptInput bool   // take over the input that RUN_STARTED echoes
	Send       string // a user message to push first, when HasSend
	HasSend    bool
	Full       bool // updates carry the message, or the subagent
	Trace      bool // print events too
	Snapshot   bool // a last line with the stores
}

// Updates reads one body and writes what it does, a line of JSON each. The error is nil whatever the runs did: it
// tells that reading or writing failed, after all that came before has been written.
func Updates(w io.Writer, r io.Reader, opt UpdatesOptions) error {
	in, err := OpenInput(r, opt.Input)
	if err != nil {
		return err
	}
	lines := NewLines(w)
	lines.Full = opt.Full
	stream, err := opt.stream(in, lines)
	if err != nil {
		return err
	}
	broken := feed(stream, in.Body, opt.Chunk, lines)
	_ = stream.CloseWithError(broken) // on the caller's goroutine it has no error to tell
	if opt.Snapshot {
		_ = stream.View(context.Background(), lines.Snapshot) // it is not released yet
	}
	return errors.Join(broken, lines.Flush())
}

func (opt *UpdatesOptions) stream(in *Input, lines *Lines) (*engine.Stream, error) {
	o := engine.StreamOptions{
		Rules: opt.Rules, NoVerify: opt.NoVerify, AdoptInput: opt.AdoptInput, StopAtDone: !opt.Stream, Warn: lines.Warning,
	}
	if opt.Trace {
		o.Trace = lines.Event
	}
	if err := in.Seed(&o); err != nil {
		return nil, err
	}
	if opt.HasSend {
		o.Messages = append(o.Messages, state.UserMessage(freeID(o.Messages), opt.Send))
	}
	return engine.NewStream(lines, o)
}

// freeID counts user-1, user-2 and so on, past ids in use.
func freeID(held []*engine.Message) string {
	used := map[string]bool{}
	for _, m := range held {
		used[m.ID] = true
	}
	for n := 1; ; n++ {
		if id := fmt.Sprintf("user-%d", n); !used[id] {
			return id
		}
	}
}

const readBytes = 64 << 10

// feed writes a body into a stream until its end, or until the stream takes no more. It returns what kept the body
// from being read.
func feed(stream *engine.Stream, body io.Reader, chunk int, lines *Lines) error {
	buf := make([]byte, readBytes)
	read := body.Read
	if chunk > 0 {
		buf = make([]byte, chunk)
		read = func(p []byte) (int, error) {
			n, err := io.ReadFull(body, p)
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return n, err
		}
	}
	for open := true; open; {
		n, err := read(buf)
		if n > 0 {
			open = takes(stream, buf[:n]) && lines.Err() == nil // what closed the stream is among the lines already
		}
		switch {
		case !open:
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// takes writes, and tells whether the stream takes more.
func takes(stream *engine.Stream, p []byte) bool {
	_, closed := stream.Write(p)
	return closed == nil
}
