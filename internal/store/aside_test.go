package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/store"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestWhatWasSetAsideIsTakenIn sets lines aside of which one is in the store already and
// one was said by somebody who was forgotten since, and takes them in twice.
func TestWhatWasSetAsideIsTakenIn(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	session, err := s.StartSession(t.Context(), "The Flagon")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)
	line := func(n int64, user, text string) memory.Line {
		return memory.Line{
			Session: session.ID, Turn: n, Speaker: "Ana", Text: text, At: at.Add(time.Duration(n) * time.Second), User: user, Ref: "message", To: "mira",
			Present: memory.Heard("mira"), Date: memory.Date{Day: 12, Text: "12 Frostfall"},
		}
	}
	lines := []memory.Line{line(1, "discord:1", "one"), line(2, "discord:2", "whom nobody remembers"), line(3, "discord:1", "three")}
	if _, err := s.Append(t.Context(), lines[0]); err != nil {
		t.Fatal(err)
	}
	aside, withheld := filepath.Join(dir, "unkept"), filepath.Join(dir, "forgotten.list")
	path, err := store.SetAside(aside, lines)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want one that is for its owner alone", info, err)
	}
	if err := store.Withhold(withheld, "discord:2"); err != nil {
		t.Fatal(err)
	}
	forgotten, err := store.ReadWithheld(withheld)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		if n, err := store.TakeIn(t.Context(), aside, s, forgotten); n != want || err != nil {
			t.Errorf("%d lines were taken in (%v), want %d", n, err, want)
		}
	}
	got, err := s.Recent(t.Context(), session.ID, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].ID = 0
	}
	if diff := cmp.Diff([]memory.Line{lines[0], lines[2]}, got); diff != "" {
		t.Errorf("the lines kept (-want +got):\n%s", diff)
	}

	// What cannot be read, or is of a session that is gone, stays where it is.
	for name, content := range map[string]string{"2026-a.jsonl": "{\"text\":", "2026-b.jsonl": `{"session_id":"nope","text":"zebra","at":"2026-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(aside, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = store.TakeIn(t.Context(), aside, s, forgotten)
	left, globErr := filepath.Glob(filepath.Join(aside, "*"))
	if err == nil || !strings.Contains(err.Error(), "2026-a.jsonl") || !strings.Contains(err.Error(), "2026-b.jsonl") || len(left) != 2 || globErr != nil {
		t.Errorf("taking in what cannot be: %v; %q are left", err, left)
	}
}
