package mcphost_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// Limits of the fault script, and how often a busy machine may miss them.
const (
	outWithin  = 100 * time.Millisecond
	backWithin = 2 * time.Second
	attempts   = 3
)

// script is what a run of the fault script measured.
type script struct{ out, back time.Duration }

// run kills the hostile server, keeps it from starting for a while, lets it
// return, and measures how long its tools are listed too long and missing too
// long.
func (s *scene) run(t *testing.T) (took script) {
	t.Helper()
	open := filepath.Join(string(s.notes), "open")
	res, err := s.ExecuteTool(t.Context(), "bad_pid", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(res.Text)
	if err != nil {
		t.Fatal(err)
	}
	ts := s.Toolset(mcphost.ToolsetOptions{Allow: []string{"bad_pid", "bad_count"}, Tier: mcp.BudgetDeep})
	if len(ts.Definitions()) != 2 {
		t.Fatal("the toolset does not hold the server's tools")
	}
	if err := os.Remove(open); err != nil {
		t.Fatal(err)
	}
	gone := s.Changed()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the system has noticed the death", func() bool { return !alive(pid) })
	start := time.Now()
	select {
	case <-gone:
		took.out = time.Since(start)
	case <-time.After(watchdog):
		t.Fatal("the tools of a dead server stay")
	}
	if len(ts.Definitions()) != 0 || s.has("bad_pid") {
		t.Error("the registry has changed, but not lost the tools")
	}
	if _, err := ts.Execute(t.Context(), "bad_count", `{}`); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("calling a dead server's tool = %v, want ErrUnavailable", err)
	}
	tries := len(s.notes.lines("pids"))
	eventually(t, "it was tried in vain", func() bool { return len(s.notes.lines("pids")) > tries+2 })
	if err := os.WriteFile(open, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	waitFor(t, s.Host, "the tools are back", func() bool { return s.has("bad_pid") })
	took.back = time.Since(start)
	if len(ts.Definitions()) != 2 {
		t.Error("a toolset from before does not hold the tools again")
	}
	return took
}

func TestKilledServerIsOutAtOnceAndSoonBack(t *testing.T) {
	dir := ""
	s, err := newScene(t, []string{"awaited"}, func(cfg *config.MCPServerConfig) {
		dir = cfg.Args[1]
		if err := os.WriteFile(filepath.Join(dir, "open"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for try := range attempts {
		took := s.run(t)
		t.Logf("out %v after the death, back %v after the return", took.out, took.back)
		if took.out <= outWithin && took.back <= backWithin {
			return
		}
		if try == attempts-1 {
			t.Errorf("out after %v and back after %v, want %v and %v in one of %d attempts", took.out, took.back, outWithin, backWithin, attempts)
		}
	}
}

// A call that was on its way when the server died may have been carried out. It
// is not made again, unless the tool may be called twice; then it is, once.
func TestCallsKilledUnderWayAreNotReplayed(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"mortal"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ExecuteTool(t.Context(), "bad_die", `{}`); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	eventually(t, "the server is back", func() bool { return s.server().Connects == 2 })
	if _, err := s.ExecuteTool(t.Context(), "bad_count", `{}`); err != nil {
		t.Error(err)
	}
	if _, err := s.ExecuteTool(t.Context(), "die_reading", `{}`); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	eventually(t, "the server is back again", func() bool {
		_, err := s.ExecuteTool(t.Context(), "bad_echo", `{}`)
		return err == nil
	})
	if _, err := s.ExecuteTool(t.Context(), "bad_count", `{}`); err != nil {
		t.Error(err)
	}
	if n := s.notes.count("die"); n != 1 {
		t.Errorf("die arrived %d times, want once", n)
	}
	if n := s.notes.count("count"); n != 2 {
		t.Errorf("count arrived %d times, want 2", n)
	}
	if n := s.notes.count("die_reading"); n < 1 || n > 2 {
		t.Errorf("die_reading arrived %d times, want once or twice", n)
	}
}

func TestFailingServerToolHealsItself(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"broken-at-first"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for s.notes.count("count") < 31 {
		if _, err := s.ExecuteTool(t.Context(), "bad_count", `{}`); err == nil {
			t.Fatal("a broken tool succeeds")
		}
	}
	if st := status(t, s.Host, "bad_count"); st.State != "demoted" && st.State != "on trial" {
		t.Errorf("after 31 failures: %+v", st)
	}
	eventually(t, "it is on trial", func() bool { return status(t, s.Host, "bad_count").State == "on trial" })
	for range 3 {
		if _, err := s.ExecuteTool(t.Context(), "bad_count", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if st := status(t, s.Host, "bad_count"); st.State != "ready" || st.ErrorRate != 0 {
		t.Errorf("after 3 successes: %+v, want it healed", st)
	}
}

func TestSlowServerToolIsNeverFast(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, nil, func(cfg *config.MCPServerConfig) { cfg.Probe = []string{"slow", "echo"} })
	if err != nil {
		t.Fatal(err)
	}
	fast := func() string { return " " + names(s.AvailableTools(mcp.BudgetFast)) + " " }
	if strings.Contains(fast(), "slow") {
		t.Errorf("before calibration FAST =%s", fast())
	}
	if err := s.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fast(), "slow") {
		t.Errorf("after calibration FAST =%s", fast())
	}
	if st := status(t, s.Host, "bad_slow"); st.Tier != mcp.BudgetDeep || st.P50 < 2000 {
		t.Errorf("slow: %+v, want it measured and deep", st)
	}
}

func TestSleepingServersProcessEnds(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, nil, func(cfg *config.MCPServerConfig) { cfg.IdleSleep = config.Duration(200 * time.Millisecond) })
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		eventually(t, "it sleeps and its process has ended", func() bool {
			pids := s.notes.pids(t, "pids")
			return s.server().State == "asleep" && !alive(pids[len(pids)-1])
		})
		if !s.has("bad_echo") {
			t.Error("the tools of a sleeping server are not listed")
		}
		if res, err := s.ExecuteTool(t.Context(), "bad_echo", `{"text":"awake"}`); err != nil || res.Text != "echo awake" {
			t.Errorf("the waking call = %q, %v", res.Text, err)
		}
		if n := len(s.notes.lines("pids")); n != round+2 {
			t.Errorf("%d processes so far, want %d", n, round+2)
		}
	}
	if lines := s.notes.lines("events"); len(lines) < 2 || lines[0] != "left" {
		t.Errorf("events = %q, want it to have left on its own", lines)
	}
}
