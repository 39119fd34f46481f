package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	// scourTime is the longest time for which one step blocks other writers.
	scourTime = 25 * time.Millisecond
	// scourRounds limits the passes over the file. Several may be needed because a concurrent write can move
	// a page's old content to another page.
	scourRounds = 4
	// maxPages is the number of pages from which the first byte of a page no longer distinguishes a b-tree
	// page from an overflow page: 130 GB.
	maxPages = 1 << 25
	// pendingByte is in a page that SQLite never uses.
	pendingByte = 1 << 30
)

// errScourTooBig means that the file is too big to be scoured.
var errScourTooBig = errors.New("the file is too big to be cleaned of copies in its pages; stop all programs that use it and rewrite it with VACUUM")

// scour overwrites the remains of deleted rows in the file and empties the write-ahead log. SQLite overwrites
// deleted content (secure_delete). But when it moves rows between pages, it leaves copies in the unallocated
// space of a page. SQLite ignores that space, so it can be overwritten directly in the file, without a
// transaction over all pages, as long as no one changes a page meanwhile. So each step holds the writer's
// lock while the log is empty. Each step ends with a commit, which makes other connections read their cached
// pages again.
func (s *database) scour(ctx context.Context) error {
	f, err := s.rawFile()
	if err != nil {
		return explainFile(s.path, err)
	}
	for range scourRounds {
		if err := s.checkpoint(ctx); err != nil {
			return err
		}
		todo, err := dirtyPages(ctx, f)
		if err != nil || len(todo) == 0 {
			return err
		}
		for len(todo) > 0 {
			done := 0
			err := s.withEmptyLog(ctx, func(ctx context.Context, c *conn) (err error) {
				done, err = wipePages(f, todo)
				return err
			})
			if err != nil {
				return err
			}
			todo = todo[done:]
		}
		if err := f.Sync(); err != nil {
			return explainFile(s.path, err)
		}
	}
	return nil
}

// rawFile returns the database file, opened for direct access. It stays open as long as the database, because
// closing it would release all locks that this process has on the file.
func (s *database) rawFile() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw == nil {
		f, err := os.OpenFile(s.path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		s.raw = f
	}
	return s.raw, nil
}

// checkpoint copies the write-ahead log into the file without blocking writers.
func (s *database) checkpoint(ctx context.Context) error {
	return s.read(ctx, "bringing the log into the file", func(c *conn) error {
		var busy, frames, moved int
		return c.Row(ctx, `PRAGMA wal_checkpoint(PASSIVE)`, nil, &busy, &frames, &moved)
	})
}

// longLog is the log size in bytes from which a long operation runs a checkpoint, so that no writer has to
// and makes others wait.
const longLog = 2 << 20

// drainLog runs a checkpoint if the log is long.
func (s *database) drainLog(ctx context.Context) error {
	if info, err := os.Stat(s.path + "-wal"); err != nil || info.Size() < longLog {
		return nil // a missing log counts as short
	}
	return s.checkpoint(ctx)
}

// withEmptyLog runs fn while no one else can write and the log is empty. It waits until readers allow the log
// to be emptied. It ends with a commit.
func (s *database) withEmptyLog(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		empty := false
		if err := s.checkpoint(ctx); err != nil {
			return err
		}
		err := s.withWriter(ctx, "cleaning the file of what was deleted", func(ctx context.Context, c *conn) (err error) {
			c.spoilt = true // its cached pages are outdated afterwards
			if empty, err = c.emptyLog(ctx); err != nil || !empty {
				return err
			}
			return c.transact(ctx, "BEGIN IMMEDIATE", func() error {
				info, err := os.Stat(s.path + "-wal")
				if empty = err == nil && info.Size() == 0; !empty {
					return nil // another process has written meanwhile
				}
				if err := fn(ctx, c); err != nil {
					return err
				}
				_, err = c.Exec(ctx, `UPDATE indexed_lines SET line = line`)
				return err
			})
		})
		if err != nil || empty {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("cleaning the file of what was deleted: %w", ctx.Err())
		}
	}
}

