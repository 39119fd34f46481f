package app

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"testing/fstest"
)

func files(all map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range all {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const meminfo = "MemTotal:        8000000 kB\nMemFree:          100000 kB\n"

func TestMemory(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing to read", nil, 0},
		{"a machine of its own", map[string]string{"proc/meminfo": meminfo}, 8000000 * 1024},
		{"a group without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/glyphoxa\n", "sys/fs/cgroup/user/glyphoxa/memory.max": "max\n",
		}, 8000000 * 1024},
		{"a group with one", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/glyphoxa\n", "sys/fs/cgroup/user/glyphoxa/memory.max": "536870912\n",
		}, 512 << 20},
		{"a limit further up", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/glyphoxa\n",
			"sys/fs/cgroup/user/glyphoxa/memory.max": "max\n", "sys/fs/cgroup/user/memory.max": "268435456\n",
		}, 256 << 20},
		{"in a container", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n",
		}, 256 << 20},
		{"version 1", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n",
		}, 128 << 20},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 8000000 * 1024},
		{"more than the machine has", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n",
		}, 8000000 * 1024},
		{"rubbish", map[string]string{
			"proc/meminfo": "MemTotal: much kB\nMemTotal:\n", "proc/self/cgroup": "0::\n\n::/../../x\nfoo", "sys/fs/cgroup/memory.max": "-5",
		}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := availableMemory(files(tc.files)); got != tc.want {
				t.Errorf("memory = %d, want %d", got, tc.want)
			}
		})
	}
}

// TestTuneGC reads the effective limits back from the runtime.
func TestTuneGC(t *testing.T) {
	root := files(map[string]string{"proc/meminfo": meminfo})
	half := uint64(8000000 * 1024 / 2)
	for _, tc := range []struct {
		name    string
		env     map[string]string
		percent uint64
		limit   uint64
	}{
		{"by default", nil, lazyGC, half},
		{"with empty variables", map[string]string{"GOGC": "", "GOMEMLIMIT": ""}, lazyGC, half},
		{"with GOGC", map[string]string{"GOGC": "77"}, 77, half},
		{"with GOMEMLIMIT", map[string]string{"GOMEMLIMIT": "1GiB"}, lazyGC, 1 << 30},
		{"with both", map[string]string{"GOGC": "77", "GOMEMLIMIT": "1GiB"}, 77, 1 << 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// The runtime read the environment before main; this repeats that for the row's
			// variables.
			before, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
			t.Cleanup(func() { debug.SetGCPercent(before); debug.SetMemoryLimit(limit) })
			if tc.env["GOGC"] != "" {
				debug.SetGCPercent(77)
			}
			if tc.env["GOMEMLIMIT"] != "" {
				debug.SetMemoryLimit(1 << 30)
			}
			tuneGC(func(name string) (string, bool) { v, ok := tc.env[name]; return v, ok }, root)
			got := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
			metrics.Read(got)
			if got[0].Value.Uint64() != tc.percent || got[1].Value.Uint64() != tc.limit {
				t.Errorf("percent %d, limit %d, want %d and %d", got[0].Value.Uint64(), got[1].Value.Uint64(), tc.percent, tc.limit)
			}
		})
	}
}

// TestMemoryOfThisMachine reads the real files if the system has them.
func TestMemoryOfThisMachine(t *testing.T) {
	got := availableMemory(os.DirFS("/"))
	if _, err := os.Stat("/proc/meminfo"); err == nil && got < 1<<20 {
		t.Errorf("memory = %d, want what this machine has", got)
	}
}
