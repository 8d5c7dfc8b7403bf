package engine

// BuffersOut is the number of read buffers that runs hold.
func BuffersOut() int64 { return buffersOut.Load() }
