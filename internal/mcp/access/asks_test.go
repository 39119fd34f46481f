package access

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGiveBack checks that a grant that was taken and given back exists once, whatever
// happened to the same call in between.
func TestGiveBack(t *testing.T) {
	key, r := askKey{caller: "ann", tool: "move"}, &rule{name: "ask"}
	take := func(t *testing.T, a *asks) ask {
		t.Helper()
		q, no := a.findAsk(key, "{}", r, true, nil)
		if no != nil {
			t.Fatalf("find: %v", no)
		}
		return q
	}
	tests := []struct {
		name      string
		meanwhile func(a *asks)
		want      []askState // seen by the next calls
	}{
		{"nothing", func(*asks) {}, []askState{granted, pending}},
		{"asked_anew", func(a *asks) { _, _ = a.findAsk(key, "{}", r, true, nil) }, []askState{granted, pending}},
		{"asked_anew_and_denied", func(a *asks) {
			_, _ = a.findAsk(key, "{}", r, true, nil)
			a.settle(a.byKey[key], false, "dm", time.Now())
		}, []askState{denied, denied}},
		{"expired", func(*asks) { time.Sleep(defaultExpires) }, []askState{pending, pending}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAsks()
				take(t, &a)
				a.settle(a.byKey[key], true, "dm", time.Now())
				q := take(t, &a)
				if q.state != granted || len(a.byKey) != 0 || len(a.byID) != 0 {
					t.Fatalf("state %d and %d asks left, want a grant that was taken out", q.state, len(a.byKey))
				}
				tt.meanwhile(&a)
				a.giveBack(q)
				for i, want := range tt.want {
					if got := take(t, &a); got.state != want {
						t.Errorf("call %d finds state %d, want %d", i, got.state, want)
					}
				}
			})
		})
	}
}
