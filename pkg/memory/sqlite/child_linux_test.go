package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// runChild plays a role in its own process.
func runChild(role, path string) {
	switch role {
	case "forget":
		forgetUntilKilled(path)
	case "open":
		if _, err := sqlite.Open(context.Background(), path, nil); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

func child(ctx context.Context, binary, role, path string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestReadOnly opens databases as a user without write permission: the current user or,
// because root can always write, the user nobody.
func TestReadOnly(t *testing.T) {
	rows := []struct {
		name              string
		existing          bool
		fileMode, dirMode os.FileMode
	}{
		{name: "directory_new_file", dirMode: 0o555},
		{name: "directory_existing_file", existing: true, fileMode: 0o666, dirMode: 0o555},
		{name: "file", existing: true, fileMode: 0o444, dirMode: 0o777},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			root, err := os.MkdirTemp("", "readonly")
			must(t, "MkdirTemp", err)
			t.Cleanup(func() { must(t, "RemoveAll", os.RemoveAll(root)) })
			must(t, "Chmod", os.Chmod(root, 0o755))
			binary := copySelf(t, root)
			dir := filepath.Join(root, "data")
			must(t, "Mkdir", os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "a.db")
			if row.existing {
				s, err := sqlite.Open(t.Context(), path, nil)
				must(t, "Open", err)
				must(t, "Close", s.Close())
				must(t, "Chmod", os.Chmod(path, row.fileMode))
			}
			must(t, "Chmod", os.Chmod(dir, row.dirMode))
			t.Cleanup(func() { must(t, "Chmod", os.Chmod(dir, 0o755)) })

			cmd := child(t.Context(), binary, "open", path)
			if os.Geteuid() == 0 {
				const nobody = 65534
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			}
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("child: %v, want it to fail", err)
			}
			msg := strings.TrimSpace(string(out))
			oneLine(t, errors.New(msg), path)
			if !strings.Contains(msg, sqlite.ErrReadOnly.Error()) || !strings.Contains(msg, "write access to the file and its directory") {
				t.Errorf("message = %q, want it to tell of write access", msg)
			}
		})
	}
}

// copySelf copies the test binary to a place where every user can run it.
func copySelf(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, "Executable", err)
	in, err := os.Open(self)
	must(t, "Open", err)
	path := filepath.Join(dir, "child")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, "OpenFile", err)
	_, err = io.Copy(out, in)
	must(t, "Copy", errors.Join(err, in.Close(), out.Close()))
	return path
}
