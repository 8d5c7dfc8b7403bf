package decode

// DefaultFrameLimit is the most bytes that a Framer lets pend when its Limit is 0.
const DefaultFrameLimit = 8 << 20

// Frame is one dispatched event of the stream.
type Frame struct {
	Data   []byte
	Offset int64
}

// Framer takes an event stream apart.
type Framer struct {
	Limit int
}

func (f *Framer) Feed(chunk []byte)     {}
func (f *Framer) Next() (Frame, bool)   { return Frame{}, false }
func (f *Framer) Finish() (Frame, bool) { return Frame{}, false }
func (f *Framer) Err() error            { return nil }
func (f *Framer) Offset() int64         { return 0 }
func (f *Framer) Reset()                {}
func (f *Framer) LastEventID() []byte   { return nil }
func (f *Framer) EventName() []byte     { return nil }
func (f *Framer) Retry() int64          { return 0 }
