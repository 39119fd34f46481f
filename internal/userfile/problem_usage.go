package userfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrUsage marks errors that are the caller's: a bad flag or configuration.
var ErrUsage = errors.New("wrong usage or configuration")

// usageError is an error that says only what is wrong, and is ErrUsage.
type usageError struct{ err error }

func (e usageError) Error() string        { return e.err.Error() }
func (e usageError) Unwrap() error        { return e.err }
func (e usageError) Is(target error) bool { return target == ErrUsage }

// Usage marks err as the caller's; its text stays as it is. It is nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// PlainFileError keeps the path and the reason of a file's error, without the system
// call. Any other error stays as it is.
func PlainFileError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
