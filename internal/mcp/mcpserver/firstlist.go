package mcpserver

import (
	"context"
	"sync"
	"time"
)

// FirstList makes clients that list right after the start wait for external servers.
type FirstList struct {
	// Tried is closed once every server was tried. If nil, nobody waits.
	Tried <-chan struct{}
	// Wait is how long after the start a list waits for that at most.
	Wait time.Duration
}

// firstList is a FirstList under way. It is safe for concurrent use.
type firstList struct {
	tried <-chan struct{}
	until time.Time
	// relist makes what is new callable, once, so that nobody sees what cannot be called yet.
	relist func()
}

func newFirstList(o FirstList, relist func()) firstList {
	return firstList{o.Tried, time.Now().Add(o.Wait), sync.OnceFunc(relist)}
}

// await returns once every server was tried, the time for that is over, or ctx is done.
func (f firstList) await(ctx context.Context) {
	select {
	case <-f.tried:
		f.relist()
		return
	default:
	}
	left := time.Until(f.until)
	if f.tried == nil || left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-f.tried:
		f.relist()
	case <-timer.C:
	case <-ctx.Done():
	}
}
