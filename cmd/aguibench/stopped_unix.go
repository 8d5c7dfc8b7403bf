//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onResume calls f when the process goes on after it was stopped, until stop is called.
func onResume(f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	go func() {
		for range signals {
			f()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