// emptyLog tries to empty the log, without waiting for readers, and reports whether it succeeded.
func (c *conn) emptyLog(ctx context.Context) (bool, error) {
	if err := c.script(ctx, `PRAGMA busy_timeout = 20`); err != nil {
		return false, err
	}
	var busy bool
	var frames, moved int
	err := c.Row(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &frames, &moved)
	return err == nil && !busy, errors.Join(err, c.script(ctx, `PRAGMA busy_timeout = 5000`))
}

// dirtyPages lists the pages with remains in their unused space.
func dirtyPages(ctx context.Context, f *os.File) ([]int64, error) {
	size, pages, err := pagesOf(f)
	if err != nil {
		return nil, err
	}
	var dirty []int64
	block := make([]byte, 256*size)
	for first := int64(0); first < pages; first += 256 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n, err := f.ReadAt(block, first*int64(size))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for i := 0; i+size <= n; i += size {
			number := first + int64(i/size)
			if usedForLocks(number, size) {
				continue
			}
			if wipeRoom(block[i:i+size], number == 0) {
				dirty = append(dirty, number)
			}
		}
	}
	return dirty, nil
}

// wipePages overwrites the unused space of pages for up to scourTime, and returns how many it handled.
func wipePages(f *os.File, todo []int64) (int, error) {
	size, _, err := pagesOf(f)
	if err != nil {
		return 0, err
	}
	page := make([]byte, size)
	start := time.Now()
	for i, number := range todo {
		if time.Since(start) > scourTime {
			return i, nil
		}
		if _, err := f.ReadAt(page, number*int64(size)); err != nil {
			return i, err
		}
		if !wipeRoom(page, number == 0) {
			continue
		}
		if _, err := f.WriteAt(page, number*int64(size)); err != nil {
			return i, err
		}
	}
	return len(todo), nil
}

// pagesOf returns the page size of a file and its number of pages.
func pagesOf(f *os.File) (size int, pages int64, err error) {
	var header [100]byte
	if _, err := f.ReadAt(header[:], 0); err != nil {
		return 0, 0, err
	}
	size = int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 1 << 16
	}
	info, err := f.Stat()
	if err != nil || size < 512 {
		return 0, 0, errors.Join(err, ErrCorrupt)
	}
	if pages = info.Size() / int64(size); pages >= maxPages {
		return 0, 0, errScourTooBig
	}
	return size, pages, nil
}

func usedForLocks(number int64, size int) bool { return number == pendingByte/int64(size) }

// wipeRoom overwrites the unused space of a b-tree page, and reports whether there was anything in it. It
// leaves other pages alone. See "B-tree Pages" in SQLite's file format.
func wipeRoom(page []byte, first bool) (dirty bool) {
	h := 0
	if first {
		h = 100
	}
	cells := h + 8
	switch page[h] {
	case 2, 5:
		cells += 4
	case 10, 13:
	default:
		return false
	}
	from := cells + 2*int(binary.BigEndian.Uint16(page[h+3:]))
	content := int(binary.BigEndian.Uint16(page[h+5:]))
	if content == 0 {
		content = 1 << 16
	}
	if from > content || content > len(page) {
		return false
	}
	for at := cells; at < from; at += 2 {
		if int(binary.BigEndian.Uint16(page[at:])) < content {
			return false
		}
	}
	dirty = wipe(page[from:content])
	for block := int(binary.BigEndian.Uint16(page[h+1:])); block != 0; {
		if block < content || block+4 > len(page) {
			break
		}
		next, size := int(binary.BigEndian.Uint16(page[block:])), int(binary.BigEndian.Uint16(page[block+2:]))
		if size < 4 || block+size > len(page) || next != 0 && next < block+size {
			break
		}
		dirty = wipe(page[block+4:block+size]) || dirty
		block = next
	}
	return dirty
}

// wipe clears b and reports whether it was not clear before.
func wipe(b []byte) (dirty bool) {
	for _, x := range b {
		if x != 0 {
			clear(b)
			return true
		}
	}
	return false
}
