package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Errors that calls can return; test with errors.Is.
var (
	// ErrClosed means that the store is closed.
	ErrClosed = memory.ErrClosed
	// ErrTooNew means that a newer Glyphoxa has written the file.
	ErrTooNew = errors.New("database is newer than this program")
	// ErrForeign means that the file is a database of another program.
	ErrForeign = errors.New("file is not a Glyphoxa database")
	// ErrCorrupt means that the file is damaged or not a database.
	ErrCorrupt = errors.New("file is damaged or no database")
	// ErrReadOnly means that the file or its directory cannot be written.
	ErrReadOnly = errors.New("no write access")
	// ErrFull means that the disk is full.
	ErrFull = errors.New("disk is full")
	// ErrBusy means that another process kept the database locked.
	ErrBusy = errors.New("database is locked by another process")
	// ErrUnreadable means that reading from or writing to the disk failed.
	ErrUnreadable = errors.New("disk failed")
)

// explain adds to an error the operation, the file, and advice for the user. It returns nil for nil.
func (s *database) explain(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrTooNew) || errors.Is(err, ErrForeign) {
		return fmt.Errorf("%s in %s: %w", doing, s.path, err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	advice, reason := diagnose(e.Code())
	if reason == nil {
		return fmt.Errorf("%s in %s: %w", doing, s.path, err)
	}
	return fmt.Errorf("%s in %s: %w; %s (%v)", doing, s.path, reason, advice, e)
}

// diagnose returns the reason for a result code and advice, or nil if there is nothing to add to the error's
// message.
func diagnose(resultCode int) (advice string, reason error) {
	switch resultCode & 0xff {
	case code.SQLITE_NOTADB, code.SQLITE_CORRUPT, code.SQLITE_FORMAT:
		return "move it away to start afresh, or put a backup in its place", ErrCorrupt
	case code.SQLITE_READONLY, code.SQLITE_PERM, code.SQLITE_CANTOPEN:
		return "give this user write access to the file and its directory", ErrReadOnly
	case code.SQLITE_FULL:
		return "free some space; nothing that was saved before is lost", ErrFull
	case code.SQLITE_BUSY:
		return "stop the other process that uses it", ErrBusy
	case code.SQLITE_IOERR:
		return "check the disk, its free space and that it can be written", ErrUnreadable
	}
	return "", nil
}

// explainFile does the same as explain for errors of the operating system.
func explainFile(path string, err error) error {
	const doing = "opening database"
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s in %s: %w; give this user write access to the file and its directory (%v)", doing, path, ErrReadOnly, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s in %s: %w; free some space (%v)", doing, path, ErrFull, err)
	}
	return fmt.Errorf("%s in %s: %w; choose another path", doing, path, err)
}
