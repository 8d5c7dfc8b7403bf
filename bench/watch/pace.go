package watch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"
)

// pieceBytes is how much is read at once where events aren't paced.
const pieceBytes = 64 << 10

// feed reads a body and hands its pieces to take until its end, take's refusal, or the context's end. A positive pace
// makes each frame a piece and spaces them, so many a second. The error is the body's or the context's.
func feed(ctx context.Context, body io.Reader, pace float64, take func([]byte) bool) error {
	read := wholePieces(body)
	if pace > 0 {
		read = frames(body)
	}
	due := time.Now()
	for {
		p, err := read()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(p) > 0 {
			if pace > 0 && !sleep(ctx, &due, pace) {
				return ctx.Err()
			}
			if !take(p) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stoppable is a reader whose Read ends with the context, though the source's may block for good, as that of a terminal
// or a pipe does. A read that was given up stays behind until the source ends it.
type stoppable struct {
	ctx context.Context
	r   io.Reader
	buf []byte // not the caller's: a read that was given up still writes to it
	got chan result
}

type result struct {
	n   int
	err error
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.got == nil {
		s.buf, s.got = make([]byte, pieceBytes), make(chan result, 1)
	}
	buf := s.buf[:min(len(p), len(s.buf))]
	go func() {
		n, err := s.r.Read(buf)
		s.got <- result{n, err}
	}()
	select {
	case got := <-s.got:
		return copy(p, buf[:got.n]), got.err
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// sleep waits until the next piece is due. A reader that is late doesn't hurry to catch up.
func sleep(ctx context.Context, due *time.Time, pace float64) bool {
	*due = due.Add(time.Duration(float64(time.Second) / pace))
	wait := time.Until(*due)
	if wait <= 0 {
		*due = time.Now()
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func wholePieces(r io.Reader) func() ([]byte, error) {
	buf := make([]byte, pieceBytes)
	return func() ([]byte, error) {
		n, err := r.Read(buf)
		return buf[:n], err
	}
}

// frames cuts an event stream behind the blank line of each frame.
func frames(r io.Reader) func() ([]byte, error) {
	br := bufio.NewReaderSize(r, pieceBytes)
	var buf []byte
	return func() ([]byte, error) {
		buf = buf[:0]
		blank, text := false, false // the line so far, the frame so far
		var before byte
		for {
			c, err := br.ReadByte()
			if err != nil {
				return buf, err
			}
			buf = append(buf, c)
			switch {
			case c == '\n' && before == '\r': // the second half of a line end
			case c != '\n' && c != '\r':
				blank, text = false, true
			case blank && text:
				return buf, nil
			default:
				blank = true
			}
			before = c
		}
	}
}
