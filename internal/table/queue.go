package table

import (
	"maps"
	"slices"
)

const (
	// maxWaiting bounds the utterances waiting for an answer. When they are that many, lines
	// from this machine wait in Hear, and others take the place of who has most waiting.
	maxWaiting = 32
)

// queue knows which NPC is busy with which turn, the turns that wait for one to be free, and how
// much each player may add.
type queue struct {
	waiting []*turn // in order of arrival
	busy    map[int]*turn
	order   Rotation          // of the players whose turns begin
	shares  map[string]*share // what each account has taken of the table
}

func newQueue() *queue { return &queue{busy: map[int]*turn{}, shares: map[string]*share{}} }

func (q *queue) isBusy(npc int) bool { return q.busy[npc] != nil }

// occupy has a turn's NPC be busy with it.
func (q *queue) occupy(tn *turn) { q.busy[tn.to.index] = tn }

func (q *queue) isFull() bool { return len(q.waiting) >= maxWaiting }

func (q *queue) add(tn *turn) { q.waiting = append(q.waiting, tn) }

func (q *queue) remove(tn *turn) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o *turn) bool { return o == tn })
}

// removeAll returns the turns that wait, in order, and lets none of them wait any longer.
func (q *queue) removeAll() []*turn {
	all := q.waiting
	q.waiting = nil
	return all
}

// releaseNPC frees the NPC that is busy with a turn.
func (q *queue) releaseNPC(tn *turn) {
	if tn.to.agent != nil && q.busy[tn.to.index] == tn {
		delete(q.busy, tn.to.index)
	}
}

// popFree returns the turn that is next of those whose NPC is free, players taking turns;
// nil if there is none.
func (q *queue) popFree() *turn {
	var free []int
	for i, tn := range q.waiting {
		if !q.isBusy(tn.to.index) {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil
	}
	if few := slices.DeleteFunc(slices.Clone(free), func(i int) bool { return q.crowds(q.waiting[i]) }); len(few) > 0 {
		free = few
	}
	i := free[q.order.Next(len(free), func(n int) string { return q.waiting[free[n]].owner() })]
	tn := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.order.Record(tn.owner())
	return tn
}

// crowds reports whether a turn is of a player on another machine who has many waiting.
func (q *queue) crowds(tn *turn) bool { return tn.User != "" && q.countOf(tn.User) >= crowding }

// countOf counts the waiting turns of an account.
func (q *queue) countOf(user string) (n int) {
	for _, w := range q.waiting {
		if w.User == user {
			n++
		}
	}
	return n
}

// ofOne are the turns of an account for which NPCs are busy.
func (q *queue) ofOne(user string) []*turn {
	var all []*turn
	for _, npc := range slices.Sorted(maps.Keys(q.busy)) {
		if tn := q.busy[npc]; tn.User == user {
			all = append(all, tn)
		}
	}
	return all
}

// holdsBack reports whether lines from this machine wait outside: the queue is full, and who
// has most of it is no player on another machine, whose newest line would give way.
func (q *queue) holdsBack() bool {
	return q.isFull() && q.crowdingOut(&turn{}).User == ""
}

// crowdingOut returns the turn that makes room for another when there is none: the newest
// of who has most waiting, or the other one itself if that would be of the same.
func (q *queue) crowdingOut(tn *turn) *turn {
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

// reactionsTo are the turns that react to a turn's answer.
func (q *queue) reactionsTo(leader *turn) []*turn {
	var all []*turn
	for _, tn := range q.busy {
		if tn.leader == leader {
			all = append(all, tn)
		}
	}
	return all
}

// countPlayers counts the different players who wait for an NPC, except for tn.
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
