package simulate

import (
	"os"
	"strconv"
	"strings"
)

// resident returns the memory of this process in bytes.
func resident() (int64, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data)) // total, resident, …, in pages
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
