// Package shard runs very many ordered streams of bytes on a few goroutines.
//
// # Terms
//
// A [Set] is a fixed number of workers, each one goroutine. A [Mailbox] is a
// bounded queue of bytes that belongs to one worker for life, chosen by hash
// from its key. A [Receiver] is what a mailbox feeds: its worker calls it with
// what was written, in order, never two calls at a time, so a receiver needs no
// lock for what is its own. Receivers of one worker share its goroutine and may
// share what they keep by worker, free lists say.
//
// The package knows nothing of what the bytes mean.
//
// # A stream's life
//
//	set := shard.New(shard.Config{})
//	box, err := set.Open("thread-1", func(worker int) shard.Receiver { ... })
//	_, err = box.Write(chunk)        // from the goroutine that reads the socket
//	err = box.Do(ctx, func() { ... }) // looks at the receiver between two calls
//	err = box.Close()                // the end of the bytes; End(nil) follows
//	<-box.Done()
//	err = set.Shutdown(ctx)          // drains; nothing of the set lives on
//
// # Order and fairness
//
// Bytes of one mailbox are received in the order in which writes returned, and
// Do and End come after all that was written before them. There is no order
// between mailboxes. A mailbox has a turn of [Config.BatchBytes] and goes to the
// end of its worker's queue then, so one that is always full doesn't keep the
// others of its worker waiting.
//
// # Back-pressure
//
// A mailbox holds at most [Config.MailboxBytes], what its receiver is working on
// included. Write waits for room, in line with other writers of that mailbox;
// WriteContext waits as long as its context; TryWrite says [ErrFull]. Waiting
// holds up nobody but the writer.
//
// A worker never waits for a worker. A receiver may write into mailboxes of its
// own set, its own included, and a write that fits works; one that would wait
// returns [ErrSelf] at once, which is an ErrFull, and so no circle of full
// mailboxes can stand still. This is known by the goroutine: a receiver that
// starts another goroutine to write, and waits for it, is not seen and can wait
// for ever. A receiver that blocks in any other way blocks its worker.
//
// # Ownership
//
// Write copies: p is the caller's again when it returns. The bytes that Receive
// is given are lent until it returns; what is to stay is copied. In builds with
// the race detector or the tag aguipoison they are spoiled then, so that tests
// see a receiver that kept them.
//
// Buffers are shared by all mailboxes of the process, 1 KiB to 64 KiB in powers
// of two, and given back to the runtime when two garbage collections in a row
// had no use for them. What waits takes about twice its bytes at the most. An
// idle mailbox holds none, and takes about 200 bytes beside its receiver and its
// key.
//
// # Ends
//
// A mailbox ends once, by the first of: Close or CloseWithError, after what was
// written; Shutdown, likewise; a panic in one of its calls, or a Shutdown whose
// context is over, without what waits. Then End is called, and nothing after it.
// Every write that was accepted is received or counted as dropped. A mailbox
// that is never closed lives as long as the set.
//
// A panic in a receiver or a call ends that mailbox alone, with a
// [*PanicError] for its End and its writers; the worker goes on. It does so too
// when a call ends the goroutine (runtime.Goexit).
//
// # Cost
//
// A Write is one uncontended lock and one copy, and allocates nothing; it wakes
// the worker only if that sleeps. Locks, counters and the queue cost once a
// batch. When much waits at a worker, a Write that adds to its queue yields the
// CPU once, which keeps the bytes in its cache; TryWrite never does. A worker
// offers its CPU to other goroutines every 128 turns, so that those who feed it
// from the same CPU come in time.
package shard
