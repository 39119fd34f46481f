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
	// maxUnheard bounds the messages waiting for the table. More are dropped with a notice.
	maxUnheard = 64
	// maxUnheardOfOne bounds those of one player, so that one player cannot crowd out the others.
	maxUnheardOfOne = maxUnheard / 4
	// maxUnchanged bounds the edits and deletions waiting for the table. More are dropped with a notice.
	maxUnchanged = 1024
	// notifyInterval is the minimum interval between two notices to a player about dropped messages.
	notifyInterval = 30 * time.Second
)

// message is a player's message.
type message struct {
	id, user, speaker, text string
	leads                   bool // a DM wrote it
}

// utterance converts a message for the table.
func (m message) utterance() table.Utterance {
	return table.Utterance{Speaker: m.speaker, Text: m.text, User: play.UserRef(Front, m.user), Ref: m.id, Leads: m.leads}
}

// change is a new text for a message; an empty text takes the message back.
type change struct{ id, text string }

// inbox queues players' messages until the table has heard them, and changes to messages it has heard. Its
// methods do not block and are safe for concurrent use.
type inbox struct {
	arrived chan struct{} // receives when there is a message
	changed chan struct{} // receives when there is a change

	mu            sync.Mutex // guards the fields below
	waiting       []message
	inFlight      message // being passed to the table now
	changes       []change
	order         table.Rotation       // alternates between players
	notifiedAt    map[string]time.Time // when players were told about dropped messages
	changeDropped bool                 // the last change was dropped
	// Messages that arrived, or that were changed before they arrived, with the changed text.
	recent recentIDs
}

func newInbox() *inbox {
	return &inbox{arrived: make(chan struct{}, 1), changed: make(chan struct{}, 1), notifiedAt: map[string]time.Time{}}
}

// arrivedMark marks a message in recent that has arrived; no text equals it.
const arrivedMark = "\x00"

// addMessage queues a message, once even if the gateway repeats it. It reports whether the message was
// dropped and the player should be told.
func (b *inbox) addMessage(m message) (dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, known := b.recent.find(m.id)
	b.recent.record(m.id, arrivedMark)
	switch {
	case known && (text == arrivedMark || text == ""): // a repetition, or a message that was already deleted
		return false
	case known:
		m.text = text
	}
	if len(b.waiting) >= maxUnheard || b.countOf(m.user) >= maxUnheardOfOne {
		return b.shouldNotify(m.user)
	}
	b.waiting = append(b.waiting, m)
	wakeup.Signal(b.arrived)
	return false
}

// shouldNotify reports whether to tell a player now that messages are dropped. The caller must hold mu.
func (b *inbox) shouldNotify(user string) bool {
	if time.Since(b.notifiedAt[user]) < notifyInterval {
		return false
	}
	if len(b.notifiedAt) > maxUnheard { // some players may be told again early
		clear(b.notifiedAt)
	}
	b.notifiedAt[user] = time.Now()
	return true
}

// dropInFlight drops the taken message because the table refused it. It reports whether to tell its player.
func (b *inbox) dropInFlight() bool {
	b.mu.Lock()
	user := b.inFlight.user
	b.mu.Unlock()
	b.confirmInFlight()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shouldNotify(user)
}

// countOf counts the waiting messages of a player.
func (b *inbox) countOf(user string) (n int) {
	for _, m := range b.waiting {
		if m.user == user {
			n++
		}
	}
	return n
}

// changeMessage changes a message's text; "" takes it back. It reports whether this is the first change to be
// dropped.
func (b *inbox) changeMessage(id, text string) (dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if note, _ := b.recent.find(id); note != arrivedMark { // the change arrived before the message
		b.recent.record(id, text)
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
	dropped = full && !b.changeDropped
	b.changeDropped = full
	if !full {
		b.changes = append(b.changes, change{id, text})
		wakeup.Signal(b.changed)
	}
	return dropped
}

// dropUser drops a user's messages that the table has not heard.
func (b *inbox) dropUser(user string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(m message) bool { return m.user == user })
	if b.inFlight.user == user && user != "" {
		b.changes = append(b.changes, change{id: b.inFlight.id}) // at most one above the limit
		wakeup.Signal(b.changed)
	}
}

// popMessage takes the next message, alternating between players, or returns false if there is none. The
// message is taken until confirmInFlight or requeueInFlight.
func (b *inbox) popMessage() (message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) > 0 {
		i := b.order.Next(len(b.waiting), func(i int) string { return b.waiting[i].user })
		m := b.waiting[i]
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.order.Record(m.user)
		if strings.TrimSpace(m.text) != "" {
			b.inFlight = m
			return m, true
		}
	}
	return message{}, false
}

// confirmInFlight records that the table has the taken message.
func (b *inbox) confirmInFlight() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight = message{}
	if len(b.changes) > 0 {
		wakeup.Signal(b.changed)
	}
}

// requeueInFlight puts the taken message back, because the table does not have it.
func (b *inbox) requeueInFlight() {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.inFlight
	b.inFlight = message{}
	if i := b.findChange(m.id); i >= 0 {
		m.text = b.changes[i].text
		b.changes = slices.Delete(b.changes, i, i+1)
	}
	b.waiting = append([]message{m}, b.waiting...)
}

// findChange returns the index of a message's change, or -1.
func (b *inbox) findChange(id string) int {
	return slices.IndexFunc(b.changes, func(c change) bool { return c.id == id })
}

// popChange takes the oldest change, or returns false if there is none. It skips a change of the message
// being passed to the table.
func (b *inbox) popChange() (change, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.changes, func(c change) bool { return c.id != b.inFlight.id })
	if i < 0 {
		return change{}, false
	}
	c := b.changes[i]
	b.changes = slices.Delete(b.changes, i, i+1)
	return c, true
}

// requeueChange puts back a change that was not made, unless there is a newer one.
func (b *inbox) requeueChange(c change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.findChange(c.id) < 0 {
		b.changes = append(b.changes, c)
	}
}

// drain takes all messages that the table has not heard, in order.
func (b *inbox) drain() (all []table.Utterance) {
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
