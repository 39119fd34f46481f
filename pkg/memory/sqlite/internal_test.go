package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// TestFullDisk limits the size of the file: a write fails as a whole with the reason,
// earlier data stays, and writes succeed again once there is room.
func TestFullDisk(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	sess, err := s.StartSession(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	limitPages(t, s, "60")
	kept := 0
	for err == nil {
		_, err = s.Append(ctx, memory.Line{Session: sess.ID, Text: fmt.Sprint("first ", strings.Repeat("words ", 300))},
			memory.Line{Session: sess.ID, Text: "second"})
		if err == nil {
			kept += 2
		}
	}
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("err = %v, want one line with ErrFull and the path", err)
	}
	check := func(want int) {
		t.Helper()
		lines, err := s.Recent(ctx, sess.ID, 10_000)
		if err != nil || len(lines) != want {
			t.Errorf("%d lines, %v, want %d", len(lines), err, want)
		}
		hits, err := s.SearchLines(ctx, memory.LineQuery{Text: "second", Limit: 10_000})
		if err != nil || len(hits) != want/2 {
			t.Errorf("%d hits, %v, want %d", len(hits), err, want/2)
		}
	}
	check(kept)
	limitPages(t, s, "1000000")
	if _, err := s.Append(ctx, memory.Line{Session: sess.ID, Text: "after"}, memory.Line{Session: sess.ID, Text: "second"}); err != nil {
		t.Errorf("Append with room again: %v", err)
	}
	check(kept + 2)
}

