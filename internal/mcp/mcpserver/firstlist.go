package mcpserver

import (
	"context"
	"sync"
	"time"
)

// FirstList makes lists that clients request right after the start wait for external servers.
type FirstList struct {
	// Tried is closed when every server was tried. If nil, lists do not wait.
	Tried <-chan struct{}
	// Wait is how long after the start a list waits at most.
	Wait time.Duration
}

// firstList is a [FirstList] in use. It is safe for concurrent use.
type firstList struct {
	tried <-chan struct{}
	until time.Time
	// relist makes new tools callable. It runs once, before any client can see them.
	relist func()
}

func newFirstList(o FirstList, relist func()) firstList {
	return firstList{o.Tried, time.Now().Add(o.Wait), sync.OnceFunc(relist)}
}

// await returns when every server was tried, the time for that is over, or ctx ends.
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
