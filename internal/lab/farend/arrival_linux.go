package farend

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// stampArrivals has the kernel note when each datagram came, so that what keeps
// this process busy is none of the sender's lateness.
func stampArrivals(udp *net.UDPConn) {
	raw, err := udp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) // else it is when it was read
	})
}

// arrival reads what the kernel noted of a datagram.
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
