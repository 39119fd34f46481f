package main_test

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
)

// TestMemoryInPostgres plays on a PostgreSQL server and continues in another
// run, which finds the transcript of the first; no file contains memory.
func TestMemoryInPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the program fourteen times; make test-all runs it")
	}
	t.Parallel()
	const password = "hush-hush-hush"
	server := peers.StartPostgres(t, "fsync=off")
	dsn := strings.Replace(server.DSN(t), "postgres@", "postgres:"+password+"@", 1)
	h := newProgram(t)
	h.secrets = []string{password}
	h.write("glyphoxa.yaml", `data_dir: data
campaign: {name: Barrow Keep}
memory: {store: postgres, dsn: "${GLYPHOXA_DSN}"}
npcs:
  - {name: Maren, id: maren, personality: A ferrywoman.}
`)
	h.run("", "play").complains(t, 2, "GLYPHOXA_DSN")
	h.set("GLYPHOXA_DSN", dsn)

	const promise, rumour = "Maren, we promise you a bell for the ferry.", "Maren, the quicksilver lies under the weir."
	h.run("Ada: "+promise+"\nBrom: "+rumour+"\n", "play").ok(t)
	out := h.run("/memory\nAda: Maren, good evening.\n", "play").ok(t).stdout
	checkSays(t, out, "from earlier sessions; /memory shows them", "1 promise: Ada (player): "+promise)
	if got := h.found("quicksilver"); !slices.Contains(got, "Brom: "+rumour) {
		t.Errorf("search finds %q, want what Brom said in the first run", got)
	}
	checkSays(t, h.run("", "doctor").stdout, "/postgres", "pgvector")
	checkSays(t, h.run("", "campaign", "list").ok(t).stdout, "Barrow Keep", "2 sessions")
	checkSays(t, h.run("", "recap", "--extract").ok(t).stdout, "Maren")
	checkSays(t, h.run("", "export", "kept.yaml", "--with-lines").ok(t).stdout, "kept.lines.jsonl")
	world, err := filepath.Abs(filepath.FromSlash("../../internal/world/testdata/foundry13"))
	if err != nil {
		t.Fatal(err)
	}
	checkSays(t, h.run("", "import", world).ok(t).stdout, "9 new", "imported into postgres://")
	checkSays(t, h.run("", "import", world).ok(t).stdout, "0 new, 0 changed, 9", "there was nothing to change")
	checkSays(t, h.run("", "campaign", "remove", "Barrow Keep", "--with-sessions", "--yes").ok(t).stdout, "removed 9 entities", "2 sessions")
	if files, err := filepath.Glob(h.path("data/*.db*")); err != nil || slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), "glyphoxa.db") }) {
		t.Errorf("%v; there are files %q", err, files)
	}

	for _, wrong := range []struct {
		dsn  string
		says []string
	}{
		{"postgres://postgres:" + password + "@%zz/postgres", []string{"connection string", "postgres://user:password@host:5432/database"}},
		{strings.Replace(dsn, "/postgres?", "/nothing?", 1), []string{"refuses", "memory.dsn"}},
		{"postgres://postgres:" + password + "@/postgres?host=" + url.QueryEscape(t.TempDir()), []string{"cannot be reached", "memory.dsn"}},
	} {
		h.set("GLYPHOXA_DSN", wrong.dsn)
		h.run("Ada: Maren?\n", "play").complains(t, 1, wrong.says...)
	}
}

// TestPostgresGoesAway stops the server during an evening, and later revokes
// its write permission. The table continues and says so, and every line is
// stored once in the end, also lines said when the server did not return before
// the program ended.
func TestPostgresGoesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	server := peers.StartPostgres(t)
	dsn := server.DSN(t)
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\nmemory: {store: postgres, dsn: \""+dsn+"\"}\nnpcs:\n  - {name: Maren, id: maren, personality: A ferrywoman.}\n")
	s := h.start("play", "--json")
	turn := func(line, outcome string) {
		t.Helper()
		s.say(line)
		if e := s.wait("turn.ended"); e.Outcome != outcome {
			t.Errorf("%q: %s, want %s", line, e.Outcome, outcome)
		}
	}
	turn("Maren, good evening.", "delivered")
	server.Stop(t)
	s.say("Maren, the quicksilver lies under the weir.")
	s.read(`"code":"waits_to_be_kept"`)
	s.wait("turn.ended")
	turn("Maren, the cinnabar lies on the hill.", "failed")
	server.Start(t)
	checkSays(t, s.read(`"code":"kept_again"`), "including 4 lines")
	turn("Maren, are we back?", "delivered")

	server.Query(t, "ALTER SYSTEM SET default_transaction_read_only = on")
	server.Query(t, "SELECT pg_reload_conf()")
	for server.Query(t, "SHOW default_transaction_read_only") != "on" { // the server applies the setting later
		time.Sleep(10 * time.Millisecond)
	}
	s.say("Maren, the orpiment lies in the well.")
	checkSays(t, s.read(`"code":"waits_to_be_kept"`), "no write access")
	s.wait("turn.ended")
	server.Query(t, "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only")
	server.Query(t, "SELECT pg_reload_conf()")
	s.read(`"code":"kept_again"`)

	server.Stop(t) // the program is killed before the server returns
	s.say("Maren, the litharge lies in the chimney.")
	s.read(`"code":"waits_to_be_kept"`)
	s.wait("turn.ended")
	s.kill()
	server.Start(t)
	s = h.start("play", "--json")
	turn("Maren, where were we?", "delivered")

	server.Stop(t) // the evening ends before the server returns
	s.say("Maren, the realgar lies in the oven.")
	s.read(`"code":"waits_to_be_kept"`)
	s.wait("turn.ended")
	checkSays(t, s.leave().stdout, `"code":"set_aside"`)
	server.Start(t)
	checkSays(t, h.run("Maren, where were we?\n", "play", "--json").ok(t).stdout, "2 lines of an earlier session")
	for _, word := range []string{"quicksilver", "cinnabar", "orpiment", "litharge", "realgar"} {
		if got := h.found(word); len(slices.DeleteFunc(got, func(l string) bool { return !strings.HasPrefix(l, "Player: ") || !strings.Contains(l, word) })) != 1 {
			t.Errorf("%s is found in %q, want it once of the player", word, got)
		}
	}
	store, err := postgres.Open(t.Context(), dsn, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	memorytest.Sound(t, store)
	sessions, err := store.Sessions(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, session := range sessions {
		lines, err := store.Recent(t.Context(), session.ID, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			kept++
			hits, err := store.SearchLines(t.Context(), memory.LineQuery{Text: l.Text, Session: session.ID, Limit: 100})
			if err != nil || !slices.ContainsFunc(hits, func(hit memory.LineHit) bool { return hit.ID == l.ID }) {
				t.Errorf("line %d, %q, is kept and not found: %v", l.ID, l.Text, err)
			}
		}
	}
	if want := 2 * 9; kept != want {
		t.Errorf("%d lines are kept, want %d: what was said and an answer to each", kept, want)
	}
}
