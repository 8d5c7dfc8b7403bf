package main

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// profiles are the files that a command leaves its profiles in; empty names are for none.
type profiles struct{ cpu, memory, trace string }

func (p *profiles) flags(set *flag.FlagSet) {
	set.StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile to `FILE`")
	set.StringVar(&p.memory, "memprofile", "", "write a profile of all allocations to `FILE`")
	set.StringVar(&p.trace, "trace-file", "", "write an execution trace to `FILE`")
}

// start begins what is asked for; stop writes it.
func (p *profiles) start() (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var all error
		for _, f := range stops {
			all = errors.Join(all, f())
		}
		return all
	}
	// with makes a profile's file, and its end.
	with := func(name string, begin func(f *os.File) error, end func(f *os.File) error) {
		if name == "" || err != nil {
			return
		}
		var file *os.File
		if file, err = os.Create(name); err != nil {
			return
		}
		if err = begin(file); err != nil {
			file.Close()
			return
		}
		stops = append(stops, func() error { return errors.Join(end(file), file.Close()) })
	}
	with(p.memory, func(*os.File) error { return nil }, func(f *os.File) error {
		runtime.GC() // the profile is as of the last collection
		return pprof.Lookup("allocs").WriteTo(f, 0)
	})
	with(p.trace, func(f *os.File) error { return trace.Start(f) }, func(*os.File) error {
		trace.Stop()
		return nil
	})
	with(p.cpu, func(f *os.File) error { return pprof.StartCPUProfile(f) }, func(*os.File) error {
		pprof.StopCPUProfile()
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}
