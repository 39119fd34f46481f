package mcphost_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// watchdog is how long anything may take on a slow and busy machine.
const watchdog = time.Minute

// hostile builds the misbehaving server once per test run.
type hostileBuild struct {
	once sync.Once
	dir  string
	err  error
}

var hostile hostileBuild // the one build all tests share

func (b *hostileBuild) binary(t testing.TB) string {
	t.Helper()
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "hostile"); b.err != nil {
			return
		}
		build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(b.dir, "hostile"), "./testdata/hostile")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if b.err != nil {
		t.Fatal("building the hostile server:", b.err)
	}
	return filepath.Join(b.dir, "hostile")
}

func (b *hostileBuild) remove() error { return os.RemoveAll(b.dir) }

// notes is the directory in which a hostile server notes what it does.
type notes string

func (n notes) lines(file string) []string {
	raw, err := os.ReadFile(filepath.Join(string(n), file))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// count returns how often a tool was called.
func (n notes) count(tool string) int {
	count := 0
	for _, line := range n.lines("calls") {
		if line == tool {
			count++
		}
	}
	return count
}

func (n notes) pids(t *testing.T, file string) []int {
	t.Helper()
	var pids []int
	for _, line := range n.lines(file) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// hostileConfig returns a server that misbehaves in the given ways.
func hostileConfig(t *testing.T, name string, modes ...string) (config.MCPServerConfig, notes) {
	t.Helper()
	dir := t.TempDir()
	return config.MCPServerConfig{
		Name: name, Transport: config.TransportStdio, Command: hostile.binary(t), Args: append([]string{"-dir", dir}, modes...),
		Env: map[string]config.Secret{"HOSTILE_SECRET": "opensesame"}, ConnectTimeout: config.Duration(watchdog), CallTimeout: config.Duration(watchdog),
	}, notes(dir)
}

// eventually waits for something that nothing announces.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(watchdog)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && len(bytes.TrimSpace(out)) > 0 && !bytes.HasPrefix(bytes.TrimSpace(out), []byte("Z"))
}

// groupMembers lists the running processes of a process group.
func groupMembers(t *testing.T, group int) []string {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pgid=,pid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var members []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == strconv.Itoa(group) && f[2][0] != 'Z' {
			members = append(members, strings.TrimSpace(line))
		}
	}
	return members
}

// expectGone fails if anything the servers started in their groups still runs.
func expectGone(t *testing.T, n notes) {
	t.Helper()
	for _, pid := range n.pids(t, "pids") {
		free := false
		for _, f := range n.pids(t, "free") {
			free = free || f == pid
		}
		if free {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
			continue
		}
		if alive(pid) {
			t.Errorf("process %d still runs", pid)
		}
		if members := groupMembers(t, pid); len(members) > 0 {
			t.Errorf("of process group %d there are left: %q", pid, members)
		}
	}
}

// closes closes the host and fails if that takes too long or leaves processes.
// That no goroutine is left is checked after all tests.
func closes(t *testing.T, h *mcphost.Host, n notes) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- h.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(watchdog):
		t.Fatal("Close hangs")
	}
	expectGone(t, n)
}
