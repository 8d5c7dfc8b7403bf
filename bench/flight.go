package bench

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aguistream/aguistream/engine"
)

// flight is one stream on its way. Its feeder owns the first part, its shard the second; who ends it reads both, after
// the stream's View. The writes of a stream order what the feeder and the shard do; only answer is read against that order.
type flight struct {
	key    string
	reel   *reel
	stream *engine.Stream
	pos    int      // of the next write
	write  int      // its number
	next   int      // the timed write to come, in the reel's list
	timed  int      // and in stamps
	stamp  int      // offset of that write; -1: there is none
	short  bool     // cut off before its bytes were all fed
	_      [64]byte // what follows is written on another CPU

	updates int64
	due     int64 // number of the update that answers the timed write at heard
	heard   int
	answer  atomic.Int32 // heard, for the feeder
	stamps  []int64      // a timed write's time; once heard, its latency (ns); 0: not taken
	phase   int          // which of the writes that could be timed are
	cut     bool         // what comes now is not the stream's own doing
	ends    [engine.Cancelled + 1]int64
	errors  [engine.KindConfig + 1]int64
	fatal   int64 // offset of the last error
	counts  engine.Counts
	stores  []byte
	await   bool // Close gives a Done yet
	done    chan struct{}
}

// timeEvery is the share of writes that are timed: few enough that the clock costs nothing.
const timeEvery = 8

// timedAhead bounds how many timed writes may wait for their answer before the stream is fed more. Without it a feeder
// that is faster than the shards would fill the mailboxes, and what is timed would be their size.
const timedAhead = 4

func newFlight(i int) flight {
	return flight{key: strconv.Itoa(i), done: make(chan struct{}, 1)}
}

// begin makes the flight ready for a reel.
func (f *flight) begin(r *reel, phase int) {
	f.reel, f.pos, f.write, f.short = r, 0, 0, false
	f.updates, f.heard, f.timed, f.fatal = 0, 0, 0, 0
	f.cut, f.await = false, false
	f.answer.Store(0)
	f.ends, f.errors, f.counts = [len(f.ends)]int64{}, [len(f.errors)]int64{}, engine.Counts{}
	f.stores = f.stores[:0]
	f.phase = phase % timeEvery
	f.next = f.phase
	f.aim()
	n := (len(r.timed) + timeEvery - 1 - f.phase) / timeEvery
	f.stamps = slices.Grow(f.stamps[:0], n)[:n]
	clear(f.stamps)
	f.expect()
}

// aim finds the next timed write.
func (f *flight) aim() {
	f.stamp = -1
	if f.next < len(f.reel.timed) {
		f.stamp = f.reel.timed[f.next].at
	}
}

// expect sets the update that the next timed write waits for.
func (f *flight) expect() {
	f.due = 0
	if i := f.phase + f.heard*timeEvery; i < len(f.reel.timed) {
		f.due = f.reel.timed[i].update
	}
}

// sent tells what a turn of feeding did.
type sent uint8

const (
	wrote sent = iota
	waits      // the shard is behind with this stream
	over       // there is no more to feed
)

// send feeds the next write, and takes its time if clock isn't nil.
func (f *flight) send(clock func() int64) (int, sent) {
	r := f.reel
	if f.pos >= len(r.Bytes) {
		return 0, over
	}
	if f.pos == f.stamp {
		if f.timed >= int(f.answer.Load())+timedAhead {
			return 0, waits
		}
		if clock != nil {
			f.stamps[f.timed] = clock()
		}
		f.timed++
		f.next += timeEvery
		f.aim()
	}
	end := r.end(f.pos, f.write)
	if _, err := f.stream.Write(r.Bytes[f.pos:end]); err != nil {
		return 0, over // an error closed the stream: the rest goes unread
	}
	n := end - f.pos
	f.pos, f.write = end, f.write+1
	if end == len(r.Bytes) {
		return n, over
	}
	return n, wrote
}

// update is the shard's side: it counts, and answers timed writes.
func (f *flight) update(s *engine.Stream, u engine.Update, clock func() int64, check bool) {
	f.updates++
	if f.updates == f.due {
		if sent := f.stamps[f.heard]; sent != 0 {
			f.stamps[f.heard] = clock() - sent
		}
		f.heard++
		f.answer.Store(int32(f.heard))
		f.expect()
	}
	switch u := u.(type) {
	case *engine.ErrorUpdate:
		if f.cut {
			return
		}
		f.errors[u.Err.Kind]++
		f.fatal = u.Err.Offset
	case *engine.Done:
		if !f.cut {
			f.ends[u.End.Kind]++
		}
		if f.await {
			if check {
				f.stores = s.HandlerView().AppendJSON(f.stores[:0])
			}
			f.done <- struct{}{}
		}
	}
}

// end looks at the stores a last time and ends the stream. A body that breaks off gives its Done only then.
func (f *flight) end(ctx context.Context, check bool) error {
	await := false
	err := f.stream.View(ctx, func(v engine.View) {
		f.counts = v.Counts()
		_, ended := v.LastEnd()
		await = !ended || v.Running()
		f.await, f.cut = await, f.short
		if check && !f.short {
			f.stores = v.AppendJSON(f.stores[:0])
		}
	})
	if err != nil {
		return err
	}
	if err := f.stream.Close(); err != nil && !errors.Is(err, engine.ErrClosed) {
		return err
	}
	if !await {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// balance is what became of the events of one flight.
type balance struct{ In, Applied, Skipped, Failed, Unread int64 }

func (b balance) plus(o balance) balance {
	return balance{b.In + o.In, b.Applied + o.Applied, b.Skipped + o.Skipped, b.Failed + o.Failed, b.Unread + o.Unread}
}

func (b balance) holds() bool { return b.In == b.Applied+b.Skipped+b.Failed+b.Unread }

// balance counts events in by framing the body, those unread by where the stream's last error stood, and the rest by
// the engine's own counts: three sources, so that the sum can be wrong.
func (f *flight) balance() balance {
	c := &f.counts
	b := balance{In: int64(len(f.reel.offsets)), Applied: c.Applied, Skipped: c.Skipped, Failed: c.Failed}
	switch {
	case f.short:
		b.In = f.reel.framesIn(f.pos)
	case c.Failed > 0:
		b.Unread = f.reel.framesAfter(f.fatal)
	}
	return b
}

// stopwatch is a monotonic clock in nanoseconds.
func stopwatch() func() int64 {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) }
}
