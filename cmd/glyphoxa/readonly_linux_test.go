package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// freeze makes a directory and its files read-only, also for processes that
// have them open, until thaw is called. It skips the test where that is
// impossible. SQLite's shared-memory files stay writable, because they store
// nothing and a failing disk does not take memory away.
func (h *program) freeze(dir string) (thaw func()) {
	h.t.Helper()
	chattr, err := exec.LookPath("chattr")
	if err != nil {
		h.t.Skip("this machine has no chattr, by which a file that is open becomes read-only")
	}
	var all []string
	err = filepath.WalkDir(h.path(dir), func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Type().IsRegular() && !strings.HasSuffix(path, "-shm")) {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	set := func(flag string) error { return exec.Command(chattr, append([]string{flag}, all...)...).Run() }
	thaw = func() { _ = set("-i") }
	h.t.Cleanup(thaw)
	if err := set("+i"); err != nil {
		h.t.Skipf("chattr +i: %v; it runs as root on a disk that has it, such as ext4", err)
	}
	return thaw
}

// TestReadOnlyInTheMiddle makes the database and its directory read-only during
// a play, and writable again: the table continues, says so once, and keeps
// every line.
func TestReadOnlyInTheMiddle(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	s := h.start("play", "--json")
	said := []string{"Bartok, good evening."}
	s.say(said[0])
	if e := s.wait("turn.ended"); e.Outcome != "delivered" {
		t.Fatalf("the first turn is %s", e.Outcome)
	}
	thaw := h.freeze(".glyphoxa")
	for i, line := range []string{"Bartok, the quicksilver lies under the weir.", "Bartok, the cinnabar lies on the hill.", "Bartok, the orpiment lies in the well."} {
		said = append(said, line)
		s.say(line)
		if i == 0 {
			checkSays(t, s.read(`"code":"waits_to_be_kept"`), "cannot be saved", "that it can be written")
		}
		if e := s.wait("turn.ended"); e.Outcome != "failed" {
			t.Errorf("%q: %s, want failed", line, e.Outcome)
		}
	}
	thaw()
	checkSays(t, s.read(`"code":"kept_again"`), "including 6 lines")
	said = append(said, "Bartok, are we back?")
	s.say(said[4])
	if e := s.wait("turn.ended"); e.Outcome != "delivered" {
		t.Errorf("after it a turn is %s", e.Outcome)
	}
	out := s.leave().ok(t).stdout
	for _, code := range []string{"waits_to_be_kept", "kept_again"} {
		if n := strings.Count(out, `"code":"`+code+`"`); n != 1 {
			t.Errorf("%s was told %d times, want once", code, n)
		}
	}
	var kept []string
	answers := 0
	for _, l := range h.lines() {
		if l.NPC != "" {
			answers++
			continue
		}
		kept = append(kept, l.Text)
	}
	if !slices.Equal(kept, said) || answers != len(said) {
		t.Errorf("%q and %d answers are kept, want each of %q once and in order, and its answer", kept, answers, said)
	}
	store, err := sqlite.Open(t.Context(), h.path(".glyphoxa/glyphoxa.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	memorytest.Sound(t, store)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
