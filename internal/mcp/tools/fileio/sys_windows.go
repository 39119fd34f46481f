package fileio

import (
	"errors"
	"syscall"
)

// dontWait is not needed, because opening a file never blocks on Windows.
const dontWait = 0

// Windows system error codes.
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

func diskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}

func readOnlyDisk(err error) bool { return errors.Is(err, errorWriteProtect) }
