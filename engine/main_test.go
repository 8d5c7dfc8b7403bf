package engine_test

import (
	"testing"

	"go.uber.org/goleak"
)

// The pool of readers starts goroutines of its own as it is imported; those stay.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }
