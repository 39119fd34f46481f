package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestMemoryMoves writes a backup while a table runs, restores it, and moves
// memory from a file to a server and back.
func TestMemoryMoves(t *testing.T) {
	t.Parallel()
	server := peers.StartPostgres(t, "fsync=off")
	const npcs = "npcs:\n  - {name: Maren, id: maren, personality: A ferrywoman.}\n"
	for _, row := range []struct{ name, memory, other, wrong string }{
		{"file", "memory: {store: sqlite, dsn: \"${GLYPHOXA_DSN}\"}\n", "postgres", "sqlite"},
		{"server", "memory: {store: postgres, dsn: \"${GLYPHOXA_DSN}\"}\n", "sqlite", "postgres"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if testing.Short() && row.name == "server" {
				t.Skip("it is the other way about; make test-all runs it")
			}
			t.Parallel()
			h := newProgram(t)
			h.set("GLYPHOXA_DSN", server.DSN(t))
			h.write("glyphoxa.yaml", "data_dir: data\n"+row.memory+npcs)
			s := h.start("play", "--json")
			s.say("Maren, the quicksilver lies under the weir.")
			s.wait("turn.ended")
			checkSays(t, h.run("", "backup", "monday.gz").ok(t).stdout, "monday.gz", "line")
			h.run("", "backup", "monday.gz").complains(t, 1, "monday.gz", "--replace")
			s.say("Maren, the cinnabar lies on the hill.")
			s.wait("turn.ended")
			s.leave()
			h.run("", "restore", "monday.gz").complains(t, 1, "something is kept there already", "--replace")
			h.run("", "restore", "glyphoxa.yaml", "--replace").complains(t, 1, "not a complete backup")
			if got := h.found("cinnabar"); len(got) == 0 {
				t.Error("a backup that was refused has changed something")
			}
			checkSays(t, h.run("", "restore", "monday.gz", "--replace").ok(t).stdout, "compared")
			if q, c := h.found("quicksilver"), strings.Join(h.found("cinnabar"), " "); len(q) == 0 || strings.Contains(c, "cinnabar") {
				t.Errorf("after restoring %q and %q are found, want what the backup has", q, c)
			}

			from := row.wrong
			h.run("", "migrate", from, from).complains(t, 2, "the place it comes from")
			h.run("", "migrate", "nowhere.db", from).complains(t, 1, "nowhere.db")
			checkSays(t, h.run("", "migrate", from, row.other).ok(t).stdout, "counted and compared")
			h.run("", "migrate", from, row.other).complains(t, 1, "something is kept there already")
			h.write("glyphoxa.yaml", "data_dir: data\n"+strings.Replace(row.memory, row.wrong, row.other, 1)+npcs)
			if got := h.found("quicksilver"); len(got) == 0 {
				t.Error("what was said is not found where memory is now")
			}
			checkSays(t, h.run("Maren, are we there?\n", "play").ok(t).stdout, "Maren")
			checkSays(t, h.run("", "migrate", "env:GLYPHOXA_DSN", "back.db").ok(t).stdout, "back.db")
			h.run("", "migrate", "env:NOTHING", "more.db").complains(t, 2, "NOTHING")
			out := h.run("", "doctor").stdout
			for _, wrong := range []string{"are not found", "wrongly", "lead to"} {
				if strings.Contains(out, wrong) {
					t.Errorf("doctor says:\n%s", out)
				}
			}
		})
	}
}
