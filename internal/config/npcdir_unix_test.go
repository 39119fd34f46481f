//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestNPCDirHoldsOddFiles(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"glyphoxa.yaml": "npcs_dir: npcs\n", "npcs/good.yaml": "name: Good\n"})
	for name, target := range map[string]string{"device.yaml": os.DevNull, "dangling.yaml": filepath.Join(dir, "gone")} {
		if err := os.Symlink(target, filepath.Join(dir, "npcs", name)); err != nil {
			t.Fatal(err)
		}
	}
	// Opening a pipe without a writer would block forever.
	if err := syscall.Mkfifo(filepath.Join(dir, "npcs", "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load("", testOptions(dir))
	for _, want := range []string{
		"device.yaml:1: this is not a regular file",
		"dangling.yaml:1: cannot be read",
		"pipe.yaml:1: this is not a regular file",
	} {
		if err == nil || !strings.Contains(err.Error(), "npcs/"+want) {
			t.Errorf("err = %v, want %q in it", err, want)
		}
	}
}
