package table

import (
	"slices"
	"time"
)

// agenda holds the effects that the table has put off. It uses one timer, set for the effect that is due
// first.
type agenda struct {
	entries []entry
	timer   *time.Timer
	changed bool // since the timer was set
}

// entry is one effect that was put off.
type entry struct {
	key    any
	at     time.Time
	effect effect
}

func newAgenda() *agenda {
	a := &agenda{timer: time.NewTimer(time.Hour)}
	a.timer.Stop()
	return a
}

// put adds an effect that is due after a duration. It replaces the effect under the same key.
func (a *agenda) put(key any, after time.Duration, what effect) {
	a.remove(key)
	a.entries = append(a.entries, entry{key, time.Now().Add(after), what})
	a.changed = true
}

// remove removes the effect under key, if there is one.
func (a *agenda) remove(key any) {
	if i := slices.IndexFunc(a.entries, func(e entry) bool { return e.key == key }); i >= 0 {
		a.entries = slices.Delete(a.entries, i, i+1)
		a.changed = true
	}
}

// popDue removes and returns the effect that is due first, if one is due now.
func (a *agenda) popDue() (what effect, ok bool) {
	i := a.first()
	if i < 0 || a.entries[i].at.After(time.Now()) {
		return nil, false
	}
	what = a.entries[i].effect
	a.entries = slices.Delete(a.entries, i, i+1)
	a.changed = true
	return what, true
}

// due returns a channel that receives when an effect is due.
func (a *agenda) due() <-chan time.Time {
	if a.changed {
		a.changed = false
		if i := a.first(); i >= 0 {
			a.timer.Reset(time.Until(a.entries[i].at))
		} else {
			a.timer.Stop()
		}
	}
	return a.timer.C
}

// first returns the index of the entry that is due first, or -1 if there is none.
func (a *agenda) first() int {
	first := -1
	for i, e := range a.entries {
		if first < 0 || e.at.Before(a.entries[first].at) {
			first = i
		}
	}
	return first
}
