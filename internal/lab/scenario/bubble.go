package scenario

import (
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"
)

// inBubble runs f in virtual time: the clock advances only when every goroutine
// of f waits, and then to the next timer, so a scene takes only the time of its
// work. It returns an error, rather than hanging, if f leaves goroutines that
// wait forever.
//
// The standard library offers virtual time only to tests. A zero testing.T
// suffices, because this code reports nothing through it, and testing.Init adds
// flags that none of our commands reads.
func inBubble(f func() error) (err error) {
	testing.Init()
	defer func() {
		// The runtime reports a bubble's deadlock as a panic in this goroutine.
		if p := recover(); p != nil {
			err = fmt.Errorf("the scene never came to its end: %v", p)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the scene panicked: %v\n%s", p, debug.Stack())
			}
		}()
		err = f()
	})
	return err
}
