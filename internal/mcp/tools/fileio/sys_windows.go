package fileio

import (
	"errors"
	"syscall"
)

// dontWait is not needed: files of this system do not wait when opened.
const dontWait = 0

// System error codes of Windows.
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

func diskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}

func readOnlyDisk(err error) bool { return errors.Is(err, errorWriteProtect) }
