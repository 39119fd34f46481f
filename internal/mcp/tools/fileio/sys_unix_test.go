//go:build unix

package fileio

import "syscall"

const diskFullError = syscall.ENOSPC
