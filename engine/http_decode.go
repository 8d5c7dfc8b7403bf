package engine

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// decode puts the decoder of a content coding in front of the wire.
func (b *httpBody) decode(coding string) error {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
	case "gzip", "x-gzip":
		b.src = &inflater{wire: &b.wire, name: "gzip", open: (*inflater).openGzip}
	case "deflate":
		b.src = &inflater{wire: &b.wire, name: "deflate", open: (*inflater).openDeflate}
	default:
		return errors.New("the answer's content coding is " + strconv.Quote(coding) + ", gzip or deflate was asked for")
	}
	return nil
}

// inflater decodes a body as it comes. It never waits for bytes while it has some to give, and holds the coding's
// window of 32 KiB and the buffer of the wire, however much the bytes expand.
type inflater struct {
	wire io.Reader
	name string
	open func(*inflater) error

	tools *inflateTools // from the first read to the end
	src   io.Reader     // of the member that is being read
	begun bool
	err   error
}

// inflateTools are what decoding takes, some 45 KiB, kept for the next body.
type inflateTools struct {
	in   *bufio.Reader
	gzip *gzip.Reader
	zlib io.ReadCloser
	raw  io.ReadCloser
}

var toolPool = sync.Pool{New: func() any { return &inflateTools{in: bufio.NewReaderSize(nil, readSmall)} }}

func (f *inflater) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.tools == nil {
		f.tools = toolPool.Get().(*inflateTools)
		f.tools.in.Reset(f.wire)
	}
	for {
		n, err := f.step(p)
		if err != nil {
			f.end(err)
		}
		if n > 0 || f.err != nil {
			return n, f.err
		}
	}
}

func (f *inflater) step(p []byte) (int, error) {
	if f.src == nil {
		if _, err := f.tools.in.Peek(1); err != nil {
			return 0, err // the clean end is here, between members
		}
		if err := f.open(f); err != nil {
			return 0, corrupt(f.name, err)
		}
		f.begun = true
	}
	n, err := f.src.Read(p)
	if err == io.EOF {
		f.src = nil // another member may follow, not before what this one gave is handed on
		return n, nil
	}
	return n, corrupt(f.name, err)
}

// end gives the tools back: the wire has no more for them.
func (f *inflater) end(err error) {
	f.err = err
	f.tools.in.Reset(nil)
	toolPool.Put(f.tools)
	f.tools, f.src = nil, nil
}

func (f *inflater) openGzip() error {
	t := f.tools
	var err error
	if t.gzip == nil {
		t.gzip, err = gzip.NewReader(t.in)
	} else {
		err = t.gzip.Reset(t.in)
	}
	if err != nil {
		return err
	}
	t.gzip.Multistream(false) // by itself it would wait for a next member before it gives the rest of this one
	f.src = t.gzip
	return nil
}

// openDeflate takes the zlib format, which deflate means in HTTP, and bare deflate, which some servers send instead.
func (f *inflater) openDeflate() error {
	t := f.tools
	if f.begun {
		return errBehind
	}
	head, err := t.in.Peek(2)
	if err == nil && head[0]&0x0F == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		if t.zlib == nil {
			t.zlib, err = zlib.NewReader(t.in)
		} else {
			err = t.zlib.(zlib.Resetter).Reset(t.in, nil)
		}
		f.src = t.zlib
		return err
	}
	if t.raw == nil {
		t.raw = flate.NewReader(t.in)
	} else if err := t.raw.(flate.Resetter).Reset(t.in, nil); err != nil {
		return err
	}
	f.src = t.raw
	return nil
}

var errBehind = errors.New("bytes after the end of the deflate body")

// corrupt says that a body's coding is at fault, if the decoder says so and not the wire.
func corrupt(name string, err error) error {
	var bad flate.CorruptInputError
	switch {
	case errors.As(err, &bad), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary):
		return fmt.Errorf("corrupt %s body: %w", name, err)
	}
	return err
}
