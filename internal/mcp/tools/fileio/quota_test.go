package fileio_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/fileio"
)

func TestQuota(t *testing.T) {
	s := newStore(t, t.TempDir(), fileio.WithQuota(100))
	for _, row := range []struct {
		name string
		path string
		size int
		full bool
	}{
		{"most_of_it", "a", 90, false},
		{"too_much", "b", 11, true},
		{"exactly_the_rest", "b", 10, false},
		{"empty_file_when_full", "c", 0, false},
		{"one_byte_when_full", "d", 1, true},
		{"same_size_when_full", "a", 90, false},
		{"growing_when_full", "a", 91, true},
		{"shrinking_frees", "a", 50, false},
		{"into_the_freed_space", "d", 40, false},
		{"full_again", "folder/e", 1, true},
	} {
		_, err := s.put(t.Context(), row.path, strings.Repeat("x", row.size))
		if full := errors.Is(err, fileio.ErrQuota); full != row.full || full != errors.Is(err, mcp.ErrInvalidArguments) {
			t.Errorf("%s: error = %v, want ErrQuota and ErrInvalidArguments: %v", row.name, err, row.full)
		}
		if err != nil && !row.full {
			t.Errorf("%s: error = %v, want none", row.name, err)
		}
	}
	if size, files := s.onDisk(t); size != 100 || files != 4 {
		t.Errorf("on disk: %d bytes in %d files, want 100 in 4", size, files)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "folder")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder of the refused file: %v, want it not created", err)
	}
}

func TestQuotaCountsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "sub", "old")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, make([]byte, 80), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, dir, fileio.WithQuota(100))
		if _, err := s.put(t.Context(), "new", strings.Repeat("x", 21)); !errors.Is(err, fileio.ErrQuota) {
			t.Errorf("error beside an old file = %v, want ErrQuota", err)
		}
		// A person deletes a file by hand.
		if err := os.Remove(old); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if _, err := s.put(t.Context(), "new", strings.Repeat("x", 100)); err != nil {
			t.Errorf("error after making room = %v, want none", err)
		}
	})
}

func TestQuotaLoweredBelowWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), make([]byte, 200), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, dir, fileio.WithQuota(100))
	if _, err := s.put(t.Context(), "old", strings.Repeat("x", 150)); err != nil {
		t.Errorf("shrinking a file: %v, want no error although the store stays over its quota", err)
	}
	if _, err := s.put(t.Context(), "old", strings.Repeat("x", 151)); !errors.Is(err, fileio.ErrQuota) {
		t.Errorf("growing a file: %v, want ErrQuota", err)
	}
}

func TestConcurrentWritersStayWithinQuota(t *testing.T) {
	const quota, size = 1000, 30
	s := newStore(t, t.TempDir(), fileio.WithQuota(quota))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 20 {
				name := fmt.Sprintf("dir%d/file%d", i%3, (w*20+i)%70)
				_, err := s.put(t.Context(), name, strings.Repeat("x", size+i))
				if err != nil && !errors.Is(err, fileio.ErrQuota) {
					t.Errorf("write: %v, want success or ErrQuota", err)
				}
				if _, err := s.get(t.Context(), name); err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
					t.Errorf("read: %v, want success or no such file", err)
				}
			}
		})
	}
	wg.Wait()
	got, files := s.onDisk(t)
	if got > quota || got < quota-2*size {
		t.Errorf("%d bytes on disk, want nearly %d and not more", got, quota)
	}
	// A fresh count matches the running one.
	again := newStore(t, s.dir, fileio.WithQuota(quota))
	rest := strings.Repeat("x", int(quota-got))
	if _, err := again.put(t.Context(), "rest", rest); err != nil {
		t.Errorf("filling the rest of %d bytes beside %d files: %v", len(rest), files, err)
	}
}

func TestConcurrentWritersOfOneFile(t *testing.T) {
	s := newStore(t, t.TempDir())
	versions := []string{strings.Repeat("a", 5000), strings.Repeat("b", 70000), ""}
	var wg sync.WaitGroup
	for _, v := range versions {
		wg.Go(func() {
			for range 20 {
				if _, err := s.put(t.Context(), "f", v); err != nil {
					t.Errorf("write: %v", err)
				}
				got, err := os.ReadFile(filepath.Join(s.dir, "f"))
				if err != nil || string(got) != versions[0] && string(got) != versions[1] && len(got) != 0 {
					t.Errorf("file = %d bytes, %v, want one writer's whole content", len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestLeftoversAreRemovedAtStart(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "sub", ".glyphoxa-tmp-OLD")
	young := filepath.Join(dir, "sub", ".glyphoxa-tmp-YOUNG")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, make([]byte, 90), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, dir, fileio.WithQuota(100))
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("leftover of a crash: %v, want it removed", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("write under way of another process: %v, want it kept", err)
	}
	if _, err := s.put(t.Context(), "a", strings.Repeat("x", 100)); err != nil {
		t.Errorf("filling the quota: %v, want temporary files not to count", err)
	}
}
