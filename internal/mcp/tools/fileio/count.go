package fileio

import (
	"io/fs"
	"os"
	"strings"
	"time"
)

// abandoned is the age from which a temporary file counts as left over from a crash. A younger file may
// belong to a write in progress in another process.
const abandoned = time.Minute

// recountPause is how long a count stays valid when a write is about to be refused. Counting ten thousand
// files takes tens of milliseconds, and a caller who keeps retrying must not slow everyone down.
const recountPause = 5 * time.Second

// countFiles counts the files in the directory and their size, and removes files left over from crashes. It
// does not follow links. The caller must hold the turn, or be the constructor.
func (s *sandbox) countFiles(root *os.Root) error {
	var used int64
	var entries int
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return nil // already removed, or unreadable and therefore not ours
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
				_ = root.Remove(name) // failing to remove it does no harm
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
