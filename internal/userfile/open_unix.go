//go:build unix

package userfile

import "syscall"

// nonblock has a pipe that took a file's place open at once, so that it is seen for
// what it is.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
