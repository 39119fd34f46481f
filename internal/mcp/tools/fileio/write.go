package fileio

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// write replaces the content of the file name, or leaves everything unchanged if it fails.
func (s *sandbox) write(ctx context.Context, name, content string) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	root, err := s.openOrCreate()
	if err != nil {
		return err
	}
	defer root.Close()

	need, err := s.demand(root, name, int64(len(content)))
	if err != nil {
		return err
	}
	if err := s.admit(root, need); err != nil {
		return err
	}
	made, err := makeParents(root, name)
	if err == nil {
		err = s.replace(ctx, root, name, content)
	}
	if err != nil {
		removeDirs(root, made)
		return err
	}
	s.used += need.bytes
	s.entries += need.entries
	return nil
}

// demand is the space and the number of entries that a write adds to the store. It is negative if the write
// shrinks a file.
type demand struct {
	bytes   int64
	entries int
}

// demand returns what writing size bytes to name would add. It refuses to replace anything other than a
// regular file.
func (s *sandbox) demand(root *os.Root, name string, size int64) (demand, error) {
	need := demand{bytes: size}
	old, err := root.Lstat(filepath.FromSlash(name))
	switch {
	case err == nil && old.IsDir():
		return need, reject("it is a folder, not a file")
	case err == nil && !old.Mode().IsRegular():
		return need, reject("it is not a regular file and is not replaced")
	case err == nil:
		need.bytes -= old.Size()
		return need, nil
	case !errors.Is(err, fs.ErrNotExist):
		return need, accessError("looking at the old file", err)
	}
	need.entries = 1
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := root.Lstat(filepath.FromSlash(dir)); err == nil {
			break
		}
		need.entries++
	}
	return need, nil
}

// admit checks the quota. Before it refuses, it counts again unless it has just done so, because people may
// have removed files by hand.
func (s *sandbox) admit(root *os.Root, need demand) error {
	if s.counted.IsZero() || !s.fits(need) && time.Since(s.counted) >= recountPause {
		if err := s.countFiles(root); err != nil {
			return err
		}
	}
	if s.fits(need) {
		return nil
	}
	if need.entries > 0 && s.entries+need.entries > s.maxEntries {
		return fmt.Errorf("%w: %w: it holds %d of at most %d files and folders; remove some",
			mcp.ErrInvalidArguments, ErrQuota, s.entries, s.maxEntries)
	}
	return fmt.Errorf("%w: %w: %d of %d bytes are used and this needs %d more; remove files or raise tools.file_quota",
		mcp.ErrInvalidArguments, ErrQuota, s.used, s.quota, need.bytes)
}

// fits reports whether the store has room for need. A write that adds nothing always fits, even if the quota
// has been lowered below the current use.
func (s *sandbox) fits(need demand) bool {
	return (need.bytes <= 0 || s.used+need.bytes <= s.quota) &&
		(need.entries <= 0 || s.entries+need.entries <= s.maxEntries)
}

// makeParents creates the missing directories of name. It returns those it created, outermost first, even if
// it fails.
func makeParents(root *os.Root, name string) (made []string, err error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		dir := filepath.FromSlash(name[:i])
		switch err := root.Mkdir(dir, 0o700); {
		case err == nil:
			made = append(made, dir)
		case !errors.Is(err, fs.ErrExist):
			return made, accessError("creating a folder", err)
		}
	}
	return made, nil
}

func removeDirs(root *os.Root, made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		_ = root.Remove(made[i]) // fails if another file has been put there; the directory then stays
	}
}

// replace writes a temporary file next to name and renames it to name. All steps use the same open directory,
// so replacing the directory with a link in the meantime has no effect.
func (s *sandbox) replace(ctx context.Context, root *os.Root, name, content string) (err error) {
	dir, err := root.OpenRoot(filepath.FromSlash(path.Dir(name) + onlyDir))
	if err != nil {
		return accessError("opening the folder", err)
	}
	defer dir.Close()

	temp := tempPrefix + rand.Text()
	if err := s.fill(dir, temp, content); err != nil {
		_ = dir.Remove(temp)
		return err
	}
	if ctx.Err() != nil {
		_ = dir.Remove(temp)
		return context.Cause(ctx)
	}
	if err := dir.Rename(temp, path.Base(name)); err != nil {
		_ = dir.Remove(temp)
		return accessError("replacing the file", err)
	}
	// The new content is in place, so failing to sync the directory entry must not be reported as a failed
	// write.
	if f, err := dir.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
	return nil
}

// fill creates the file name, writes content to it, and syncs it to disk.
func (s *sandbox) fill(dir *os.Root, name, content string) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return hostError("creating the file", err)
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = s.sync(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return hostError("saving the file", err)
}
