//go:build !unix

package upstream

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminateGroup does nothing where programs cannot be asked to leave.
func terminateGroup(*exec.Cmd) {}

// killGroup ends the process; without process groups its children are on
// their own.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // usually it has ended already
	}
}
