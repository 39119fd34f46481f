package table

import "slices"

const (
	// maxWaiting bounds the utterances waiting for an answer; Hear blocks when
	// they are that many.
	maxWaiting = 32
)

// queue knows which NPC is busy with which turn, and the turns that wait for one
// to be free. It belongs to the table's goroutine.
type queue struct {
	waiting []*turn // in order of arrival
	busy    map[int]*turn
}

func newQueue() *queue { return &queue{busy: map[int]*turn{}} }

func (q *queue) isBusy(npc int) bool { return q.busy[npc] != nil }

func (q *queue) isFull() bool { return len(q.waiting) >= maxWaiting }

func (q *queue) add(tn *turn) { q.waiting = append(q.waiting, tn) }

func (q *queue) remove(tn *turn) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o *turn) bool { return o == tn })
}

// releaseNPC frees the NPC that is busy with a turn.
func (q *queue) releaseNPC(tn *turn) {
	if tn.npc != nil && q.busy[tn.agent] == tn {
		delete(q.busy, tn.agent)
	}
}

// popFree returns the turn that is next of those whose NPC is free, from place
// i on, and its place; nil if there is none.
func (q *queue) popFree(i int) (*turn, int) {
	for ; i < len(q.waiting); i++ {
		if tn := q.waiting[i]; !q.isBusy(tn.agent) {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			return tn, i
		}
	}
	return nil, i
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
		if w != tn && !w.puppet {
			seen[w.Speaker] = true
		}
	}
	for _, b := range q.busy {
		if b != tn && !b.puppet && !b.audible {
			seen[b.Speaker] = true
		}
	}
	return len(seen)
}
