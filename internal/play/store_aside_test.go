package play_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestWhatWasSetAsideIsTakenIn imports the lines set aside twice. One is in the store already,
// and one is from a user who was forgotten since.
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
	a := play.NewSpillFile(aside)
	taken := line(4, "discord:1", "taken back")
	path := ""
	for _, some := range [][]memory.Line{lines[:1], {lines[1], taken}, nil} {
		if path, err = a.Add(some); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Replace(lines[:2]); err != nil {
		t.Fatal(err)
	}
	if _, err = a.Add(lines[2:]); err != nil {
		t.Fatal(err)
	}
	torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = torn.WriteString(`{"session_id":"`)
	}
	if err = errors.Join(err, torn.Close()); err != nil { // as after a power failure
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want one that is for its owner alone", info, err)
	}
	if err := play.RecordForgotten(withheld, "discord:2"); err != nil {
		t.Fatal(err)
	}
	forgotten, err := play.ReadForgotten(withheld)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		if n, err := play.ImportSpilled(t.Context(), aside, s, forgotten); n != want || err != nil {
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

	// A file that cannot be read, or that belongs to a deleted session, stays in place.
	for name, content := range map[string]string{"2026-a.jsonl": "{\"text\":no}", "2026-b.jsonl": `{"session_id":"nope","text":"zebra","at":"2026-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(aside, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = play.ImportSpilled(t.Context(), aside, s, forgotten)
	left, globErr := filepath.Glob(filepath.Join(aside, "*"))
	if err == nil || !strings.Contains(err.Error(), "2026-a.jsonl") || !strings.Contains(err.Error(), "2026-b.jsonl") || len(left) != 2 || globErr != nil {
		t.Errorf("taking in what cannot be: %v; %q are left", err, left)
	}
}

// TestAnAsideGoesWithItsLines checks that no file remains once all lines are stored.
func TestAnAsideGoesWithItsLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "unkept")
	a := play.NewSpillFile(dir)
	for range 2 {
		if _, err := a.Add([]memory.Line{{Session: "s", Text: "one"}}); err != nil {
			t.Fatal(err)
		}
		if err := a.Replace(nil); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
}
