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

// Errors a call can end in; test with errors.Is.
var (
	// ErrClosed means the store is closed.
	ErrClosed = memory.ErrClosed
	// ErrTooNew means a newer Glyphoxa has written the file.
	ErrTooNew = errors.New("database is newer than this program")
	// ErrForeign means the file is a database of another program.
	ErrForeign = errors.New("file is not a Glyphoxa database")
	// ErrCorrupt means the file is damaged or no database at all.
	ErrCorrupt = errors.New("file is damaged or no database")
	// ErrReadOnly means the file or its directory cannot be written.
	ErrReadOnly = errors.New("no write access")
	// ErrFull means there is no room left.
	ErrFull = errors.New("disk is full")
	// ErrBusy means another process kept the database locked.
	ErrBusy = errors.New("database is locked by another process")
	// ErrUnreadable means the disk failed to read or write.
	ErrUnreadable = errors.New("disk failed")
)

// explain says what was being done, to which file, and what to do about it.
// It keeps nil and errors that need no explanation as they are.
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

// diagnose returns the reason behind a result code and what helps, or nil if
// the code says no more than its message.
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

// explainFile does for the operating system's errors what explain does for
// the database's.
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
