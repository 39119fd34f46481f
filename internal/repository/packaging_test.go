package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnit verifies the unit with systemd, with a stand-in for the installed
// program.
func TestUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd here")
	}
	text, err := os.ReadFile(filepath.Join("packaging", "glyphoxa.service"))
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "glyphoxa.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(string(text), "/usr/bin/glyphoxa", "/bin/true", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", unit).CombinedOutput()
	if err != nil || strings.Contains(string(out), "glyphoxa.service:") {
		t.Errorf("systemd-analyze says: %v\n%s", err, out)
	}
}
