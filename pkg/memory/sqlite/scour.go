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
	// scourTime is how long writers are held up at once while the file is scoured.
	scourTime = 25 * time.Millisecond
	// scourRounds bounds how often the file is gone through: what is written meanwhile
	// can move a page's old content to its neighbour.
	scourRounds = 4
	// maxPages is from how many pages on the first byte of a page no longer tells a
	// page of rows from one of a long row's rest: 130 GB.
	maxPages = 1 << 25
	// pendingByte is in a page that SQLite never uses.
	pendingByte = 1 << 30
)

// errScourTooBig says that a file cannot be scoured.
var errScourTooBig = errors.New("the file is too big to be cleaned of copies in its pages; stop all programs that use it and rewrite it with VACUUM")

// scour overwrites what is left of deleted rows in the file, and empties the log
// beside it. SQLite overwrites what it deletes (secure_delete), but where it spreads rows over
// pages it leaves copies in the room between a page's list of rows and its rows.
// That room means nothing to SQLite, so it can be overwritten in the file itself,
// without a transaction over all pages, as long as nobody changes a page meanwhile:
// each step holds the writer's lock with an empty log. Connections that have pages in
// mind read them anew, since each step ends with a commit.
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

// rawFile is the database's file as bytes. It stays open as long as the database:
// closing it would give up all locks that this process has on the file.
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

// checkpoint brings the log into the file while others write.
func (s *database) checkpoint(ctx context.Context) error {
	return s.read(ctx, "bringing the log into the file", func(c *conn) error {
		var busy, frames, moved int
		return c.Row(ctx, `PRAGMA wal_checkpoint(PASSIVE)`, nil, &busy, &frames, &moved)
	})
}

// longLog is the length of the log from which on a long work brings it into the file:
// before a writer has to, which others would wait for.
const longLog = 2 << 20

// drainLog brings a long log into the file.
func (s *database) drainLog(ctx context.Context) error {
	if info, err := os.Stat(s.path + "-wal"); err != nil || info.Size() < longLog {
		return nil // no log is a short one
	}
	return s.checkpoint(ctx)
}

// withEmptyLog runs fn while nobody else can write and everything is in the file. It
// waits until those who read let the log be emptied. It ends with a commit.
func (s *database) withEmptyLog(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		empty := false
		if err := s.checkpoint(ctx); err != nil {
			return err
		}
		err := s.lendWriter(ctx, "cleaning the file of what was deleted", func(ctx context.Context, c *conn) (err error) {
			c.spoilt = true // what it has in mind of pages is of before
			if empty, err = c.emptyLog(ctx); err != nil || !empty {
				return err
			}
			return c.transact(ctx, "BEGIN IMMEDIATE", func() error {
				info, err := os.Stat(s.path + "-wal")
				if empty = err == nil && info.Size() == 0; !empty {
					return nil // another process was faster
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

// emptyLog empties the log and reports whether it could, without waiting for those
// who read.
func (c *conn) emptyLog(ctx context.Context) (bool, error) {
	if err := c.script(ctx, `PRAGMA busy_timeout = 20`); err != nil {
		return false, err
	}
	var busy bool
	var frames, moved int
	err := c.Row(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &frames, &moved)
	return err == nil && !busy, errors.Join(err, c.script(ctx, `PRAGMA busy_timeout = 5000`))
}

// dirtyPages lists the pages with something left in their unused room.
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

// wipePages overwrites the unused room of some of the pages and returns of how many.
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

// pagesOf returns how long the pages of a file are, and how many there are.
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

// wipeRoom overwrites in a page of a tree what belongs to no row, and reports whether there
// was something. A page of anything else it leaves alone. See "B-tree Pages" of
// SQLite's file format.
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

// wipe overwrites b and reports whether there was something in it.
func wipe(b []byte) (dirty bool) {
	for _, x := range b {
		if x != 0 {
			clear(b)
			return true
		}
	}
	return false
}
