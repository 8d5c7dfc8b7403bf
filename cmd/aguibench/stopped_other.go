//go:build !unix

package main

// onResume has nothing to wait for where processes aren't stopped.
func onResume(func()) (stop func()) { return func() {} }
