//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/aguistream/aguistream/bench/watch"
)

// onStop has a View know when the process is stopped and goes on (Ctrl-Z and fg), until release is called.
func onStop(v *watch.View) (release func()) {
	stopped, goesOn, halt := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stopped, syscall.SIGTSTP)
	signal.Notify(goesOn, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-stopped:
				v.Pause(func() {
					// The signal was taken, so the process stops itself, by the one that can't be.
					if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
						<-goesOn
					}
				})
			case <-goesOn: // it was stopped without being told before
				v.Pause(func() {})
			case <-halt:
				return
			}
		}
	}()
	return func() {
		signal.Stop(stopped)
		signal.Stop(goesOn)
		close(halt)
	}
}
