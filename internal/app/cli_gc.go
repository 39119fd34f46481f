package app

import (
	"io/fs"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// lazyGC is the growth, in percent, at which garbage is collected. Tool
	// calls leave far more garbage than they keep: at the usual 100 a program
	// that keeps 12 MB collects every few dozen calls. At more than this the
	// garbage of a flood takes more memory than the program may.
	// docs/performance.md has the measurements.
	lazyGC = 300
	// memoryShare is the part of the memory, one in so many, that laziness
	// alone may fill. Beyond it garbage is collected as often as needed.
	memoryShare = 2
)

// tuneGC sets how often garbage is collected and how much memory it may take,
// each unless the environment has set it already with GOGC or GOMEMLIMIT.
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

// availableMemory is how many bytes this process may use: those of the machine, or of
// its control group if that allows less. It is 0 where neither can be read.
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
		// hierarchy:controllers:path, of which version 2 has no controllers.
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
		// A group is bound by those above it. From within a container some of
		// them cannot be seen.
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			consider(parseBytes(readText(root, path.Join(base, group, file))))
			if group == "/" {
				break
			}
		}
	}
	return least
}

// readText is the text of a file, empty if it cannot be read.
func readText(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(data)
}

// parseBytes is a positive number of bytes, 0 for "max" and the like.
func parseBytes(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 || n > 1<<52 {
		return 0
	}
	return n
}
