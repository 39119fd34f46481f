//go:build !unix

package mcphost

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminateGroup does nothing, because this platform has no way to ask a program to exit.
func terminateGroup(*exec.Cmd) {}

// killGroup kills only the process, because this platform has no process groups.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // usually it has already exited
	}
}
