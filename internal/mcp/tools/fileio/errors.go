package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Errors a call can end in, besides those of package mcp; test with errors.Is.
var (
	// ErrQuota means the write would exceed what the store may hold. It comes
	// with [mcp.ErrInvalidArguments]: the store works, the input is too much.
	ErrQuota = errors.New("file store is full")
	// ErrDiskFull means the disk, not the quota, is exhausted.
	ErrDiskFull = errors.New("disk is full")
)

// reject says what is wrong with the input.
func reject(format string, args ...any) error {
	return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, fmt.Sprintf(format, args...))
}

// bare strips err of the path it carries: a host's paths are none of a model's
// business.
func bare(err error) error {
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

// hostError says what the operator can do about a failure that is not the
// input's fault.
func hostError(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case diskFull(err):
		return mcp.Told(fmt.Errorf("%s: %w; the file is unchanged; free space and try again", doing, ErrDiskFull))
	case errors.Is(err, fs.ErrPermission) || readOnlyDisk(err):
		return mcp.Told(fmt.Errorf("%s: %w; make the sandbox directory (under data_dir) readable and writable for the user Glyphoxa runs as", doing, bare(err)))
	}
	return mcp.Told(fmt.Errorf("%s: %w", doing, bare(err)))
}

// accessError tells a path's mistakes from the host's failures. A refusal by
// the os.Root itself carries no system error number.
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
