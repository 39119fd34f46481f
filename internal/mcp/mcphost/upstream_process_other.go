//go:build !unix

package mcphost

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminateGroup does nothing, because programs cannot be asked to exit here.
func terminateGroup(*exec.Cmd) {}

// killGroup kills the process alone, because there are no process groups here.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // usually it has ended already
	}
}
