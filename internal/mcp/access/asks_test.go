package access

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGiveBack checks that a grant that was taken and given back exists once, whatever
// happened to the same call in between.
func TestGiveBack(t *testing.T) {
	key, r := callKey{caller: "ann", tool: "move"}, &rule{name: "ask"}
	take := func(t *testing.T, a *approvalQueue) ask {
		t.Helper()
		q, no := a.findOrQueue(key, "{}", r, true, nil)
		if no != nil {
			t.Fatalf("find: %v", no)
		}
		return q
	}
	tests := []struct {
		name      string
		meanwhile func(a *approvalQueue)
		want      []approvalState // seen by the next calls
	}{
		{"nothing", func(*approvalQueue) {}, []approvalState{granted, pending}},
		{"asked_anew", func(a *approvalQueue) { _, _ = a.findOrQueue(key, "{}", r, true, nil) }, []approvalState{granted, pending}},
		{"asked_anew_and_denied", func(a *approvalQueue) {
			_, _ = a.findOrQueue(key, "{}", r, true, nil)
			a.recordDecision(a.byKey[key], false, "dm", time.Now())
		}, []approvalState{denied, denied}},
		{"expired", func(*approvalQueue) { time.Sleep(defaultExpires) }, []approvalState{pending, pending}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newApprovalQueue()
				take(t, &a)
				a.recordDecision(a.byKey[key], true, "dm", time.Now())
				q := take(t, &a)
				if q.state != granted || len(a.byKey) != 0 || len(a.byID) != 0 {
					t.Fatalf("state %d and %d asks left, want a grant that was taken out", q.state, len(a.byKey))
				}
				tt.meanwhile(&a)
				a.restoreGrant(q)
				for i, want := range tt.want {
					if got := take(t, &a); got.state != want {
						t.Errorf("call %d finds state %d, want %d", i, got.state, want)
					}
				}
			})
		})
	}
}
