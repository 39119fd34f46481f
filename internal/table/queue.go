package table

import (
	"maps"
	"slices"
)

const (
	// maxWaiting bounds the utterances that wait for an answer. When the queue is full, lines from this machine
	// wait in Hear. A line of another player replaces the newest one of the player who has most waiting.
	maxWaiting = 32
)

// queue knows which NPC is busy with which turn, which turns wait for a free NPC, and how many lines each
// player may add.
type queue struct {
	waiting []*turn // in order of arrival
	busy    map[int]*turn
	order   Rotation          // of the players whose turns begin
	shares  map[string]*share // by account
}

func newQueue() *queue { return &queue{busy: map[int]*turn{}, shares: map[string]*share{}} }

func (q *queue) isBusy(npc int) bool { return q.busy[npc] != nil }

// markBusy marks a turn's NPC as busy with it.
func (q *queue) markBusy(tn *turn) { q.busy[tn.addressee.index] = tn }

func (q *queue) isFull() bool { return len(q.waiting) >= maxWaiting }

func (q *queue) add(tn *turn) { q.waiting = append(q.waiting, tn) }

func (q *queue) remove(tn *turn) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o *turn) bool { return o == tn })
}

// removeAll empties the queue and returns the turns that waited, in order.
func (q *queue) removeAll() []*turn {
	all := q.waiting
	q.waiting = nil
	return all
}

// releaseNPC frees the NPC that is busy with a turn.
func (q *queue) releaseNPC(tn *turn) {
	if tn.addressee.agent != nil && q.busy[tn.addressee.index] == tn {
		delete(q.busy, tn.addressee.index)
	}
}

// popFree removes and returns the next turn whose NPC is free, alternating between players; nil if there is
// none.
func (q *queue) popFree() *turn {
	var free []int
	for i, tn := range q.waiting {
		if !q.isBusy(tn.addressee.index) {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil
	}
	if few := slices.DeleteFunc(slices.Clone(free), func(i int) bool { return q.hasManyWaiting(q.waiting[i]) }); len(few) > 0 {
		free = few
	}
	i := free[q.order.Next(len(free), func(n int) string { return q.waiting[free[n]].owner() })]
	tn := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.order.Record(tn.owner())
	return tn
}

// hasManyWaiting reports whether a turn belongs to an account that has many turns waiting.
func (q *queue) hasManyWaiting(tn *turn) bool { return tn.User != "" && q.countOf(tn.User) >= crowding }

// countOf counts the waiting turns of an account.
func (q *queue) countOf(user string) (n int) {
	for _, w := range q.waiting {
		if w.User == user {
			n++
		}
	}
	return n
}

// busyTurnsOf returns the turns of an account that NPCs are busy with.
func (q *queue) busyTurnsOf(user string) []*turn {
	var all []*turn
	for _, npc := range slices.Sorted(maps.Keys(q.busy)) {
		if tn := q.busy[npc]; tn.User == user {
			all = append(all, tn)
		}
	}
	return all
}

// blocksLocalLines reports whether lines from this machine wait in Hear: the queue is full, and no account has most
// of it, whose newest line would give way.
func (q *queue) blocksLocalLines() bool {
	return q.isFull() && q.turnToDrop(&turn{}).User == ""
}

// turnToDrop returns the turn that gives way to another when the queue is full: the newest of the player who
// has most waiting, or tn itself if that player is its own.
func (q *queue) turnToDrop(tn *turn) *turn {
	count := map[string]int{tn.owner(): 1}
	most := tn.owner()
	for _, w := range q.waiting {
		count[w.owner()]++
	}
	out := tn
	for _, w := range slices.Backward(q.waiting) {
		if count[w.owner()] > count[most] {
			most, out = w.owner(), w
		}
	}
	return out
}

// reactionsTo returns the turns that react to a turn's answer.
func (q *queue) reactionsTo(leader *turn) []*turn {
	var all []*turn
	for _, tn := range q.busy {
		if tn.leader == leader {
			all = append(all, tn)
		}
	}
	return all
}

// countPlayers counts the different players who wait for an NPC, leaving out tn.
func (q *queue) countPlayers(tn *turn) int {
	seen := map[string]bool{}
	for _, w := range q.waiting {
		if w != tn && !w.isPuppet() {
			seen[w.Speaker] = true
		}
	}
	for _, b := range q.busy {
		if b != tn && !b.isPuppet() && !b.delivered.audible {
			seen[b.Speaker] = true
		}
	}
	return len(seen)
}
