package fileio

import (
	"io/fs"
	"os"
	"strings"
	"time"
)

// abandoned is how old a temporary file is before it is a crash's leftover. A
// younger one may be another process's write under way.
const abandoned = time.Minute

// recountPause is how long a count is trusted when a write is about to be
// refused. Counting ten thousand files takes tens of milliseconds, which a
// caller who keeps trying must not cost everyone.
const recountPause = 5 * time.Second

// countFiles measures what the directory holds and removes leftovers of crashes. It
// follows no links. The caller has the turn, or is the constructor.
func (s *sandbox) countFiles(root *os.Root) error {
	var used int64
	var entries int
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return nil // gone meanwhile, or unreadable and so not ours
		}
		if name == "." {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if strings.HasPrefix(d.Name(), tempPrefix) && info.Mode().IsRegular() {
			if time.Since(info.ModTime()) > abandoned {
				_ = root.Remove(name) // if it cannot be removed, it does no harm
			}
			return nil
		}
		entries++
		if info.Mode().IsRegular() {
			used += info.Size()
		}
		return nil
	})
	if err != nil {
		return hostError("counting the files", err)
	}
	s.used, s.entries, s.counted = used, entries, time.Now()
	return nil
}
