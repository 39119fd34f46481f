//go:build unix

package fileio_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/fileio"
)

func TestLinksLeadNowhere(t *testing.T) {
	parent := t.TempDir()
	outside := filepath.Join(parent, "outside")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, filepath.Join(parent, "box"))
	if _, err := s.put(t.Context(), "real/inside.txt", "inside"); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"absolute_file": secret, "relative_file": "../outside/secret",
		"absolute_dir": outside, "relative_dir": "../outside", "chain": "relative_dir",
		"dangling": "../outside/new", "loop": "loop", "proc": "/proc/self/cwd",
	} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"absolute_file", "relative_file", "dangling", "loop", "absolute_dir",
		"absolute_dir/secret", "relative_dir/secret", "chain/secret",
		"relative_dir/new", "chain/sub/new", "loop/x", "proc/x",
	} {
		t.Run(path, func(t *testing.T) {
			out, err := s.put(t.Context(), path, "stolen")
			if !errors.Is(err, mcp.ErrInvalidArguments) || strings.Contains(err.Error(), parent) {
				t.Errorf("write = %q, %v, want ErrInvalidArguments without the host's path", out, err)
			}
			out, err = s.get(t.Context(), path)
			if !errors.Is(err, mcp.ErrInvalidArguments) || strings.Contains(err.Error(), parent) {
				t.Errorf("read = %q, %v, want ErrInvalidArguments without the host's path", out, err)
			}
		})
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("outside file = %q, %v, want it untouched", got, err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("outside = %v, %v, want nothing added", list, err)
	}
}

func TestLinksInsideMayBeRead(t *testing.T) {
	s := newStore(t, t.TempDir())
	if _, err := s.put(t.Context(), "real/a.txt", "inside"); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"file": "real/a.txt", "dir": "real"} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"file", "dir/a.txt"} {
		if out, err := s.get(t.Context(), path); err != nil || !strings.Contains(out, "inside") {
			t.Errorf("read %q = %q, %v, want the file it leads to", path, out, err)
		}
	}
	if _, err := s.put(t.Context(), "dir/b.txt", "x"); err != nil {
		t.Errorf("writing into a linked folder: %v", err)
	}
	if _, err := s.put(t.Context(), "file", "x"); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("replacing a link: %v, want ErrInvalidArguments", err)
	}
}

// A hard link shares its content with a file outside, so a write must replace the link.
func TestWritingReplacesHardLinks(t *testing.T) {
	parent := t.TempDir()
	secret := filepath.Join(parent, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, filepath.Join(parent, "box"))
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(secret, filepath.Join(s.dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.put(t.Context(), "a", "mine"); err != nil {
		t.Fatalf("write: %v", err)
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("outside file = %q, %v, want it untouched", got, err)
	}
}

func TestSpecialFilesDoNotBlock(t *testing.T) {
	s := newStore(t, t.TempDir())
	if err := syscall.Mkfifo(filepath.Join(s.dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(s.dir, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, path := range []string{"fifo", "fifo/below", "fifo/below/that", "sock", "sock/below"} {
		t.Run(path, func(t *testing.T) {
			if _, err := s.get(t.Context(), path); !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("read error = %v, want ErrInvalidArguments", err)
			}
			if _, err := s.put(t.Context(), path, "x"); !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("write error = %v, want ErrInvalidArguments", err)
			}
		})
	}
	fifo := newStore(t, filepath.Join(s.dir, "fifo"))
	if _, err := fifo.put(t.Context(), "x", "x"); err == nil || strings.Contains(err.Error(), s.dir) {
		t.Errorf("write below a FIFO as sandbox: %v, want a failure that names no host path", err)
	}
}

// Another process swaps a folder for a link to the outside and back as fast as it can; no
// file may cross the boundary.
func TestSwappedFolderNeverEscapes(t *testing.T) {
	parent := t.TempDir()
	outside := filepath.Join(parent, "outside")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, filepath.Join(parent, "box"))
	if _, err := s.put(t.Context(), "d/f", "mine"); err != nil {
		t.Fatal(err)
	}
	d, aside, link := filepath.Join(s.dir, "d"), filepath.Join(s.dir, "aside"), filepath.Join(s.dir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !done.Load() {
			// A step fails if a writer has recreated "d" in between; the next round
			// continues from there.
			_ = os.Rename(d, aside)
			_ = os.Rename(link, d)
			_ = os.Rename(d, link)
			_ = os.Rename(aside, d)
		}
	})
	for range 200 {
		_, _ = s.put(t.Context(), "d/f", "mine")
		if out, err := s.get(t.Context(), "d/f"); err == nil && strings.Contains(out, "secret") {
			t.Errorf("read = %s, want never the outside file", out)
		}
	}
	done.Store(true)
	wg.Wait()
	if got, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(got) != "secret" {
		t.Errorf("outside file = %q, %v, want it untouched", got, err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("outside = %v, %v, want nothing added", list, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	s := newStore(t, filepath.Join(t.TempDir(), "box"))
	if _, err := s.put(t.Context(), "d/f", "x"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "d", "d/f"} {
		info, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("mode of %q = %v, %v, want nothing for others", name, info.Mode(), err)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, p := range []string{"notes.txt", "a/b/c", "../x", "a/../../x", "/etc/passwd", `..\x`, "a\x00b", "\xff", "link/x", "a//b", "./a", "outside", "outside/x", ".glyphoxa-tmp-1"} {
		f.Add(p)
	}
	parent := f.TempDir()
	s := newStore(f, filepath.Join(parent, "box"), fileio.WithQuota(1<<20))
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		f.Fatal(err)
	}
	canary := filepath.Join(parent, "canary")
	if err := os.WriteFile(canary, []byte("untouched"), 0o600); err != nil {
		f.Fatal(err)
	}
	for name, target := range map[string]string{"outside": "..", "link": canary} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, path string) {
		content := "content of " + path
		_, err := s.put(t.Context(), path, content)
		if err == nil {
			out, err := s.get(t.Context(), path)
			if err != nil || !strings.Contains(out, `"content":`) {
				t.Errorf("reading back %q = %s, %v", path, out, err)
			}
		} else if strings.Contains(err.Error(), parent) {
			t.Errorf("error %q reveals the host's path", err)
		}
		list, err := os.ReadDir(parent)
		if err != nil || len(list) != 2 {
			t.Fatalf("beside the store: %v, %v, want the store and the canary alone", list, err)
		}
		if got, err := os.ReadFile(canary); err != nil || string(got) != "untouched" {
			t.Fatalf("canary = %q, %v, want it untouched", got, err)
		}
	})
}
