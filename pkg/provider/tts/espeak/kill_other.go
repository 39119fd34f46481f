//go:build !unix

package espeak

import "os/exec"

// killWholeGroup leaves cmd as it is: without process groups, the program
// alone dies when its context is done. It starts no children of its own.
func killWholeGroup(*exec.Cmd) {}
