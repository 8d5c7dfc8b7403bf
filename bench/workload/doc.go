// Package workload writes AG-UI event streams from a seed, and breaks them in named ways.
package workload
