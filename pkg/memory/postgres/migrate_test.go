package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

func TestMigrate(t *testing.T) {
	dsn := peers.StartPostgres(t, "fsync=off").DSN(t)
	s, err := Open(t.Context(), dsn, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	run := func(steps []string) error { return migrate(t.Context(), c, steps) }
	number := func(query string) (n int) {
		t.Helper()
		if err := c.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	version := func() int { return number(`SELECT version FROM glyphoxa_schema`) }
	if got := version(); got != len(steps()) {
		t.Fatalf("a new schema has version %d, want %d", got, len(steps()))
	}
	one := append(steps(), "CREATE TABLE pins (x integer)")
	if err := run(one); err != nil || version() != len(one) {
		t.Fatalf("added step: %v, version %d, want %d", err, version(), len(one))
	}
	if err := run(one); err != nil {
		t.Errorf("again: %v", err)
	}
	broken := append(one, "CREATE TABLE latency (x integer)", "CREATE TABLE pins (x integer)")
	if err := run(broken); err == nil || version() != len(one) {
		t.Errorf("broken step: %v, version %d, want an error and no change", err, version())
	}
	fixed := append(one, "CREATE TABLE latency (x integer)")
	if err := run(fixed); err != nil || version() != len(fixed) {
		t.Errorf("fixed step: %v, version %d, want all of a broken update undone", err, version())
	}
	if err := run(steps()); !errors.Is(err, ErrTooNew) {
		t.Errorf("older program: %v, want ErrTooNew", err)
	}

	s, err = Open(t.Context(), dsn, nil)
	if err == nil {
		t.Error("a newer schema was opened")
		err = s.Close()
	}
	if !errors.Is(err, ErrTooNew) || !strings.Contains(err.Error(), "update Glyphoxa") {
		t.Errorf("Open: %v, want ErrTooNew and what to do", err)
	}
	if n := number(`SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename IN ('pins', 'latency', 'lines')`); n != 3 {
		t.Errorf("%d of three tables are there after a newer schema was refused", n)
	}
}

// TestMigrateKeepsWhatIsThere migrates schemas of each earlier version that contain a
// fact and a user who is being forgotten.
func TestMigrateKeepsWhatIsThere(t *testing.T) {
	server := peers.StartPostgres(t, "fsync=off")
	for done := 1; done < len(steps()); done++ {
		dsn := server.DSN(t)
		c, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		err = migrate(t.Context(), c, steps()[:done])
		if err == nil {
			_, err = c.Exec(t.Context(), `INSERT INTO facts (hash, source, text, at, audience, date) VALUES ($1, 'campaign:mill', 'The mill is haunted.', 0, 0, '')`, factHash("campaign:mill", "The mill is haunted."))
		}
		if err == nil && done > slices.Index(steps(), stepForgetting) {
			_, err = c.Exec(t.Context(), `INSERT INTO forgetting (said_by, names, keep, instead, line, fact) VALUES ('u:1', '["mill"]', '[]', 'someone', 9, 9)`)
		}
		if err := errors.Join(err, c.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), dsn, nil)
		if err != nil {
			t.Fatalf("from version %d: %v", done, err)
		}
		if _, err := s.ResumeForgetting(t.Context()); err != nil {
			t.Error(err)
		}
		facts, err := s.CampaignFacts(t.Context(), 0, 10)
		if err != nil || len(facts) != 1 || facts[0].Text != "The mill is haunted." {
			t.Errorf("from version %d there are %+v, %v; want the fact", done, facts, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
