package farend

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// stampArrivals turns on kernel timestamps of datagrams, so that delays in this
// process do not count as the sender's.
func stampArrivals(udp *net.UDPConn) {
	raw, err := udp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) // if this fails, the time of reading counts
	})
}

// arrival returns the kernel's timestamp of a datagram.
func arrival(control []byte) (time.Time, bool) {
	all, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return time.Time{}, false
	}
	for _, m := range all {
		var at syscall.Timespec
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(at)) {
			at = *(*syscall.Timespec)(unsafe.Pointer(&m.Data[0]))
			return time.Unix(at.Unix()), true
		}
	}
	return time.Time{}, false
}
