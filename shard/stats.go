package shard

import "sync/atomic"

// WorkerStats counts one worker's work. All are totals since New but Open and
// Waiting, which are levels.
type WorkerStats struct {
	Open    int64  // mailboxes open: not ended yet
	Waiting int64  // bytes accepted and not received yet; lags by less than one buffer a mailbox
	Batches uint64 // calls of Receive
	Bytes   uint64 // bytes received
	Calls   uint64 // functions run for Do, those run inline not counted
	Dropped uint64 // bytes accepted but not received: Fail, a panic, a Shutdown cut short
	Wakeups uint64 // times that the worker was woken from sleep
	Panics  uint64 // panics recovered
}

// Stats is a snapshot, by worker. Counters of one worker are read one by one,
// not all at one moment.
type Stats struct {
	Workers []WorkerStats
}

// Total adds the workers up.
func (st Stats) Total() WorkerStats {
	var t WorkerStats
	for _, w := range st.Workers {
		t.Open += w.Open
		t.Waiting += w.Waiting
		t.Batches += w.Batches
		t.Bytes += w.Bytes
		t.Calls += w.Calls
		t.Dropped += w.Dropped
		t.Wakeups += w.Wakeups
		t.Panics += w.Panics
	}
	return t
}

// Stats reads the counters: a few loads a worker, however many mailboxes, and
// no lock. They stay readable after Shutdown.
func (s *Set) Stats() Stats {
	st := Stats{Workers: make([]WorkerStats, len(s.workers))}
	for i, w := range s.workers {
		st.Workers[i] = WorkerStats{
			Open:    w.open.Load(),
			Waiting: w.waiting.Load(),
			Batches: w.count.batches.Load(),
			Bytes:   w.count.bytes.Load(),
			Calls:   w.count.calls.Load(),
			Dropped: w.count.dropped.Load(),
			Wakeups: w.count.wakeups.Load(),
			Panics:  w.count.panics.Load(),
		}
	}
	return st
}

// counters are a worker's own: it alone writes them (dropped apart), once a
// turn.
type counters struct {
	batches atomic.Uint64
	bytes   atomic.Uint64
	calls   atomic.Uint64
	dropped atomic.Uint64
	wakeups atomic.Uint64
	panics  atomic.Uint64
}

// cacheLine keeps what different CPUs write apart. 128 because CPUs fetch
// lines in pairs.
type cacheLine [128]byte
