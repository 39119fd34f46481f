// Package wakeup wakes a goroutine that receives from a channel. The channel has room for one token,
// so that two signals wake the goroutine once and the sender never blocks:
//
//	wake := make(chan struct{}, 1)
//	wakeup.Signal(wake)
package wakeup

// Signal puts a token into c unless c has one already. It never blocks.
func Signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
