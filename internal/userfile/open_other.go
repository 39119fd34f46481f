//go:build !unix

package userfile

// nonblock is for pipes in place of files, which other systems keep elsewhere.
const nonblock = 0
