package main

import "golang.org/x/sys/unix"

// dropTyped forgets what was typed before a question was asked: it can't be an answer to it.
func dropTyped(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
