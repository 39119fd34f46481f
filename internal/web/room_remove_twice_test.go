package web

import (
	"context"
	"testing"
)

// TestRemoveTakesAllOfAName: a guest about to be removed opens a second page under the same
// name. The page holds a place from place to registerName, which refuses the name only after the
// first guest has left.
func TestRemoveTakesAllOfAName(t *testing.T) {
	missed := 0
	for range 20 {
		r := NewRoom(RoomOptions{Feed: NewFeed(), Table: "t"})
		r.at = &Sitting{}
		join := func() *guest {
			g := &guest{room: r, name: "Mallory", at: r.at}
			g.ended, g.cancel = context.WithCancelCause(t.Context())
			if _, err := r.place(g, joining{Invite: *r.invite.Load(), Name: "Mallory"}); err != nil {
				t.Fatal(err)
			}
			return g
		}
		seated, _ := join(), join()
		if err := r.Remove("Mallory"); err != nil {
			t.Fatal(err)
		}
		if !seated.hasEnded() {
			missed++
		}
	}
	t.Logf("in %d of 20 removals the guest who sits at the table stayed", missed)
	if missed > 0 {
		t.Error("Remove takes one of several of a name")
	}
}
