package discord

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// maxUnheard bounds the messages that wait for the table; beyond that they are
	// dropped, and somebody is told.
	maxUnheard = 64
	// maxUnheardOfOne bounds those of one player, so that the others are heard whatever
	// one of them does.
	maxUnheardOfOne = maxUnheard / 4
	// maxUnchanged bounds the edits and deletions that wait for the table; beyond
	// that they are dropped, and somebody is told.
	maxUnchanged = 1024
	// tellAgain is how long a player is not told once more that messages are dropped.
	tellAgain = 30 * time.Second
)

// message is what a player wrote.
type message struct {
	id, user, speaker, text string
	leads                   bool // a DM wrote it
}

// utterance is a message as the table hears it.
func (m message) utterance() table.Utterance {
	return table.Utterance{Speaker: m.speaker, Text: m.text, User: play.UserRef(Front, m.user), Ref: m.id, Leads: m.leads}
}

// change is another text for a message; without one the message is taken back.
type change struct{ id, text string }

// inbox holds what players wrote until the table has heard it, and what they
// changed of what it has heard. Its methods do not wait and are safe for
// concurrent use.
type inbox struct {
	arrived chan struct{} // receives when there is a message
	changed chan struct{} // receives when there is a change

	mu      sync.Mutex // guards the fields below
	waiting []message
	taken   message // that the table is taking in now
	changes []change
	order   table.Rotation       // of the players
	told    map[string]time.Time // when players were told that messages of theirs are dropped
	lost    bool                 // the last change was dropped
	// Messages that came, or that were changed before they came; what is noted is
	// the text they have then.
	recent recentIDs
}

func newInbox() *inbox {
	return &inbox{arrived: make(chan struct{}, 1), changed: make(chan struct{}, 1), told: map[string]time.Time{}}
}

// arrivedMark stands in recent for a message that came; no text has it.
const arrivedMark = "\x00"

// addMessage adds a message, once however often the gateway tells of it. It reports whether
// it is dropped, and its player to be told.
func (b *inbox) addMessage(m message) (dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, known := b.recent.find(m.id)
	b.recent.note(m.id, arrivedMark)
	switch {
	case known && (text == arrivedMark || text == ""): // again, or deleted since
		return false
	case known:
		m.text = text
	}
	if len(b.waiting) >= maxUnheard || b.countOf(m.user) >= maxUnheardOfOne {
		return b.tells(m.user)
	}
	b.waiting = append(b.waiting, m)
	wakeup.Signal(b.arrived)
	return false
}

// tells reports whether a player is told now that messages are dropped. It is called with mu
// held.
func (b *inbox) tells(user string) bool {
	if time.Since(b.told[user]) < tellAgain {
		return false
	}
	if len(b.told) > maxUnheard { // some may be told once more
		clear(b.told)
	}
	b.told[user] = time.Now()
	return true
}

// refuseTaken says that the table refuses the message that was taken. It reports whether its
// player is to be told.
func (b *inbox) refuseTaken() bool {
	b.mu.Lock()
	user := b.taken.user
	b.mu.Unlock()
	b.confirmTaken()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tells(user)
}

// countOf counts the messages of a player that wait.
func (b *inbox) countOf(user string) (n int) {
	for _, m := range b.waiting {
		if m.user == user {
			n++
		}
	}
	return n
}

// changeMessage gives a message another text; none takes it back. It reports whether
// it is the first change to be dropped.
func (b *inbox) changeMessage(id, text string) (dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if note, _ := b.recent.find(id); note != arrivedMark { // the gateway told of the change first
		b.recent.note(id, text)
	}
	for i := range b.waiting {
		if b.waiting[i].id == id {
			b.waiting[i].text = text
			return false
		}
	}
	if i := b.findChange(id); i >= 0 {
		b.changes[i].text = text
		return false
	}
	full := len(b.changes) >= maxUnchanged
	dropped = full && !b.lost
	b.lost = full
	if !full {
		b.changes = append(b.changes, change{id, text})
		wakeup.Signal(b.changed)
	}
	return dropped
}

// dropUser takes back what a user wrote and the table has not heard.
func (b *inbox) dropUser(user string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(m message) bool { return m.user == user })
	if b.taken.user == user && user != "" {
		b.changes = append(b.changes, change{id: b.taken.id}) // one at most
		wakeup.Signal(b.changed)
	}
}

// takeMessage takes the oldest message, players taking turns, false if there is none. It is taken until
// confirmTaken or returnTaken.
func (b *inbox) takeMessage() (message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) > 0 {
		i := b.order.Next(len(b.waiting), func(i int) string { return b.waiting[i].user })
		m := b.waiting[i]
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.order.Record(m.user)
		if strings.TrimSpace(m.text) != "" {
			b.taken = m
			return m, true
		}
	}
	return message{}, false
}

// confirmTaken says that the table has the message that was taken.
func (b *inbox) confirmTaken() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = message{}
	if len(b.changes) > 0 {
		wakeup.Signal(b.changed)
	}
}

// returnTaken says that the table does not have the message that was taken.
func (b *inbox) returnTaken() {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.taken
	b.taken = message{}
	if i := b.findChange(m.id); i >= 0 {
		m.text = b.changes[i].text
		b.changes = slices.Delete(b.changes, i, i+1)
	}
	b.waiting = append([]message{m}, b.waiting...)
}

// findChange returns where the change of a message is, -1 if there is none.
func (b *inbox) findChange(id string) int {
	return slices.IndexFunc(b.changes, func(c change) bool { return c.id == id })
}

// takeChange takes the oldest change of what the table has heard, false if there
// is none. That of a message the table is taking in comes later.
func (b *inbox) takeChange() (change, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.changes, func(c change) bool { return c.id != b.taken.id })
	if i < 0 {
		return change{}, false
	}
	c := b.changes[i]
	b.changes = slices.Delete(b.changes, i, i+1)
	return c, true
}

// returnChange puts back a change that was not made, unless there is a newer one.
func (b *inbox) returnChange(c change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.findChange(c.id) < 0 {
		b.changes = append(b.changes, c)
	}
}

// takeRest takes all messages that the table has not heard, the oldest first.
func (b *inbox) takeRest() (all []table.Utterance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.waiting {
		if strings.TrimSpace(m.text) != "" {
			all = append(all, m.utterance())
		}
	}
	b.waiting = nil
	return all
}
