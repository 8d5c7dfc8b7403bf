package engine

// BuffersOut is the number of read buffers that runs hold.
func BuffersOut() int64 { return buffersOut.Load() }

// Poisoned tells whether this build looks after what is lent.
const Poisoned = poisoned

// Pump reads a transport's body as Run does, into a function of the test's.
var Pump = pump

// Idle is how many machines the pool keeps for the next streams.
func Idle(p *Pool) int { return len(p.idle) }

// IdleEpoch is after how many streams the pool lets go of what nobody needed.
const IdleEpoch = idleEpoch
