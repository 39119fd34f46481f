package app

import (
	"io/fs"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// lazyGC is the growth of the heap, in percent, at which garbage is collected. Tool calls produce far more
	// garbage than they keep: with the default of 100, a program that keeps 12 MB collects every few dozen
	// calls. With a higher value than this, a flood of calls could exceed the program's memory.
	lazyGC = 300
	// memoryShare is the divisor of the available memory up to which garbage is collected lazily. Beyond that it
	// is collected as often as necessary.
	memoryShare = 2
)

// tuneGC sets how often garbage is collected and how much memory it may take. It does not override GOGC or
// GOMEMLIMIT in the environment.
func tuneGC(lookup func(string) (string, bool), root fs.FS) {
	if set, _ := lookup("GOGC"); set == "" {
		debug.SetGCPercent(lazyGC)
	}
	if set, _ := lookup("GOMEMLIMIT"); set == "" {
		if m := availableMemory(root); m > 0 {
			debug.SetMemoryLimit(m / memoryShare)
		}
	}
}

// availableMemory returns how many bytes this process may use: those of the machine, or of its control group
// if that allows less. It is 0 if neither can be read.
func availableMemory(root fs.FS) int64 {
	var least int64
	consider := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for line := range strings.Lines(readText(root, "proc/meminfo")) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			consider(parseBytes(f[1]) * 1024)
		}
	}
	for line := range strings.Lines(readText(root, "proc/self/cgroup")) {
		// hierarchy:controllers:path, where version 2 has no controllers.
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		base, file := "sys/fs/cgroup", "memory.max"
		if f[1] == "memory" {
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if f[1] != "" {
			continue
		}
		// The groups above also limit a group. From within a container some of them are not visible.
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			consider(parseBytes(readText(root, path.Join(base, group, file))))
			if group == "/" {
				break
			}
		}
	}
	return least
}

// readText returns the text of a file, or an empty string if it cannot be read.
func readText(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(data)
}

// parseBytes returns a positive number of bytes, or 0 for "max" and the like.
func parseBytes(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 || n > 1<<52 {
		return 0
	}
	return n
}
