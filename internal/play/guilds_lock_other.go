//go:build !unix

package play

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// lockFile uses the existence of the file as the lock. It first deletes the file, which fails while another
// program has it open but removes the one that a killed program left behind.
func lockFile(path string) (unlock func() error, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errLocked // another program has it open
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, errLocked
	case err != nil:
		return nil, fmt.Errorf("locking the directory of the servers: %w", userfile.PlainFileError(err))
	}
	return func() error { return errors.Join(f.Close(), os.Remove(path)) }, nil
}
