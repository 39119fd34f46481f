package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestFilesOfEarlierVersionsOpen opens files that earlier versions wrote during a game:
// no line, fact or place is lost, and the store works.
//
// A file in testdata/earlier is named after its schema and was made by printf 'Anna: …\n'
// | glyphoxa play with a build of that version.
func TestFilesOfEarlierVersionsOpen(t *testing.T) {
	files, err := filepath.Glob("testdata/earlier/*.db.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no file of an earlier version: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".db.gz"), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			unpackTo(t, file, path)
			want := map[string][]string{
				"line":   rowsOf(t, path, "SELECT speaker || ': ' || text FROM lines"),
				"fact":   rowsOf(t, path, "SELECT text FROM facts"),
				"entity": rowsOf(t, path, "SELECT name FROM entities"),
			}
			if len(want["line"]) == 0 {
				t.Fatal("the file has no lines, so nothing could be lost")
			}
			s, err := sqlite.Open(t.Context(), path, &sqlite.Options{})
			must(t, "opening a file of an earlier version", err)
			t.Cleanup(func() { must(t, "Close", s.Close()) })
			var dump []string
			for _, r := range memorytest.DumpOf(t, s) {
				dump = append(dump, r.Kind+" "+fmt.Sprint(r.Values...))
			}
			for kind, texts := range want {
				for _, text := range texts {
					said := text
					if kind == "line" {
						_, said, _ = strings.Cut(text, ": ")
					}
					if !slices.ContainsFunc(dump, func(r string) bool { return strings.HasPrefix(r, kind+" ") && strings.Contains(r, said) }) {
						t.Errorf("the %s %q is lost", kind, text)
					}
				}
			}
			memorytest.Sound(t, s)
			lines, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "mill"})
			if err != nil || len(lines) == 0 {
				t.Errorf("searching finds %d lines, %v", len(lines), err)
			}
		})
	}
}

func unpackTo(t *testing.T, packed, path string) {
	t.Helper()
	raw, err := os.ReadFile(packed)
	must(t, "reading", err)
	z, err := gzip.NewReader(bytes.NewReader(raw))
	must(t, "unpacking", err)
	text, err := io.ReadAll(z)
	must(t, "unpacking", err)
	must(t, "writing", os.WriteFile(path, text, 0o600))
}

// rowsOf reads a file without the store.
func rowsOf(t *testing.T, path, query string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, "opening behind the back", err)
	defer func() { must(t, "closing behind the back", db.Close()) }()
	rows, err := db.QueryContext(t.Context(), query)
	must(t, query, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		must(t, query, rows.Scan(&text))
		all = append(all, text)
	}
	must(t, query, rows.Err())
	return all
}
