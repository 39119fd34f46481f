package play_test

import (
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestScenesLoseTheNamesOfWhoIsForgotten forgets somebody whom the scene names.
func TestScenesLoseTheNamesOfWhoIsForgotten(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.SaveState(t.Context(), "world", map[string][]byte{"scene:Keep": []byte("Borin Ironfist stands at the gate with Mira."), "initial:Keep": []byte("A gate.")}); err != nil {
		t.Fatal(err)
	}
	if err := play.ForgetLearnt(t.Context(), s, memory.Person{User: "u:borin", Names: []string{"Borin Ironfist", "Mira"}, Keep: []string{"Mira"}}); err != nil {
		t.Fatal(err)
	}
	kept, err := s.LoadState(t.Context(), "world")
	if err != nil || string(kept["scene:Keep"]) != "someone stands at the gate with Mira." || string(kept["initial:Keep"]) != "A gate." {
		t.Errorf("kept is %q, %v", kept, err)
	}
}
