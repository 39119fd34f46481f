package table

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/time/rate"
)

const (
	// shareRate and shareBurst limit the lines of one player that become turns, per second and at once. No
	// player types or speaks more for long.
	shareRate, shareBurst = 1, 12
	// maxWaitingOfOne bounds the lines of one player that wait for an answer.
	maxWaitingOfOne = 8
	// crowding is the number of waiting lines from which a player's lines come after those of others.
	crowding = 4
	// floodAfter is how many lines of a player are refused before the player counts as flooding the table.
	floodAfter = 8
	// floodQuiet is how long a player who floods must be quiet before lines are accepted again.
	floodQuiet = 10 * time.Second
	// maxShares bounds the players whose lines are counted.
	maxShares = 1024
)

var (
	// ErrTooMuch means that a line was refused because its player says more than the NPCs can answer.
	ErrTooMuch = errors.New("you are saying more at once than the table can answer, so this line was left out; wait for the answers and say it again")
	// ErrFlood means that no line of a player is accepted, because the player went on after [ErrTooMuch].
	ErrFlood = fmt.Errorf("you are saying far more than the table can answer; the NPCs will hear you again once you have been quiet for %s", floodQuiet)
)

// share counts the lines of one player.
type share struct {
	lines         *rate.Limiter
	refused       int       // of the latest lines
	lastFloodLine time.Time // when the last line of a flood came; zero if there is none
	last          time.Time
}

// admit returns nil if a line of an account may become a turn, otherwise [ErrTooMuch] or [ErrFlood]. A
// refused line takes no model, no memory and no place in the queue, so that a flood costs other players
// nothing. began says that a flood begins with this line.
func (q *queue) admit(user string, now time.Time) (began bool, err error) {
	s := q.shares[user]
	if s == nil {
		q.forgetIdle(now)
		s = &share{lines: rate.NewLimiter(shareRate, shareBurst)}
		q.shares[user] = s
	}
	s.last = now
	if !s.lastFloodLine.IsZero() {
		if now.Sub(s.lastFloodLine) < floodQuiet {
			s.lastFloodLine = now
			return false, ErrFlood
		}
		s.lastFloodLine, s.refused = time.Time{}, 0
	}
	if q.countOf(user) < maxWaitingOfOne && s.lines.AllowN(now, 1) {
		s.refused = max(0, s.refused-1)
		return false, nil
	}
	if s.refused++; s.refused > floodAfter {
		s.lastFloodLine = now
		return true, ErrFlood
	}
	return false, ErrTooMuch
}

// forgetIdle drops the shares of players who said nothing for a minute, once many are known.
func (q *queue) forgetIdle(now time.Time) {
	if len(q.shares) < maxShares {
		return
	}
	for owner, s := range q.shares {
		if now.Sub(s.last) > time.Minute {
			delete(q.shares, owner)
		}
	}
	if len(q.shares) >= maxShares { // too many at once: all begin again
		clear(q.shares)
	}
}

// admit returns an error if a line of a player is refused. Lines without an account come from this machine,
// for example from a script. They wait until there is room instead.
func (t *Table) admit(u Utterance) error {
	if u.User == "" {
		return nil
	}
	began, err := t.queue.admit(u.User, time.Now())
	if began {
		t.endFlood(u)
	}
	return err
}

// endFlood ends the waiting turns and the current answers of a player who floods the table, so that the NPCs
// are free for others.
func (t *Table) endFlood(u Utterance) {
	t.effects.notify(0, "warning", fmt.Sprintf("%s is saying far more than the table can answer; the NPCs will hear %s again after %s of quiet", u.Speaker, u.Speaker, floodQuiet))
	for _, tn := range slices.Clone(t.queue.waiting) {
		if tn.User == u.User {
			t.queue.remove(tn)
			t.turns.moveTo(tn, arrived)
			t.endUnanswered(tn, queueFullEnd)
		}
	}
	for _, tn := range t.queue.busyTurnsOf(u.User) {
		t.cutTurn(tn, queueFullEnd)
	}
}
