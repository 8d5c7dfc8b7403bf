package load

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// limit is something that this process, or its machine, ran out of. It is no failure of the server.
type limit uint8

const (
	noLimit limit = iota
	descriptorLimit
	portLimit
	numLimits
)

// What marks the CPU as the generator's limit: this share of the cores used, or timers and runs this late.
const (
	busyShare = 0.9
	mostLag   = 100 * time.Millisecond
)

// GeneratorLimits tell what kept the load from being what it was meant to be, on this side of the wire. A member is nil
// when that was no limit; when all are, the result is about the server.
type GeneratorLimits struct {
	// FileDescriptors: connections that could not be opened for want of one.
	FileDescriptors *Shortage `json:"fileDescriptors,omitempty"`
	// Ports: connections that found no free local port.
	Ports *Shortage `json:"ports,omitempty"`
	// InFlight: runs that were due while as many as may be were in flight.
	InFlight *Shortage `json:"inFlight,omitempty"`
	// CPU: this process used up its cores, or was scheduled late.
	CPU *CPU `json:"cpu,omitempty"`
}

// Shortage is how often a limit was met. Limit is 0 when it isn't known.
type Shortage struct {
	Limit int64 `json:"limit"`
	Met   int64 `json:"met"`
}

// CPU is what the load took of the machine while it ran.
type CPU struct {
	Cores       float64 `json:"cores"` // that this process kept busy
	Of          int     `json:"of"`
	Machine     float64 `json:"machine"`            // share of the whole machine's time that was used, by anybody; 0: not known
	LagMillis   float64 `json:"lagP99Millis"`       // how late this process's timers were
	StartMillis float64 `json:"lateStartP99Millis"` // how late runs began
}

func (c CPU) saturated() bool {
	most := float64(mostLag / time.Millisecond)
	return c.Cores > busyShare*float64(c.Of) || c.LagMillis > most || c.StartMillis > most
}

// Memory is what this process held of it, without what it gave back.
type Memory struct {
	EarlyBytes int64 `json:"earlyBytes"` // most in the second quarter of the time that runs are begun for
	LateBytes  int64 `json:"lateBytes"`  // most in the last
}

// probes watch this process while the load runs.
type probes struct {
	halt  chan struct{}
	wg    sync.WaitGroup
	lag   latency
	begun time.Time
	cpu   time.Duration
	busy  machineTime
	mem   Memory
}

// found is what the probes saw.
type found struct {
	cpu CPU
	mem Memory
}

const (
	lagEvery    = 5 * time.Millisecond
	memoryEvery = 200 * time.Millisecond
)

func startProbes(duration time.Duration) *probes {
	p := &probes{halt: make(chan struct{}), lag: newLatency(), begun: time.Now(), cpu: cpuTime(), busy: readMachine()}
	p.wg.Add(2)
	go p.watchLag()
	go p.watchMemory(duration)
	return p
}

// watchLag measures how late a timer is.
func (p *probes) watchLag() {
	defer p.wg.Done()
	timer := time.NewTimer(lagEvery)
	defer timer.Stop()
	for {
		due := time.Now().Add(lagEvery)
		timer.Reset(lagEvery)
		select {
		case <-timer.C:
			p.lag.record(time.Since(due))
		case <-p.halt:
			return
		}
	}
}

func (p *probes) watchMemory(duration time.Duration) {
	defer p.wg.Done()
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			held := memoryHeld()
			switch quarter := 4 * now.Sub(p.begun) / duration; quarter {
			case 1:
				p.mem.EarlyBytes = max(p.mem.EarlyBytes, held)
			case 3:
				p.mem.LateBytes = max(p.mem.LateBytes, held)
			}
		case <-p.halt:
			return
		}
	}
}

func memoryHeld() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

func (p *probes) stop() found {
	seconds := time.Since(p.begun).Seconds()
	used := (cpuTime() - p.cpu).Seconds()
	close(p.halt)
	p.wg.Wait()
	return found{
		cpu: CPU{
			Cores: used / seconds, Of: runtime.GOMAXPROCS(0), Machine: readMachine().share(p.busy),
			LagMillis: p.lag.distribution().P99,
		},
		mem: p.mem,
	}
}

// machineTime is the time of all CPUs together since the machine was started, in any unit.
type machineTime struct{ used, all float64 }

func (m machineTime) share(before machineTime) float64 {
	if m.all <= before.all {
		return 0
	}
	return (m.used - before.used) / (m.all - before.all)
}

// limits judges what was found.
func (l *loader) limits(cpu CPU) GeneratorLimits {
	var g GeneratorLimits
	if n := l.sum.limited[descriptorLimit]; n > 0 {
		g.FileDescriptors = &Shortage{descriptors(), n}
	}
	if n := l.sum.limited[portLimit]; n > 0 {
		g.Ports = &Shortage{localPorts(), n}
	}
	if n := l.waited.Load(); n > 0 {
		g.InFlight = &Shortage{int64(l.opt.Runs), n}
	}
	// Late starts tell of this side where there is a schedule, unless it was a place that the runs waited for.
	late := cpu
	if l.opt.Rate == 0 || g.InFlight != nil {
		late.StartMillis = 0
	}
	if late.saturated() {
		g.CPU = &cpu
	}
	return g
}

// text names the limits that were met.
func (g *GeneratorLimits) text() []string {
	var list []string
	add := func(s *Shortage, what string) {
		if s == nil {
			return
		}
		text := fmt.Sprintf("%s (%s times", what, grouped(s.Met))
		if s.Limit > 0 {
			text += ", the limit is " + grouped(s.Limit)
		}
		list = append(list, text+")")
	}
	add(g.FileDescriptors, "file descriptors ran out")
	add(g.Ports, "local ports ran out")
	add(g.InFlight, "runs were due while as many as may be were in flight")
	if c := g.CPU; c != nil {
		text := fmt.Sprintf("CPU: %.2f of %d cores in use, timers %.0f ms and starts %.0f ms late at p99",
			c.Cores, c.Of, c.LagMillis, c.StartMillis)
		if c.Machine > 0 {
			text += fmt.Sprintf(", the machine %.0f %% busy", 100*c.Machine)
		}
		list = append(list, text)
	}
	return list
}
