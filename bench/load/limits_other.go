//go:build !unix

package load

import "time"

// None of these is known here.
func raiseDescriptors()        {}
func descriptors() int64       { return 0 }
func cpuTime() time.Duration   { return 0 }
func localPorts() int64        { return 0 }
func readMachine() machineTime { return machineTime{} }
