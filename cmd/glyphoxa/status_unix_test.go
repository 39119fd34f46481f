//go:build unix

package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestProgress shows that at a terminal one line says what is waited for and makes way for
// what was asked for, and that there is none for who wants quiet or reads a pipe.
func TestProgress(t *testing.T) {
	t.Parallel()
	world, err := filepath.Abs(filepath.Join("..", "..", "campaigns", "thornhollow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const progress = "taking the campaign in"
	watched := newProgram(t).screen(100, 20, "import", world)
	raw := watched.leaves()
	if !strings.Contains(raw, "\r\x1b[Kglyphoxa: "+progress+"\r\x1b[Ktaken into ") {
		t.Errorf("a terminal was written %q, want a line that makes way", raw)
	}
	if quiet := newProgram(t).screen(100, 20, "import", "--quiet", world).leaves(); strings.Contains(quiet, progress) || !strings.Contains(quiet, "taken into ") {
		t.Errorf("with --quiet a terminal was written %q", quiet)
	}
	if piped := newProgram(t).run("", "import", world); piped.code != 0 || piped.stderr != "" || strings.Contains(piped.stdout, "\x1b") {
		t.Errorf("a pipe was written %+v", piped)
	}
}
