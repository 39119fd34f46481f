//go:build unix

package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user id of an unprivileged user on every Unix.
const nobody = 65534

// humble runs the house's programs without root's rights, because root ignores
// file permissions.
func (h *program) humble() {
	h.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chmod(filepath.Dir(h.dir), 0o755); err != nil { // the test's own directory
		h.t.Fatal(err)
	}
	err := filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.prepare = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// chmod changes the permissions of a file in the working directory until the
// test ends.
func (h *program) chmod(name string, mode os.FileMode) {
	h.t.Helper()
	if err := os.Chmod(h.path(name), mode); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = os.Chmod(h.path(name), 0o755) })
}

// TestDataDirectoryThatCannotBe lists data directories that cannot be used, and
// checks that one line says which and what to do.
func TestDataDirectoryThatCannotBe(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		arrange func(h *program)
		words   []string
	}{
		{"a file in its place", func(h *program) { h.write(".glyphoxa", "mine") }, []string{".glyphoxa", "data_dir"}},
		{"a read-only parent", func(h *program) { h.chmod(".", 0o555) }, []string{".glyphoxa: permission denied", "set data_dir to a directory that Glyphoxa may write to"}},
		{"a read-only directory", func(h *program) { h.write(".glyphoxa/keep", ""); h.chmod(".glyphoxa", 0o555) }, []string{"glyphoxa.db"}},
		{"a database that is none", func(h *program) { h.write(".glyphoxa/glyphoxa.db", strings.Repeat("no database\n", 1000)) }, []string{"glyphoxa.db"}},
		{"a database that may not be written", func(h *program) {
			h.write(".glyphoxa/glyphoxa.db", "")
			h.chmod(".glyphoxa/glyphoxa.db", 0o444)
			h.chmod(".glyphoxa", 0o555)
		}, []string{"glyphoxa.db"}},
	}
	for _, row := range rows {
		for _, args := range [][]string{{"play"}, {"tools"}} {
			t.Run(row.name+", "+args[0], func(t *testing.T) {
				t.Parallel()
				h := newProgram(t)
				row.arrange(h)
				h.humble()
				r := h.run("Bartok, hello\n", args...)
				r.complains(t, 1, row.words...)
				if r.stdout != "" {
					t.Errorf("stdout = %q, want nothing", r.stdout)
				}
			})
		}
	}
}

// TestConfigurationThatCannotBeRead checks the message for a configuration
// without read permission.
func TestConfigurationThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\n")
	h.chmod("glyphoxa.yaml", 0)
	h.humble()
	h.run("", "check").complains(t, 2, "glyphoxa.yaml:1: ", "permission")
}

// TestReadOnlyHome checks that the program works with a read-only home
// directory.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.set("HOME", "/nonexistent")
	h.set("TMPDIR", "/nonexistent")
	h.play("Bartok, hello").only("delivered")
}
