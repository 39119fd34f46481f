package voicebench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// cpuSeconds returns the processor time of this process.
func cpuSeconds() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("asking for the processor time: %w", err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime), nil
}

// residentMB returns the resident memory of this process, in MiB.
func residentMB() (float64, error) {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(raw) // size, resident, …, in pages
	if len(fields) < 2 {
		return 0, fmt.Errorf("reading /proc/self/statm: %q", raw)
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	if err != nil {
		return 0, fmt.Errorf("reading /proc/self/statm: %w", err)
	}
	return pages * float64(os.Getpagesize()) / (1 << 20), nil
}
