package simulate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// TestSimulateInterruptedAtTheStart checks that the program says when it was
// interrupted during the start, and keeps the picture of an earlier simulation.
func TestSimulateInterruptedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	plot := filepath.Join(dir, "plot.svg")
	if err := os.WriteFile(plot, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Command{Tables: 1, Players: 1, NPCs: 1, Minutes: 1, Plot: plot, Out: io.Discard}.Run(ctx)
	if !errors.Is(err, ErrInterrupted) || errors.Is(err, userfile.ErrUsage) {
		t.Errorf("err = %v, want ErrInterrupted", err)
	}
	holds(t, dir, map[string]string{"plot.svg": "an older one"})
}

// holds checks that a directory contains exactly these files and texts.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if wanted, ok := want[e.Name()]; !ok || err != nil || string(text) != wanted {
			t.Errorf("%s holds %.40q, %v; want %q", e.Name(), text, err, wanted)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestPictureReplacesAnOlderOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plot.svg")
	if err := os.WriteFile(path, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := newPicture(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.draw("tables", []Point{{X: 1, RSSMB: 5}}); err != nil {
		t.Fatal(err)
	}
	p.close()
	text, err := os.ReadFile(path)
	if entries, wrong := os.ReadDir(dir); err != nil || wrong != nil || len(entries) != 1 || !slices.Contains([]byte("<?"), text[0]) {
		t.Errorf("%d files, the picture is %.20q, %v, %v; want it alone and drawn", len(entries), text, err, wrong)
	}
	if _, err := newPicture(dir + ".svg/x.svg"); err == nil {
		t.Error("a picture where there is no directory is accepted")
	}
}

func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(a, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, link); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, a, b string
		want       bool
	}{
		{"two_names_of_a_file", a, link, true},
		{"one_name_of_none", dir + "/x", dir + "/./y/../x", true},
		{"two_names_of_none", dir + "/x", dir + "/y", false},
		{"one_is_there", a, dir + "/y", false},
	} {
		if got := sameFile(row.a, row.b); got != row.want {
			t.Errorf("%s: sameFile = %v, want %v", row.name, got, row.want)
		}
	}
}
