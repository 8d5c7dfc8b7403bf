//go:build !unix

package main

import "github.com/aguistream/aguistream/bench/watch"

// onStop has nothing to wait for where processes aren't stopped.
func onStop(*watch.View) (release func()) { return func() {} }
