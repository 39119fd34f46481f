// Package wakeup wakes a goroutine that waits for a channel: one made with room
// for a single token, so that waking it twice is waking it once, and nobody
// waits for the one who sleeps. It imports nothing.
package wakeup

// Signal puts a token into c unless there is one already. It never blocks.
func Signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
