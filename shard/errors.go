package shard

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is what a mailbox answers once it takes no more: it was
	// closed, it ended, or its set was shut down.
	ErrClosed = errors.New("shard: mailbox closed")

	// ErrShutdown is an ErrClosed: the whole set takes no more. It is also
	// what End is given for a mailbox that [Set.Shutdown] had to close.
	ErrShutdown = fmt.Errorf("shard: set shut down: %w", ErrClosed)

	// ErrFull means that the bytes don't fit now; nothing was taken.
	ErrFull = errors.New("shard: mailbox full")

	// ErrSelf is an ErrFull where a mailbox is the reason: the caller is a
	// worker of the same set, and a worker never waits for a worker, itself
	// included. Nothing was taken.
	ErrSelf = fmt.Errorf("shard: a worker of the set may not wait for the set: %w", ErrFull)

	// ErrGoexit is the value of a [PanicError] whose call never returned
	// because it ended its goroutine (runtime.Goexit, testing's FailNow).
	ErrGoexit = errors.New("shard: the call ended its goroutine (runtime.Goexit)")
)

// PanicError is what a mailbox answers after a call on its worker panicked.
// It is an [ErrClosed], and unwraps to the panic's value where that is an
// error.
type PanicError struct {
	Key   string // of the mailbox
	Value any    // what recover gave
	Stack []byte // of the worker at the panic, as runtime/debug.Stack has it
}

// Error names the mailbox and the panic's value, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("shard: mailbox %q: panic: %v", e.Key, e.Value)
}

// Is says that a mailbox that panicked is a closed one.
func (e *PanicError) Is(target error) bool { return target == ErrClosed }

// Unwrap gives the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
