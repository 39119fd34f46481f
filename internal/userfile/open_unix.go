//go:build unix

package userfile

import "syscall"

// nonblock makes a named pipe that has replaced a file open at once, so that Open can recognise and refuse
// it.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
