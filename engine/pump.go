package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// Reads wait with a small buffer, as large as what net/http holds of a connection, and take a large one when more is
// there than the small one holds, or when the last piece filled half of the large one. So a body that brings an event at
// a time holds 4 KiB of ours, and a fast one is read in large pieces.
const (
	readSmall = 4 << 10
	readLarge = 32 << 10
)

// readBuffer is one run's read buffer: at any time one of the two sizes.
type readBuffer struct{ buf []byte }

var (
	smallBuffers = sync.Pool{New: func() any { return new([readSmall]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([readLarge]byte) }}

	// buffersOut counts the buffers that runs hold, for the tests.
	buffersOut atomic.Int64
)

func (b *readBuffer) take(size int) {
	if len(b.buf) == size {
		return
	}
	b.release()
	buffersOut.Add(1)
	if size == readSmall {
		b.buf = smallBuffers.Get().(*[readSmall]byte)[:]
		return
	}
	b.buf = largeBuffers.Get().(*[readLarge]byte)[:]
}

func (b *readBuffer) release() {
	switch len(b.buf) {
	case 0:
		return
	case readSmall:
		smallBuffers.Put((*[readSmall]byte)(b.buf))
	default:
		largeBuffers.Put((*[readLarge]byte)(b.buf))
	}
	b.buf = nil
	buffersOut.Add(-1)
}

var errNoBody = errors.New("the transport gave neither a body nor an error")

// pump makes a request and hands its body on, piece by piece, until its end. take's error ends it too: ErrClosed when
// it has all it wanted.
func pump(ctx context.Context, t Transport, in *RunAgentInput, take func([]byte) error) error {
	body, err := t.Run(ctx, in)
	if err != nil {
		return err
	}
	if body == nil {
		return errNoBody
	}
	// A read that is stuck is unblocked by closing the body.
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		closeBody(body)
	})
	defer func() {
		if stop() {
			closeBody(body)
			return
		}
		<-closed
	}()
	var b readBuffer
	defer b.release()
	size := readSmall
	for {
		b.take(size)
		n, err := body.Read(b.buf)
		if n > 0 {
			if err := take(b.buf[:n]); err != nil {
				if d, ok := body.(drainer); ok && errors.Is(err, ErrClosed) && ctx.Err() == nil {
					d.drain()
				}
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		if size = readSmall; n == len(b.buf) || n >= readLarge/2 {
			size = readLarge
		}
	}
}

// drainer is a body that is better read to its end than closed before, when the end is near.
type drainer interface{ drain() }

// closeBody keeps a panic of a body's Close, which may come on a goroutine that nobody guards, from ending the program.
// The run doesn't need what Close says: its reads have told.
func closeBody(body io.Closer) {
	defer func() { _ = recover() }()
	_ = body.Close()
}
