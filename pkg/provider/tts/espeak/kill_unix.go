//go:build unix

package espeak

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// killWholeGroup puts cmd into its own process group, which is killed as a whole when cmd's context is done.
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
