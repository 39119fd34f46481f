//go:build !unix

package espeak

import "os/exec"

// killWholeGroup does nothing. Without process groups, only the program itself is killed when its context is
// done; it starts no children of its own.
func killWholeGroup(*exec.Cmd) {}
