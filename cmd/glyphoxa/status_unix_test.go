//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// TestProgress checks that a terminal shows one line about what the program
// waits for, which disappears before the output, and that quiet mode and pipes
// show none.
func TestProgress(t *testing.T) {
	t.Parallel()
	world, err := filepath.Abs(filepath.Join("..", "..", "campaigns", "thornhollow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const progress = "importing the campaign"
	watched := newProgram(t).screen(100, 20, "import", world)
	raw := watched.leaves()
	if !strings.Contains(raw, "\r\x1b[Kglyphoxa: "+progress+"\r\x1b[Kimported into ") {
		t.Errorf("a terminal was written %q, want a line that makes way", raw)
	}
	if quiet := newProgram(t).screen(100, 20, "import", "--quiet", world).leaves(); strings.Contains(quiet, progress) || !strings.Contains(quiet, "imported into ") {
		t.Errorf("with --quiet a terminal was written %q", quiet)
	}
	if piped := newProgram(t).run("", "import", world); piped.code != 0 || piped.stderr != "" || strings.Contains(piped.stdout, "\x1b") {
		t.Errorf("a pipe was written %+v", piped)
	}
}

// TestProgressOfTools checks that a terminal shows that tools are being
// measured and which external servers they wait for, in lines that disappear
// before the list.
func TestProgressOfTools(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		http.Error(w, "closed for today", http.StatusNotFound)
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(let)
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\nmcp:\n  servers: [{name: annex, transport: streamable-http, url: "+slow.URL+", allow_private: true}]\n")
	watched := h.screen(200, 60, "tools", "calibrate")
	watched.shows("glyphoxa: waiting for external servers: annex")
	let()
	raw := watched.leaves()
	_, measured, waited := strings.Cut(raw, "\r\x1b[Kglyphoxa: waiting for external servers: annex\r\x1b[Kglyphoxa: measuring ")
	tools, list, cleared := strings.Cut(measured, " tools\r\x1b[K")
	if !waited || !cleared || strings.Trim(tools, "0123456789") != "" || !strings.HasPrefix(list, "NAME ") || strings.Contains(list, "measuring") {
		t.Errorf("a terminal was written %q, want what is waited for and measured, and then the list", raw)
	}
	if quiet := h.screen(200, 60, "tools", "calibrate", "--quiet").leaves(); strings.Contains(quiet, "glyphoxa:") || !strings.Contains(quiet, "NAME ") {
		t.Errorf("with --quiet a terminal was written %q", quiet)
	}
	if piped := h.run("", "tools", "calibrate"); piped.code != 0 || strings.Contains(piped.stdout+piped.stderr, "measuring") || strings.Contains(piped.stdout, "\x1b") {
		t.Errorf("a pipe was written %+v", piped)
	}
}

// TestOldLinesWaitForVectors plays with a newly configured embedder and old
// lines. The program prints one notice about many old lines, and none about
// few.
func TestOldLinesWaitForVectors(t *testing.T) {
	t.Parallel()
	server := fakeopenai.Start(t, nil, &fakeopenai.Options{NoAuth: true})
	for _, row := range []struct{ facts, told int }{{600, 1}, {60, 0}} {
		t.Run(fmt.Sprint(row.facts), func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			var b strings.Builder
			b.WriteString("name: Thorn\nentities: [{id: harrow, type: npc, name: Harrow}]\nfacts:\n")
			for i := range row.facts {
				fmt.Fprintf(&b, "  - {text: Stone %d of the wall bears the mark of mason %d.}\n", i, i)
			}
			h.write("thorn.yaml", b.String())
			h.write("glyphoxa.yaml", indexedTable)
			h.set("EMBEDDER_URL", server.URL())
			h.set("EMBEDDER", "house-model")
			h.run("", "import", "thorn.yaml").ok(t)
			s := h.screen(250, 40, "play")
			s.shows("/quit leaves", "\n>")
			if row.told > 0 {
				s.shows("entries for search by meaning; until then")
			}
			s.press("/quit\r")
			raw := s.leaves()
			if n := strings.Count(raw, "entries for search by meaning; until then"); n != row.told {
				t.Errorf("of %d things that wait people were told %d times, want %d: %q", row.facts, n, row.told, raw)
			}
		})
	}
}
