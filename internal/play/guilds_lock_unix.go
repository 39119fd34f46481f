//go:build unix

package play

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the directory of the servers: %w", userfile.PlainFileError(err))
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(errLocked, f.Close())
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return f.Close, nil // some file systems have no locks
	case err != nil:
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return f.Close, nil
}
