//go:build unix

package fileio

import (
	"errors"
	"syscall"
)

// dontWait makes opening a FIFO return at once, without waiting for a writer.
const dontWait = syscall.O_NONBLOCK

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func readOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
