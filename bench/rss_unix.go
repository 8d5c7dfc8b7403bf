//go:build unix

package bench

import (
	"runtime"
	"syscall"
)

// peakRSS is the most physical memory that the process has held, in bytes; 0 when the system doesn't say.
func peakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	peak := int64(u.Maxrss) //nolint:unconvert // it has 32 bits on some systems
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return peak // bytes there, KiB elsewhere
	}
	return peak << 10
}
