package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// runChild plays a role in a process of its own and ends it.
func runChild(role, path string) {
	switch role {
	case "append":
		appendForever(path)
	case "open":
		if _, err := sqlite.Open(context.Background(), path, nil); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

// appendForever prints each line's id once Append has returned it.
func appendForever(path string) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sess, err := s.StartSession(ctx, "x")
	for err == nil {
		var lines []memory.Line
		lines, err = s.Append(ctx, memory.Line{Session: sess.ID, Speaker: "Ada", Text: "unforgettable words"})
		if err == nil {
			fmt.Println(lines[0].ID)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func child(ctx context.Context, binary, role, path string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestAppendedLinesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	binary, err := os.Executable()
	must(t, "Executable", err)
	var printed []int64
	for _, target := range []int{1, 7, 60} {
		cmd := child(t.Context(), binary, "append", path)
		out, err := cmd.StdoutPipe()
		must(t, "StdoutPipe", err)
		must(t, "Start", cmd.Start())
		scan := bufio.NewScanner(out)
		for n := 0; n < target && scan.Scan(); n++ {
			id, err := strconv.ParseInt(scan.Text(), 10, 64)
			if err != nil {
				t.Fatalf("child says %q", scan.Text())
			}
			printed = append(printed, id)
		}
		must(t, "Kill", cmd.Process.Signal(syscall.SIGKILL))
		for scan.Scan() { // what it still said before the signal
			if id, err := strconv.ParseInt(scan.Text(), 10, 64); err == nil {
				printed = append(printed, id)
			}
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("child ended with %v, want it killed", err)
		}

		s, err := sqlite.Open(t.Context(), path, nil)
		must(t, "Open", err)
		hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "unforgettable", Limit: 1 << 20})
		must(t, "SearchLines", err)
		must(t, "Close", s.Close())
		found := make(map[int64]bool)
		for _, h := range hits {
			found[h.ID] = true
		}
		for _, id := range printed {
			if !found[id] {
				t.Fatalf("line %d was reported kept and is gone", id)
			}
		}
		if len(printed) < target {
			t.Fatalf("child printed %d ids, want %d", len(printed), target)
		}
	}
}

// TestReadOnly opens databases as a user that may not write them: as the
// present one, or, since nothing is read-only to root, as nobody.
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

// copySelf copies the test binary to where every user can run it.
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
