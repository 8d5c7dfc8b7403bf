package workload

import (
	"hash/fnv"
	"math/rand/v2"
)

// source is the seeded randomness of one stream. It draws from PCG itself and never through floats or
// rand.Rand, whose methods may change their use of bits between releases: equal seeds must give equal
// bytes on every machine and with every Go.
type source struct{ pcg *rand.PCG }

// newSource mixes the name in, so that one seed gives unlike streams to unlike workloads.
func newSource(name string, seed uint64) source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return source{rand.NewPCG(seed, h.Sum64())}
}

func (r *source) next() uint64 { return r.pcg.Uint64() }

// intn is uniform in [0,n) up to a bias of n/2^32, which nothing here can see.
func (r *source) intn(n int) int { return int((r.pcg.Uint64() >> 32) * uint64(n) >> 32) }

// between is uniform in [lo,hi].
func (r *source) between(lo, hi int) int { return lo + r.intn(hi-lo+1) }

// oneIn is true once in n draws.
func (r *source) oneIn(n int) bool { return r.intn(n) == 0 }

// skewed is in [0,n), low values far more often, as words and members of a document are used.
func (r *source) skewed(n int) int {
	u := r.pcg.Uint64()
	a, b := u>>32, u&0xffffffff
	return int(a * b >> 32 * uint64(n) >> 32)
}

func pick[T any](r *source, list []T) T { return list[r.intn(len(list))] }
