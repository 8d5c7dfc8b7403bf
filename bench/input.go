package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// InputKind says how recorded bytes are to be read.
type InputKind uint8

// The kinds of input.
const (
	AutoInput    InputKind = iota // by content
	SSEInput                      // an event stream
	EventsInput                   // events in JSON: an array of them, or one a line
	FixtureInput                  // a conformance file: `stream` holds the events, `input` the seeds
)

var inputKinds = [...]string{AutoInput: "auto", SSEInput: "sse", EventsInput: "events", FixtureInput: "fixture"}

// ParseInputKind reads a kind's name.
func ParseInputKind(name string) (InputKind, error) {
	for k, s := range inputKinds {
		if s == name {
			return InputKind(k), nil
		}
	}
	return 0, fmt.Errorf("%q is none of auto, sse, events, fixture", name)
}

// Input is the body of one event stream, and what its stores held before it. Events that come as JSON are made into
// frames.
type Input struct {
	// Body gives the event stream. What its Read returns besides io.EOF is an error of the source, or says that the
	// source is not what its kind promises.
	Body io.Reader
	// Messages and State are the seeds, as JSON text; nil when there are none.
	Messages, State json.RawMessage
}

// detectBytes is how much of a source is looked at to tell its kind.
const detectBytes = 64 << 10

// OpenInput makes an Input of a source. Only fixtures are read whole, at once.
func OpenInput(r io.Reader, kind InputKind) (*Input, error) {
	br := bufio.NewReaderSize(r, detectBytes)
	if kind == SSEInput {
		return &Input{Body: br}, nil
	}
	first, err := skipSpace(br, kind == AutoInput)
	if err != nil {
		return nil, err
	}
	if kind == AutoInput {
		kind, r, err = detect(br, first)
		if err != nil {
			return nil, err
		}
		if r != nil {
			br = bufio.NewReaderSize(r, detectBytes)
		}
	}
	switch {
	case kind == SSEInput:
		return &Input{Body: br}, nil
	case kind == FixtureInput:
		return openFixture(br)
	case first == '[':
		return &Input{Body: &frameReader{next: arrayEvents(br)}}, nil
	}
	return &Input{Body: &frameReader{next: lineEvents(br)}}, nil
}

// Seed puts the seeds into a stream's options, as the boundary reads such material from the application: what is
// unknown is stripped without a word.
func (in *Input) Seed(opt *engine.StreamOptions) error {
	if len(in.State) > 0 {
		opt.State = engine.JSON(in.State)
	}
	if len(in.Messages) == 0 {
		return nil
	}
	quiet := state.Enforcer{QuietBinary: true}
	list, err := quiet.Messages(in.Messages, "/messages")
	if err != nil {
		return fmt.Errorf("input.messages: %w", err)
	}
	opt.Messages = append(opt.Messages, list...)
	return nil
}

// skipSpace passes white space and a BOM, and peeks at what follows; 0 at the end. With keep it passes nothing that an
// event stream would miss: it only looks.
func skipSpace(br *bufio.Reader, keep bool) (byte, error) {
	for n := 1; ; n++ {
		head, err := br.Peek(n)
		if len(head) < n {
			if err == io.EOF || errors.Is(err, bufio.ErrBufferFull) {
				return 0, nil
			}
			return 0, err
		}
		c := head[n-1]
		if n <= 3 && c == "\uFEFF"[n-1] || c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		if !keep {
			_, err = br.Discard(n - 1)
		}
		return c, err
	}
}

// detect tells a source's kind by its first byte that counts, and an object by its members: an event has a type, a
// fixture a stream and none. It returns a reader from the start if br is not at it any more.
func detect(br *bufio.Reader, first byte) (InputKind, io.Reader, error) {
	if first != '{' && first != '[' {
		return SSEInput, nil, nil
	}
	if _, err := skipSpace(br, false); err != nil {
		return 0, nil, err
	}
	if first == '[' {
		return EventsInput, nil, nil
	}
	var seen bytes.Buffer
	source := &sourceReader{r: br}
	kind := objectKind(json.NewDecoder(io.TeeReader(source, &seen)))
	if source.err != nil {
		return 0, nil, source.err
	}
	return kind, io.MultiReader(&seen, br), nil
}

// objectKind reads the first object as far as it must.
func objectKind(dec *json.Decoder) InputKind {
	hasStream := false
	if _, err := dec.Token(); err != nil {
		return EventsInput
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "type" {
			return EventsInput
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return EventsInput
		}
		hasStream = hasStream || key == "stream" && value[0] == '['
	}
	if hasStream {
		return FixtureInput
	}
	return EventsInput
}

// sourceReader remembers the error of a source that a decoder between would wrap or swallow.
type sourceReader struct {
	r   io.Reader
	err error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func openFixture(r io.Reader) (*Input, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var fixture struct {
		Stream []json.RawMessage `json:"stream"`
		Input  struct {
			Messages json.RawMessage `json:"messages"`
			State    json.RawMessage `json:"state"`
		} `json:"input"`
	}
	if err := json.Unmarshal(text, &fixture); err != nil {
		return nil, fmt.Errorf("not a fixture: %w", err)
	}
	if fixture.Stream == nil {
		return nil, errors.New("not a fixture: it has no stream of events")
	}
	i := 0
	next := func() ([]byte, error) {
		if i == len(fixture.Stream) {
			return nil, io.EOF
		}
		i++
		return fixture.Stream[i-1], nil
	}
	return &Input{Body: &frameReader{next: next}, Messages: fixture.Input.Messages, State: fixture.Input.State}, nil
}

// frameReader makes frames of events, as they are asked for.
type frameReader struct {
	next func() ([]byte, error)
	rest []byte
	err  error
}

func (f *frameReader) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		event, err := f.next()
		if f.err = err; err == nil {
			f.rest = engine.Frames(string(event))
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// arrayEvents gives the elements of an array.
func arrayEvents(r io.Reader) func() ([]byte, error) {
	source := &sourceReader{r: r}
	dec := json.NewDecoder(source)
	fault := func(err error) error {
		switch {
		case source.err != nil:
			return source.err
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return errors.New("the array of events is cut short")
		}
		return fmt.Errorf("not an array of events: %w", err)
	}
	begun, ended := false, false
	return func() ([]byte, error) {
		if ended {
			return nil, io.EOF
		}
		if !begun {
			if _, err := dec.Token(); err != nil {
				return nil, fault(err)
			}
			begun = true
		}
		if dec.More() {
			var event json.RawMessage
			if err := dec.Decode(&event); err != nil {
				return nil, fault(err)
			}
			return event, nil
		}
		if _, err := dec.Token(); err != nil {
			return nil, fault(err)
		}
		ended = true
		if _, err := dec.Token(); err != io.EOF {
			return nil, fault(fmt.Errorf("more follows it at byte %d", dec.InputOffset()))
		}
		return nil, io.EOF
	}
}

// lineEvents gives the lines that hold anything. Whether they are events is for the engine to say.
func lineEvents(br *bufio.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		for {
			line, err := br.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				if err == io.EOF {
					err = nil
				}
				return line, err
			}
			if err != nil {
				return nil, err
			}
		}
	}
}
