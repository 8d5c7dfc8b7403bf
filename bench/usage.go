package bench

import "runtime/metrics"

// usage is what the process has used, by the runtime's own count.
type usage struct {
	objects, bytes uint64  // allocated on the heap
	gc, busy       float64 // CPU seconds: collecting, and doing anything
}

func readUsage() usage {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	return usage{
		objects: samples[0].Value.Uint64(), bytes: samples[1].Value.Uint64(),
		gc: samples[2].Value.Float64(), busy: samples[3].Value.Float64() - samples[4].Value.Float64(),
	}
}

func (u usage) since(before usage) usage {
	return usage{u.objects - before.objects, u.bytes - before.bytes, u.gc - before.gc, u.busy - before.busy}
}

// gcShare is the part of the used CPU time that went into collecting. The runtime brings these figures up to date at
// each collection, so a run without one has none to show.
func (u usage) gcShare() float64 {
	if u.busy <= 0 {
		return 0
	}
	return u.gc / u.busy
}
