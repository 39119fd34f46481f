package mcpserver

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSessionsPassNowAndThen shows that the SDK hears of a session before it would end it,
// and has to itself what it alone can answer.
func TestSessionsPassNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s directSession
		s.passed.Store(time.Now().UnixNano())
		time.Sleep(passEvery - 1)
		if !s.mayTake() {
			t.Error("a session of which the SDK has just heard is left to it")
		}
		if time.Sleep(time.Nanosecond); s.mayTake() {
			t.Errorf("the SDK has heard nothing of a session for %v", passEvery)
		}
		s.passed.Store(time.Now().UnixNano())
		s.busy.Add(1)
		if s.mayTake() {
			t.Error("a session is taken while the SDK answers in it")
		}
		if s.busy.Add(-1); !s.mayTake() {
			t.Error("a session is not taken when the SDK has answered")
		}
		if s.logs.Store(true); s.mayTake() {
			t.Error("a session is taken whose client wants messages")
		}
	})
}
