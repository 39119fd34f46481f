package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestTakenBackWhileTheFullTextIsMerged takes a line back while the full-text index is
// merged to forget a player: the file must not keep the line's words.
func TestTakenBackWhileTheFullTextIsMerged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(t.Context(), path, nil)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	session, err := s.StartSession(t.Context(), "merged")
	must(err)
	const mistakes = 8
	var lines []memory.Line
	for i := range 2 * manyLines {
		lines = append(lines, memory.Line{Session: session.ID, Speaker: "Ada", User: "ada", Text: fmt.Sprintf("the bell of house %d rings for number %d", i, i*i)})
	}
	for i := range mistakes {
		lines = append(lines, memory.Line{Session: session.ID, Speaker: "Bob", User: "bob", Ref: fmt.Sprint("m", i), Text: fmt.Sprintf("I am quondamly%dbart", i)})
	}
	for _, l := range lines { // each is a segment of the full-text index
		_, err := s.Append(t.Context(), l)
		must(err)
	}
	taken := 0
	takeBack := func() {
		t.Helper()
		n, err := s.Retract(t.Context(), session.ID, fmt.Sprint("m", taken))
		must(err)
		if taken++; n != 1 {
			t.Errorf("%d lines are taken back, want 1", n)
		}
	}
	must(s.write(t.Context(), "testing", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, newDialect(s.database).syntax.BeginForgetting, "ada")
		return err
	}))
	w := &forgetWork{s: s.database, shared: s.memoryStore, f: &forgetting{user: "ada", line: 2 * manyLines}}
	must(w.deleteLines(t.Context()))
	takeBack()
	w.progress = func(memory.Forgetting) { takeBack() } // after the first step, and every half second
	must(w.dropWords(t.Context()))
	w.progress = nil
	if taken == 1 {
		t.Fatal("nothing was taken back meanwhile")
	}
	for _, do := range []func(context.Context) error{w.cleanFile, func(context.Context) error { return s.Close() }} {
		must(do(t.Context()))
	}
	data, err := os.ReadFile(path)
	must(err)
	for i := range taken {
		if word := fmt.Sprintf("%dbart", i); bytes.Contains(data, []byte(word)) {
			t.Errorf("%q is left in the file", word)
		}
	}
}

// TestNotesOfWhatIsDeletedAreMerged merges the index's delete markers when there are many
// and again when few are left: none of the words remains in the file.
func TestNotesOfWhatIsDeletedAreMerged(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	defer func() { must(s.Close()) }()
	session, err := s.StartSession(t.Context(), "merged")
	must(err)
	w := &forgetWork{s: s.database, f: &forgetting{}}
	for round, lines := range []int{300, 1, 2, 7, 20} {
		must(w.overwriteWords(t.Context(), false))
		for i := range lines {
			_, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Bob", Ref: fmt.Sprint(round, "-", i), Text: fmt.Sprintf("I am quondamly%dbart", i)})
			must(err)
		}
		_, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Ada", Text: fmt.Sprint("this stays ", round)})
		must(err)
		for i := range lines {
			_, err = s.Retract(t.Context(), session.ID, fmt.Sprint(round, "-", i))
			must(err)
		}
		must(w.overwriteWords(t.Context(), true))
		must(w.mergeCompletely(t.Context(), "lines_text"))
		left := 0
		must(s.read(t.Context(), "looking for words", func(c *conn) error {
			return c.Row(t.Context(), `SELECT count(*) FROM lines_text_data WHERE instr(block, ?)`, []any{[]byte("bart")}, &left)
		}))
		if left > 0 {
			t.Errorf("round %d: %d lines were taken back, and words of them are in %d blocks", round, lines, left)
		}
		found, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "stays"})
		must(err)
		if len(found) != round+1 {
			t.Errorf("round %d: %d lines are found, want %d", round, len(found), round+1)
		}
	}
}
