package play_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestACampaignIsPlayedInPostgres opens the shipped campaign twice on a server, and once in
// another schema: the second time has the lines of the first, the other schema has none.
func TestACampaignIsPlayedInPostgres(t *testing.T) {
	dsn := strings.Replace(peers.StartPostgres(t, "fsync=off").DSN(t), "postgres@", "postgres:hush-hush@", 1)
	cfg, err := play.LoadConfig("")
	if err != nil {
		t.Fatal(err)
	}
	cfg.DataDir = t.TempDir()
	cfg.Memory.Store, cfg.Memory.DSN = config.StorePostgres, config.Secret(dsn)
	for _, row := range []struct {
		schema string
		before int
	}{{"", 0}, {"", 1}, {"guild_1", 0}} {
		cfg.Memory.Schema = row.schema
		g, err := play.Open(t.Context(), play.Options{Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := g.Store.Sessions(t.Context(), 0)
		if err != nil || len(sessions) != row.before {
			t.Errorf("%q: %d sessions, %v; want %d", row.schema, len(sessions), err, row.before)
		}
		s, err := g.Store.StartSession(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Store.Append(t.Context(), memory.Line{Session: s.ID, Speaker: "Ada", Text: "Hello."}); err != nil {
			t.Error(err)
		}
		if entities, _, err := g.Store.World(t.Context()); err != nil || len(entities) == 0 {
			t.Errorf("%d entities, %v; want the campaign's", len(entities), err)
		}
		if at := g.Store.Location(); strings.Contains(at, "hush") || !strings.Contains(at, "/postgres") || !strings.Contains(play.StoreAdvice(g.Store), "pgvector") {
			t.Errorf("location %q, advice %q", at, play.StoreAdvice(g.Store))
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoStoreIsNil checks that a failed open returns a nil interface, because callers close any
// store that is not nil.
func TestNoStoreIsNil(t *testing.T) {
	for _, m := range []config.Memory{
		{Store: config.StorePostgres, DSN: "postgres://nobody:hush-hush@127.0.0.1:1/nothing"},
		{Store: config.StorePostgres, DSN: "%"},
		{Store: config.StoreSQLite, Path: t.TempDir()},
	} {
		s, err := play.OpenStore(t.Context(), m, play.StoreOptions{})
		if s != nil || err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%v: %v, %v; want no store and why", m.Store, s, err)
		}
	}
}
