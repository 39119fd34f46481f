package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func entered(t *testing.T, file string, lines ...string) *history {
	t.Helper()
	h := openHistory(file)
	for _, l := range lines {
		h.add(l)
	}
	return h
}

// TestHistory moves through the entered lines.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	entered(t, file, "/mute Bartok", "Bartok, hello", "Bartok, hello", "", " kept to myself", "Juniper, hello")
	h := openHistory(file)
	var got []string
	shown := "typed"
	for range 5 {
		h.typed = ""
		if h.at == len(h.lines) {
			shown = ""
		}
		line, ok := h.older(shown)
		if !ok {
			break
		}
		got, shown = append(got, line), line
	}
	if want := "Juniper, hello|Bartok, hello|/mute Bartok"; strings.Join(got, "|") != want {
		t.Errorf("older lines are %q, want %s", got, want)
	}
	h = openHistory(file)
	if line, ok := h.older("Bar"); !ok || line != "Bartok, hello" {
		t.Errorf("before \"Bar\" comes %q, %v", line, ok)
	}
	if line, ok := h.older("Bartok, hello"); ok {
		t.Errorf("before that comes %q, want nothing", line)
	}
	if line, ok := h.newer("Bartok, hello"); !ok || line != "Bar" {
		t.Errorf("after it comes %q, %v, want what was typed", line, ok)
	}
}

// TestHistoryIsBounded checks that neither an old file nor a hostile one grows.
func TestHistoryIsBounded(t *testing.T) {
	for name, line := range map[string]string{"many": "line %d", "long": "%d " + strings.Repeat("x", maxTyped)} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "history")
			var all strings.Builder
			for i := range 2 * maxKept {
				fmt.Fprintf(&all, line+"\n", i)
			}
			if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			h := openHistory(file)
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if last, want := h.lines[len(h.lines)-1], fmt.Sprintf(line, 2*maxKept-1); len(h.lines) > maxKept || info.Size() > maxFile || last != want {
				t.Errorf("%d lines, %d bytes, the last %.20q; want %d and %d at most, and the latest", len(h.lines), info.Size(), last, maxKept, maxFile)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", info.Mode())
			}
		})
	}
	t.Run("no_directory", func(t *testing.T) {
		h := entered(t, filepath.Join(t.TempDir(), "nowhere", "history"), "Bartok, hello")
		if line, ok := h.older(""); !ok || line != "Bartok, hello" {
			t.Errorf("kept %q, %v; want it kept without a file", line, ok)
		}
	})
}
