package table

import (
	"slices"
	"time"
)

// agenda is what the table has to do later. It belongs to the table's
// goroutine and keeps one timer, for what is due first.
type agenda struct {
	entries []entry
	timer   *time.Timer
}

// entry is one thing to do; a later one of the same key takes its place.
type entry struct {
	key any
	at  time.Time
	do  func()
}

func newAgenda() agenda {
	a := agenda{timer: time.NewTimer(time.Hour)}
	a.timer.Stop()
	return a
}

// set has do done after a while, in place of what was to be done under key.
func (a *agenda) set(key any, after time.Duration, do func()) {
	a.remove(key)
	a.entries = append(a.entries, entry{key, time.Now().Add(after), do})
	a.arm()
}

// stop takes back what was to be done under key.
func (a *agenda) stop(key any) {
	if a.remove(key) {
		a.arm()
	}
}

func (a *agenda) remove(key any) bool {
	i := slices.IndexFunc(a.entries, func(e entry) bool { return e.key == key })
	if i < 0 {
		return false
	}
	a.entries = slices.Delete(a.entries, i, i+1)
	return true
}

// due receives when something is.
func (a *agenda) due() <-chan time.Time { return a.timer.C }

// run does what is due, the earliest first.
func (a *agenda) run() {
	for {
		i := a.first()
		if i < 0 || a.entries[i].at.After(time.Now()) {
			break
		}
		do := a.entries[i].do
		a.entries = slices.Delete(a.entries, i, i+1)
		do()
	}
	a.arm()
}

func (a *agenda) arm() {
	if i := a.first(); i >= 0 {
		a.timer.Reset(time.Until(a.entries[i].at))
		return
	}
	a.timer.Stop()
}

func (a *agenda) first() int {
	first := -1
	for i, e := range a.entries {
		if first < 0 || e.at.Before(a.entries[first].at) {
			first = i
		}
	}
	return first
}
