package fileio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// A failed save leaves the old file and neither a temporary file nor an empty folder.
func TestFailureWhileSavingChangesNothing(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		want error
		says string
	}{
		{"disk_full", &fs.PathError{Op: "sync", Path: "/host/path", Err: diskFullError}, ErrDiskFull, "free space"},
		{"disk_broken", &fs.PathError{Op: "sync", Path: "/host/path", Err: errBroken}, errBroken, "saving the file"},
		{"no_permission", &fs.PathError{Op: "sync", Path: "/host/path", Err: fs.ErrPermission}, fs.ErrPermission, "writable"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t.TempDir())
			s.prepare()
			if err := s.write(t.Context(), "a", "old"); err != nil {
				t.Fatalf("first write: %v", err)
			}
			works := s.sync
			s.sync = func(*os.File) error { return row.err }
			for _, name := range []string{"a", "d/e/f"} {
				err := s.write(t.Context(), name, "newer")
				if !errors.Is(err, row.want) || errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.says) {
					t.Errorf("write %q = %v, want %v that says %q and is not the input's fault", name, err, row.want, row.says)
				}
				if strings.Contains(err.Error(), "/host") {
					t.Errorf("error %q reveals the host's path", err)
				}
			}
			if got, err := s.readText("a"); err != nil || got != "old" {
				t.Errorf("file = %q, %v, want the old content", got, err)
			}
			if list, err := os.ReadDir(s.base); err != nil || len(list) != 1 {
				t.Errorf("directory = %v, %v, want the old file alone", list, err)
			}
			if s.used != 3 || s.entries != 1 {
				t.Errorf("used, entries = %d, %d, want 3, 1", s.used, s.entries)
			}
			s.sync = works
			if err := s.write(t.Context(), "a", "newer"); err != nil {
				t.Errorf("write after the failure: %v", err)
			}
		})
	}
}

var errBroken = errors.New("input/output error")

func TestCancelledWhileSaving(t *testing.T) {
	s := newSandbox(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	s.sync = func(*os.File) error { cancel(); return nil }
	if err := s.write(ctx, "d/a", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("write = %v, want context.Canceled", err)
	}
	if list, err := os.ReadDir(s.base); err != nil || len(list) != 0 {
		t.Errorf("directory = %v, %v, want it empty", list, err)
	}
}

func TestWaitingForOnesTurnCanBeCancelled(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newSandbox(dir)
		s.turn <- struct{}{} // a write is in progress
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- s.write(ctx, "a", "x") }()
		synctest.Wait()
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("write = %v, want context.Canceled", err)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("file of the cancelled write: %v, want none", err)
	}
}

func TestBareStripsPaths(t *testing.T) {
	inner := errors.New("reason")
	nested := &os.LinkError{Op: "rename", Old: "/host/a", New: "/host/b", Err: &fs.PathError{Op: "open", Path: "/host", Err: os.NewSyscallError("open", inner)}}
	if got := withoutPath(nested); got != inner {
		t.Errorf("bare() = %v, want %v", got, inner)
	}
}

func TestTooManyFiles(t *testing.T) {
	s := newSandbox(t.TempDir())
	s.maxEntries = 5
	for _, row := range []struct {
		name, path string
		full       bool
	}{
		{"folder_and_file", "a/1", false},
		{"file_in_the_folder", "a/2", false},
		{"two_folders_and_a_file", "b/c/3", true},
		{"file", "3", false},
		{"folder_and_file_for_one_place", "b/4", true},
		{"last_one", "4", false},
		{"one_more", "5", true},
		{"replacing_one", "4", false},
	} {
		if err := s.write(t.Context(), row.path, "x"); errors.Is(err, ErrQuota) != row.full || err != nil && !row.full {
			t.Errorf("%s: error = %v, want ErrQuota: %v", row.name, err, row.full)
		}
	}
	used, entries := s.used, s.entries
	if s.prepare(); s.used != used || s.entries != entries || entries != 5 {
		t.Errorf("counted anew: %d bytes, %d entries, want the running count %d, %d, and 5 entries", s.used, s.entries, used, entries)
	}
}