func limitPages(t *testing.T, s *Store, pages string) {
	t.Helper()
	err := s.writer.withConn(t.Context(), func(c *conn) error { return c.script(t.Context(), "PRAGMA max_page_count = "+pages) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	run := func(steps []string) error {
		return s.writer.withConn(t.Context(), func(c *conn) error { return migrate(t.Context(), c, steps) })
	}
	version := func() (v int) {
		t.Helper()
		err := s.writer.withConn(t.Context(), func(c *conn) error {
			return c.Row(t.Context(), "SELECT user_version FROM pragma_user_version", nil, &v)
		})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	one := append(steps(), "CREATE TABLE pins (x)")
	if err := run(one); err != nil || version() != len(one) {
		t.Fatalf("added step: %v, version %d, want %d", err, version(), len(one))
	}
	if err := run(one); err != nil {
		t.Errorf("again: %v", err)
	}
	broken := append(one, "CREATE TABLE latency (x)", "CREATE TABLE pins (x)")
	if err := run(broken); err == nil || version() != len(one) {
		t.Errorf("broken step: %v, version %d, want an error and no change", err, version())
	}
	fixed := append(one, "CREATE TABLE latency (x)")
	if err := run(fixed); err != nil || version() != len(fixed) {
		t.Errorf("fixed step: %v, version %d, want all of a broken update undone", err, version())
	}
	if err := run(steps()); !errors.Is(err, ErrTooNew) {
		t.Errorf("older program: %v, want ErrTooNew", err)
	}
}

// TestRollbackAfterPanic checks that a panic releases the writer and rolls its
// transaction back.
func TestRollbackAfterPanic(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.write(t.Context(), "panicking", func(ctx context.Context, c *conn) error {
			if _, err := c.Exec(ctx, `INSERT INTO sessions (id, campaign, started) VALUES ('x', '', 0)`); err != nil {
				t.Error(err)
			}
			panic("boom")
		})
	}()
	got, err := s.Sessions(t.Context(), 0)
	if err != nil || len(got) != 0 {
		t.Errorf("sessions = %v, %v, want none", got, err)
	}
	if _, err := s.StartSession(t.Context(), "x"); err != nil {
		t.Errorf("StartSession: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestUnsyncedWritesEndWithThemselves checks that after a world's unsynced write, however
// it ends, the writer syncs as before.
func TestUnsyncedWritesEndWithThemselves(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	careful := func() (level int) {
		t.Helper()
		err := s.writer.withConn(t.Context(), func(c *conn) error {
			return c.Row(t.Context(), "SELECT synchronous FROM pragma_synchronous", nil, &level)
		})
		if err != nil {
			t.Fatal(err)
		}
		return level
	}
	const full, normal = 2, 1
	rows := []struct {
		name string
		do   func(look func()) error
	}{
		{name: "done", do: func(look func()) error { look(); return nil }},
		{name: "failed", do: func(look func()) error { look(); return errors.New("no") }},
		{name: "panicked", do: func(look func()) error { look(); panic("boom") }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			during := 0
			func() {
				defer func() { _ = recover() }()
				_ = s.writeUnsynced(t.Context(), "testing", func(ctx context.Context, c *conn) error {
					return row.do(func() {
						if err := c.Row(ctx, "SELECT synchronous FROM pragma_synchronous", nil, &during); err != nil {
							t.Error(err)
						}
					})
				})
			}()
			if after := careful(); during != normal || after != full {
				t.Errorf("synchronous is %d during and %d after, want %d and %d", during, after, normal, full)
			}
		})
	}
}

// older creates a database as an earlier version left it: with the first steps only, and
// the rows that script inserts.
func older(t *testing.T, steps []string, script string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.db")
	if err := prepareFile(path); err != nil {
		t.Fatal(err)
	}
	w, err := openWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	err = w.withConn(t.Context(), func(c *conn) error {
		if err := migrate(t.Context(), c, steps); err != nil {
			return err
		}
		return c.script(t.Context(), script)
	})
	if err := errors.Join(err, w.close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// reopen opens a database and closes it with the test.
func reopen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// TestOlderDatabaseGetsPositions opens a database from before positions existed.
func TestOlderDatabaseGetsPositions(t *testing.T) {
	ctx := t.Context()
	s := reopen(t, older(t, []string{stepMemory, stepState},
		`INSERT INTO entities (id, type, name, key, description, visible) VALUES ('a', 'npc', 'A', 'a', 'Old.', '')`))
	e, err := s.Entity(ctx, "a", "")
	if err != nil || e.Description != "Old." || e.Position != nil {
		t.Fatalf("entity = %+v, %v; want it as it was, without a position", e, err)
	}
	// The first campaign file applies as before.
	e.Description = "New."
	if err := s.ApplyCampaign(ctx, []memory.Entity{e}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if e, err = s.Entity(ctx, "a", ""); err != nil || e.Description != "New." {
		t.Errorf("entity = %+v, %v; want what the file says", e, err)
	}
}

// TestOlderDatabaseGoesOnForgetting opens a database of a version that still removed a
// user's name from other speakers' lines, in each phase of forgetting that user.
func TestOlderDatabaseGoesOnForgetting(t *testing.T) {
	before := slices.Index(steps(), stepOwnWords)
	for phase := range 4 {
		path := filepath.Join(t.TempDir(), "a.db")
		old, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		script := strings.Join(steps()[:before], "\n") + fmt.Sprintf(`
			PRAGMA application_id = %d; PRAGMA user_version = %d;
			INSERT INTO sessions (n, id, campaign, started) VALUES (1, 's', 'x', 0);
			INSERT INTO lines (id, session, turn, speaker, npc, heard, text, at, user) VALUES
				(1, 1, 1, 'Greta', '', '', 'I am Greta.', 0, 'u:1'), (2, 1, 1, 'Bartok', 'bartok', '', 'Welcome, Greta.', 0, ''), (3, 1, 2, 'Greta', '', '', 'I am back.', 0, 'u:1');
			INSERT INTO lines_text (rowid, words) VALUES (1, '¤1 i am greta'), (2, '¤1 welcome greta'), (3, '¤1 i am back');
			INSERT INTO entities (id, type, name, key, description, visible) VALUES ('greta', 'npc', 'Greta', 'greta', '', '');
			INSERT INTO forgetting (user, names, keep, instead, line, fact, phase) VALUES ('u:1', '["Greta"]', '[]', 'someone', 1, 0, %d);`,
			applicationID, before, phase)
		if phase > 0 { // the user's lines are deleted
			script += `DELETE FROM lines WHERE id = 1; INSERT INTO lines_text (lines_text, rowid, words) VALUES ('delete', 1, '¤1 i am greta');`
		}
		if _, err := old.ExecContext(t.Context(), script); err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.ResumeForgetting(t.Context()); n != 1 || err != nil {
			t.Errorf("phase %d: %d, %v; want one user", phase, n, err)
		}
		lines, err := s.Recent(t.Context(), "s", 10)
		if err != nil || len(lines) != 2 || lines[0].Text != "Welcome, Greta." || lines[1].Text != "I am back." {
			t.Errorf("phase %d: lines are %+v, %v", phase, lines, err)
		}
		if e, err := s.Entity(t.Context(), "greta", ""); err != nil || e.Name != "Greta" {
			t.Errorf("phase %d: the entity is %+v, %v", phase, e, err)
		}
		if n, err := s.ResumeForgetting(t.Context()); n != 0 || err != nil {
			t.Errorf("phase %d: then %d, %v are left", phase, n, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOlderDatabaseGetsAuthors opens a database with lines from before authors were stored:
// they stay when a user is forgotten, and the user's later lines are deleted.
func TestOlderDatabaseGetsAuthors(t *testing.T) {
	ctx := t.Context()
	s := reopen(t, older(t, []string{stepMemory, stepState, stepWorld}, `
		INSERT INTO sessions (n, id, campaign, started, ended) VALUES (7, 'old', 'x', 1, 2);
		INSERT INTO lines (id, session, turn, speaker, npc, heard, text, at) VALUES (1, 7, 1, 'Ada', '', '', 'An old zebra.', 1);
		INSERT INTO lines_text (rowid, words) VALUES (1, '¤7 an old zebra');
		INSERT INTO facts (id, source, text, at, visible) VALUES (1, 'session:old', 'Ada: An old zebra.', 1, '');
		INSERT INTO facts_text (rowid, words) VALUES (1, 'ada an old zebra')`))
	old := memory.Line{ID: 1, Session: "old", Turn: 1, Speaker: "Ada", Text: "An old zebra.", At: sqlstore.FromStamp(1)}
	check := func(want ...memory.Line) {
		t.Helper()
		recent, err := s.Recent(ctx, "old", 10)
		if diff := cmp.Diff(want, recent); diff != "" || err != nil {
			t.Errorf("Recent: %v (-want +got):\n%s", err, diff)
		}
		hits, err := s.SearchLines(ctx, memory.LineQuery{Text: "zebra", Session: "old"})
		if err != nil || len(hits) != len(want) {
			t.Errorf("SearchLines = %v, %v; want %d", hits, err, len(want))
		}
		facts, err := s.SearchFacts(ctx, "zebra", "", 10)
		if err != nil || len(facts) != len(want) {
			t.Errorf("SearchFacts = %v, %v; want %d", facts, err, len(want))
		}
	}
	check(old)
	if err := s.Reopen(ctx, "old"); err != nil {
		t.Fatal(err)
	}
	added, err := s.Append(ctx, memory.Line{Session: "old", Turn: 2, Speaker: "Ada", Text: "A new zebra.", User: "discord:1", Ref: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.IndexLines(ctx); err != nil || n != 2 {
		t.Fatalf("IndexLines = %d, %v; want both lines", n, err)
	}
	check(old, added[0])
	if n, err := s.Forget(ctx, "discord:1"); err != nil || n != 1 {
		t.Errorf("Forget = %d, %v; want the new line alone", n, err)
	}
	check(old)
	for _, ref := range []string{"", "m1"} {
		if n, err := s.Retract(ctx, "old", ref); err != nil || n != 0 {
			t.Errorf("Retract(%q) = %d, %v; want none", ref, n, err)
		}
	}
	check(old)
}

// meddler is an embedder that runs happens while it works.
type meddler struct{ happens func() }

func (m meddler) Name() string    { return "meddler" }
func (m meddler) Dimensions() int { return 2 }

func (m meddler) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.happens()
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

// TestALateVectorFindsItsFactGone has a fact replaced by another with the same ID while
// the embedder works: the vector must not be stored.
func TestALateVectorFindsItsFactGone(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a.db")
	other := reopen(t, path)
	if err := other.Remember(ctx, memory.Fact{Source: "s", Text: "old"}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, path, &Options{Embedder: meddler{func() {
		if err := other.Unremember(ctx, "s", "old"); err != nil {
			t.Error(err)
		}
		if err := other.Remember(ctx, memory.Fact{Source: "s", Text: "new"}); err != nil {
			t.Error(err)
		}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	if _, err := s.EmbedFacts(ctx); err != nil {
		t.Fatal(err)
	}
	err = s.read(ctx, "testing", func(c *conn) error {
		var id, embedded int64
		err := c.Row(ctx, `SELECT id, embedded FROM facts WHERE text = 'new'`, nil, &id, &embedded)
		if id != 1 || embedded != 0 {
			t.Errorf("the new fact has the id %d and a vector in space %d, want the old one's id and no vector", id, embedded)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
