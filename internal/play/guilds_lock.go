package play

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// errLocked means that another program uses the same data directory.
var errLocked = errors.New("another glyphoxa run already plays from this data directory; stop it, or set data_dir to a different directory")

// LockDir makes sure that only one program at a time runs a bot with the directory of the guilds, until
// unlock is called. The lock of a killed program does not remain.
func LockDir(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the servers: %w; set data_dir to a directory that Glyphoxa may write to", userfile.PlainFileError(err))
	}
	return lockFile(filepath.Join(dir, "lock"))
}
