package engine

import (
	"errors"
	"fmt"

	"github.com/aguistream/aguistream/shard"
)

// PanicError is what a stream answers after a panic in its handler or hooks ended it: Write, View, Run, Err and the end
// hook give it. It is an ErrClosed, and unwraps to the panic's value where that is an error.
type PanicError struct {
	Key   string // of the stream
	Value any    // what recover gave; an error that says so after runtime.Goexit
	Stack []byte // of the goroutine at the panic, as runtime/debug.Stack has it
}

// Error names the stream and the panic's value, without the stack.
func (e *PanicError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("aguistream: the stream panicked: %v", e.Value)
	}
	return fmt.Sprintf("aguistream: stream %q panicked: %v", e.Key, e.Value)
}

// Is says that a stream that panicked is a closed one.
func (e *PanicError) Is(target error) bool { return target == ErrClosed }

// Unwrap gives the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

var errGoexit = &plainError{"a handler or hook ended its goroutine (runtime.Goexit)", shard.ErrGoexit}

// newPanicError makes the error of what recover gave.
func newPanicError(key string, v any, stack []byte) *PanicError {
	if err, ok := v.(error); v == nil || ok && errors.Is(err, shard.ErrGoexit) {
		v = errGoexit
	}
	return &PanicError{Key: key, Value: v, Stack: stack}
}
