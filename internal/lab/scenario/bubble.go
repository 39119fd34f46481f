package scenario

import (
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"
)

// inBubble runs f in virtual time: the clock moves only when everything that f
// started waits, and then to the next thing that is due, so a scene takes no
// longer than its work. It returns an error, rather than hanging, if f left
// goroutines behind that wait for ever.
//
// The standard library offers virtual time to tests alone. A zero testing.T is
// enough for it, as nothing here reports through it, and testing.Init adds
// flags that no command of ours reads.
func inBubble(f func() error) (err error) {
	testing.Init()
	defer func() {
		// The runtime finds the deadlock of a bubble in this goroutine.
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
