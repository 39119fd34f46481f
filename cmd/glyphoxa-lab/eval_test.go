package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestEval checks that eval scores the search of the rules in a clone of the
// repository.
func TestEval(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	h := newProgram(t)
	h.dir = filepath.Join("..", "..", "internal")
	plain := h.run("eval", "rules")
	if plain.code != 0 || !strings.HasPrefix(plain.stdout, "rules dev.jsonl\nwhat ") {
		t.Errorf("got %d, %.100q, want 0 and a table: %s", plain.code, plain.stdout, plain.stderr)
	}
	var report struct {
		Tables []struct {
			Title string
			Rows  []struct {
				What    string
				Percent float64
			}
		}
		Misses []string
	}
	structured := h.run("eval", "rules", "--json", "--misses")
	if err := json.Unmarshal([]byte(structured.stdout), &report); err != nil || structured.code != 0 {
		t.Fatalf("got %d, %v: %s", structured.code, err, structured.stderr)
	}
	if len(report.Tables) != 3 || report.Tables[0].Title != "rules dev.jsonl" || report.Tables[0].Rows[0].What != "all @1" || report.Tables[0].Rows[0].Percent < 90 || len(report.Misses) == 0 {
		t.Errorf("got %+v", report)
	}
}

// TestEvalElsewhere checks that an evaluation without its corpus says where to
// run it, and one without its clips how to make them.
func TestEvalElsewhere(t *testing.T) {
	h := newProgram(t)
	if got := h.run("eval", "memory"); got.code != 2 || !strings.Contains(got.stderr, "run it inside a clone of the repository") {
		t.Errorf("got %d and %q", got.code, got.stderr)
	}
	h.dir = filepath.Join("..", "..")
	if got := h.run("eval", "prosody", "--clips", "missing"); got.code != 2 || !strings.Contains(got.stderr, "`make eval-prosody` makes them") {
		t.Errorf("got %d and %q", got.code, got.stderr)
	}
}
