package table

import "testing"

// TestWhoHasMostWaitingGivesWay: speech cannot wait outside a full queue, so it replaces the
// newest line of the player with the most waiting lines.
func TestWhoHasMostWaitingGivesWay(t *testing.T) {
	of := func(speaker, user string) *turn { return &turn{Utterance: Utterance{Speaker: speaker, User: user}} }
	q := newQueue()
	for range maxWaiting - 2 {
		q.add(of("Ana", "1"))
	}
	newest := of("Annie", "1") // the same player under another name
	q.add(newest)
	q.add(of("Ben", "2"))
	if !q.isFull() {
		t.Fatal("there is room")
	}
	for _, row := range []struct {
		name string
		tn   *turn
		out  *turn // nil: itself
	}{
		{"somebody who has nothing waiting", of("Cleo", "3"), newest},
		{"somebody who has one waiting", of("Ben", "2"), newest},
		{"the same", of("Ana", "1"), nil},
		{"somebody without an account", of("Ana", ""), newest},
	} {
		if row.out == nil {
			row.out = row.tn
		}
		if out := q.turnToDrop(row.tn); out != row.out {
			t.Errorf("%s: %+v gives way", row.name, out.Utterance)
		}
	}
}

// TestWhoCrowdsComesLast: if a remote player has many waiting lines, other players' lines go
// first, and lines from this machine are still accepted.
func TestWhoCrowdsComesLast(t *testing.T) {
	q := newQueue()
	for range maxWaiting - 1 {
		q.add(&turn{Utterance: Utterance{Speaker: "Ana", User: "1"}})
	}
	ben := &turn{Utterance: Utterance{Speaker: "Ben", User: "2"}}
	q.add(ben)
	if q.blocksLocalLines() {
		t.Error("the queue holds back lines from this machine for one player's")
	}
	if got := q.popFree(); got != ben {
		t.Errorf("%+v comes first, want Ben's", got.Utterance)
	}
	if got := q.popFree(); got.Speaker != "Ana" {
		t.Errorf("%+v comes next, want Ana's", got.Utterance)
	}
	q.waiting = q.waiting[:0]
	for range maxWaiting {
		q.add(&turn{Utterance: Utterance{Speaker: "Script"}})
	}
	if !q.blocksLocalLines() {
		t.Error("a script's lines do not wait outside a queue that they fill")
	}
}
