//go:build unix

package load

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// raiseDescriptors raises the limit on open files to what the system allows this process.
func raiseDescriptors() {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) == nil && r.Cur < r.Max {
		r.Cur = r.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &r) // it is tried; running out is noticed
	}
}

// descriptors is how many files may be open; 0: not known.
func descriptors() int64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return int64(r.Cur)
}

// cpuTime is what this process used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// localPorts is how many there are to connect from; 0: not known.
func localPorts() int64 {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 2 {
		return 0
	}
	first, e1 := strconv.ParseInt(fields[0], 10, 64)
	last, e2 := strconv.ParseInt(fields[1], 10, 64)
	if e1 != nil || e2 != nil {
		return 0
	}
	return last - first + 1
}

// readMachine reads the whole machine's CPU time, where Linux tells it.
func readMachine() (m machineTime) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machineTime{}
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const idle, wait, guest = 3, 4, 8 // a guest's time is in its user's already
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu")) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || i >= guest {
			break
		}
		m.all += v
		if i != idle && i != wait {
			m.used += v
		}
	}
	return m
}
