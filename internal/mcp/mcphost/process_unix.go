//go:build unix

package mcphost

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the process in a group of its own, so that a signal to us
// does not reach it and killGroup reaches its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends what the process left behind.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually nothing is left to kill
	}
}
