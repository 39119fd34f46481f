//go:build !unix

package userfile

// nonblock is not needed, because on other systems a named pipe cannot take the place of a file.
const nonblock = 0
