package sqlite_test

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestForgettingSurvivesKill kills a forgetting process at different times, and finishes
// its work.
func TestForgettingSurvivesKill(t *testing.T) {
	binary, err := os.Executable()
	must(t, "Executable", err)
	waits := []time.Duration{30 * time.Millisecond, 400 * time.Millisecond, 0, 150 * time.Millisecond}
	for _, after := range waits[:forgettingKills] {
		path := filepath.Join(t.TempDir(), "a.db")
		s, err := sqlite.Open(t.Context(), path, nil)
		must(t, "Open", err)
		id := memorytest.StartSession(t, s)
		memorytest.Write(t, s, evening(id)...)
		must(t, "Close", s.Close())

		cmd := child(t.Context(), binary, "forget", path)
		out, err := cmd.StdoutPipe()
		must(t, "StdoutPipe", err)
		must(t, "Start", cmd.Start())
		bufio.NewScanner(out).Scan() // forgetting has started
		time.Sleep(after)
		must(t, "Kill", cmd.Process.Signal(syscall.SIGKILL))
		_ = cmd.Wait()

		s = open(t, path, nil)
		lines, err := s.Recent(t.Context(), id, 2000)
		must(t, "Recent", err)
		for _, l := range lines {
			if l.User == memorytest.Ada {
				t.Fatalf("%+v is found after %v", l, after)
			}
		}
		_, err = s.ResumeForgetting(t.Context())
		must(t, "GoOnForgetting", err)
		nowhere(t, path, "cobblesnatch", memorytest.Ada)
		lines, err = s.Recent(t.Context(), id, 2000)
		must(t, "Recent", err)
		if want := 2 * spokenTurns; len(lines) != want { // the NPC's and the other player's
			t.Errorf("%d lines are kept, want %d", len(lines), want)
		}
	}
}
