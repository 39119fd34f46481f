//go:build unix

package userfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// TestOnlyRegularFiles tries every kind of file that is not regular. Opening a pipe
// without a writer would block for ever, and with it this test.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		syscall.Mkfifo(path("pipe"), 0o600), os.Symlink(path("pipe"), path("link")), os.Mkdir(path("directory"), 0o700),
		os.WriteFile(path("file"), []byte("text"), 0o600), os.Symlink(path("file"), path("linked")),
	); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", path("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, row := range []struct {
		name, file string
		want       error
	}{
		{"pipe", "pipe", userfile.ErrNotRegular},
		{"link_to_a_pipe", "link", userfile.ErrNotRegular},
		{"socket", "socket", userfile.ErrNotRegular},
		{"directory", "directory", userfile.ErrDirectory},
		{"nothing", "nothing", fs.ErrNotExist},
		{"file", "file", nil},
		{"link_to_a_file", "linked", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			data, err := userfile.Read(path(row.file), 100)
			if !errors.Is(err, row.want) || err == nil && string(data) != "text" {
				t.Errorf("Read = %q, %v; want %v", data, err, row.want)
			}
			for kind, fsys := range map[string]fs.FS{"directory": userfile.Dir(dir), "root": userfile.FS(root)} {
				data, err := userfile.ReadFS(fsys, row.file, 100)
				if kind == "root" && (row.file == "link" || row.file == "linked") {
					if err == nil { // an absolute link leads out of the root
						t.Errorf("%s: an absolute link was followed", kind)
					}
					continue
				}
				if !errors.Is(err, row.want) || err == nil && string(data) != "text" {
					t.Errorf("%s: ReadFS = %q, %v; want %v", kind, data, err, row.want)
				}
				if f, err := fsys.Open(row.file); row.want != nil && row.want != userfile.ErrDirectory && err == nil {
					_ = f.Close()
					t.Errorf("%s: Open opened it", kind)
				}
			}
		})
	}
	if _, err := userfile.Read("/dev/zero", 100); !errors.Is(err, userfile.ErrNotRegular) {
		t.Errorf("Read of a device = %v, want ErrNotRegular", err)
	}
	if _, err := userfile.Read(path("file"), 3); !errors.Is(err, userfile.ErrTooLarge) {
		t.Errorf("Read of a longer file = %v, want ErrTooLarge", err)
	}
}
