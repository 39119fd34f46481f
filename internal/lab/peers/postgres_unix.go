//go:build unix

package peers

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// postgresUser is the user that runs the server where root may not.
func postgresUser() (uid, gid int, needed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, false
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, true
}

func giveToPostgres(dir string) error {
	if uid, gid, needed := postgresUser(); needed {
		return os.Chown(dir, uid, gid)
	}
	return nil
}

func runAsPostgres(cmd *exec.Cmd) {
	if uid, gid, needed := postgresUser(); needed {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
