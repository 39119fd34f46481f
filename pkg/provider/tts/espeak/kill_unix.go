//go:build unix

package espeak

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// killWholeGroup gives cmd a process group of its own, all of which dies when
// cmd's context is done.
func killWholeGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
