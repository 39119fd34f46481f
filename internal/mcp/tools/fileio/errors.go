package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Errors that a call can return in addition to those of package mcp. Test for them with errors.Is.
var (
	// ErrQuota means that the write would exceed the quota of the store. It is wrapped together with
	// [mcp.ErrInvalidArguments], because the store works and the input is too large.
	ErrQuota = errors.New("file store is full")
	// ErrDiskFull means that the disk is full, as opposed to the quota being used up.
	ErrDiskFull = errors.New("disk is full")
)

// reject returns an error that describes the problem with the input.
func reject(format string, args ...any) error {
	return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, fmt.Sprintf(format, args...))
}

// withoutPath removes the path from err, so that a model does not see paths of the host.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	for {
		switch {
		case errors.As(err, &path):
			err = path.Err
		case errors.As(err, &link):
			err = link.Err
		case errors.As(err, &call):
			err = call.Err
		default:
			return err
		}
	}
}

// hostError returns an error that tells the operator how to fix a failure that the input did not cause.
func hostError(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case diskFull(err):
		return mcp.PublicError(fmt.Errorf("%s: %w; the file is unchanged; free space and try again", doing, ErrDiskFull))
	case errors.Is(err, fs.ErrPermission) || readOnlyDisk(err):
		return mcp.PublicError(fmt.Errorf("%s: %w; make the sandbox directory (under data_dir) readable and writable for the user Glyphoxa runs as", doing, withoutPath(err)))
	}
	return mcp.PublicError(fmt.Errorf("%s: %w", doing, withoutPath(err)))
}

// accessError distinguishes invalid paths from failures of the host. If the os.Root itself rejects a path,
// the error has no errno.
func accessError(doing string, err error) error {
	var number syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return reject("there is no such file")
	case errors.Is(err, syscall.ENOTDIR):
		return reject("part of the path is a file, not a folder")
	case errors.Is(err, syscall.EISDIR):
		return reject("it is a folder, not a file")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return reject("a name in the path is too long for this disk")
	case errors.Is(err, syscall.ELOOP), !errors.As(err, &number):
		return reject("it leads out of the file store")
	}
	return hostError(doing, err)
}
