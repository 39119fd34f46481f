package userfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrUsage marks errors caused by the user, such as an invalid flag or configuration.
var ErrUsage = errors.New("wrong usage or configuration")

// usageError is an error that matches ErrUsage without adding to the message.
type usageError struct{ err error }

func (e usageError) Error() string        { return e.err.Error() }
func (e usageError) Unwrap() error        { return e.err }
func (e usageError) Is(target error) bool { return target == ErrUsage }

// Usage marks err as caused by the user, without changing its text. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// PlainFileError reduces the error of a file operation to the path and the reason, without the system call.
// It returns any other error unchanged.
func PlainFileError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
