package engine

// BuffersOut is the number of read buffers that runs hold.
func BuffersOut() int64 { return buffersOut.Load() }

// Poisoned tells whether this build looks after what is lent.
const Poisoned = poisoned

// Pump reads a transport's body as Run does, into a function of the test's.
var Pump = pump
