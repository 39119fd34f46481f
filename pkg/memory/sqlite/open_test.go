package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// foreign runs statements directly on a database file.
func foreign(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, "opening behind the back", err)
	for _, st := range statements {
		_, err := db.ExecContext(t.Context(), st)
		must(t, st, err)
	}
	must(t, "closing behind the back", db.Close())
}

// oneLine checks that an error is a single line with the path.
func oneLine(t *testing.T, err error, path string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %q, want one line that names %s", err, path)
	}
}

func TestOpenRefuses(t *testing.T) {
	rows := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    error
		says    string
	}{
		{name: "directory", prepare: func(t *testing.T, path string) { must(t, "Mkdir", os.Mkdir(path, 0o755)) }, says: "it is a directory"},
		{name: "below_a_file", prepare: func(t *testing.T, path string) {
			must(t, "WriteFile", os.WriteFile(filepath.Dir(path), []byte("x"), 0o600))
		}, says: "choose another path"},
		{name: "text_file", prepare: func(t *testing.T, path string) {
			must(t, "WriteFile", os.WriteFile(path, []byte(strings.Repeat("Dear diary, ", 1000)), 0o600))
		}, want: sqlite.ErrCorrupt, says: "backup"},
		{name: "newer", prepare: func(t *testing.T, path string) {
			s, err := sqlite.Open(t.Context(), path, nil)
			must(t, "Open", err)
			must(t, "Close", s.Close())
			foreign(t, path, "PRAGMA user_version = 999")
		}, want: sqlite.ErrTooNew, says: "update Glyphoxa"},
		{name: "other_program", prepare: func(t *testing.T, path string) {
			foreign(t, path, "CREATE TABLE recipes (x)")
		}, want: sqlite.ErrForeign, says: "choose another file"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "a.db")
			if row.name != "below_a_file" {
				must(t, "MkdirAll", os.MkdirAll(filepath.Dir(path), 0o755))
			}
			row.prepare(t, path)
			_, err := sqlite.Open(t.Context(), path, nil)
			oneLine(t, err, path)
			if row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("err = %v, want %v", err, row.want)
			}
			if err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("err = %v, want it to say %q", err, row.says)
			}
		})
	}
	if _, err := sqlite.Open(t.Context(), "", nil); err == nil {
		t.Error("an empty path was opened")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "a.db"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Open = %v, want context.Canceled", err)
	}
}

func TestOpenLeavesAForeignDatabaseAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	foreign(t, path, "CREATE TABLE recipes (x)", "INSERT INTO recipes VALUES ('soup')")
	_, err := sqlite.Open(t.Context(), path, nil)
	if !errors.Is(err, sqlite.ErrForeign) {
		t.Fatalf("err = %v, want ErrForeign", err)
	}
	db, err := sql.Open("sqlite", path)
	must(t, "sql.Open", err)
	var tables int
	must(t, "counting", db.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema").Scan(&tables))
	must(t, "Close", db.Close())
	if tables != 1 {
		t.Errorf("%d tables, want its one", tables)
	}
}

// TestOlderSQLiteReadsTheFile opens a store's file with the system's sqlite3, which is
// older than the store's SQLite, because users inspect and back up their files with it.
func TestOlderSQLiteReadsTheFile(t *testing.T) {
	shell := peers.Program(t, "sqlite3")
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	memorytest.Say(t, s, memorytest.StartSession(t, s), "The dragon sleeps under the mill.")
	must(t, "Close", s.Close())
	for query, want := range map[string]string{
		"SELECT text FROM lines": "The dragon sleeps under the mill.",
		"SELECT count(*) FROM lines_text WHERE lines_text MATCH 'words:dragon'": "1",
		"PRAGMA integrity_check": "ok",
		"SELECT count(*) > 5 FROM (SELECT name FROM sqlite_schema WHERE type = 'index')": "1",
	} {
		out, err := exec.CommandContext(t.Context(), shell, "-readonly", path, query).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", query, got, err, want)
		}
	}
}

func TestOddPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.db", "what?.db", "50%41.db", "#1.db", "ü🐉.db", "a&_pragma=x.db", "deep/er/a.db", "file:x.db"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		s, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Errorf("Open(%q): %v", name, err)
			continue
		}
		memorytest.StartSession(t, s)
		must(t, "Close", s.Close())
		info, err := os.Stat(path)
		if err != nil || info.Size() == 0 {
			t.Errorf("%q: %v, want the file under its own name", name, err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%q has mode %v, want it private", name, info.Mode())
		}
	}
}

func TestDamagedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	id := memorytest.StartSession(t, s)
	for range 20 {
		memorytest.Say(t, s, id, strings.Repeat("the dragon sleeps ", 200))
	}
	must(t, "Close", s.Close())
	data, err := os.ReadFile(path)
	must(t, "ReadFile", err)
	for i := 4096; i < len(data); i++ {
		data[i] = 0xa5
	}
	must(t, "WriteFile", os.WriteFile(path, data, 0o600))

	s, err = sqlite.Open(t.Context(), path, nil)
	if err == nil {
		_, err = s.Append(t.Context(), memory.Line{Session: id, Text: "x"})
		must(t, "Close", s.Close())
	}
	if !errors.Is(err, sqlite.ErrCorrupt) {
		t.Errorf("err = %v, want ErrCorrupt", err)
	}
	oneLine(t, err, path)
}
