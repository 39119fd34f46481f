package table

import (
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// passagePhase is where an utterance stands that is being heard. What a phase
// may be left for is in passageExits; docs/table.md draws it.
type passagePhase uint8

const (
	// passageClosed: nothing of it is open or due. Without a turn it is forgotten.
	passageClosed passagePhase = iota
	// passageOpen: the player may still be speaking. If it has become a turn, that
	// is held.
	passageOpen
	// passageDue: the player has ended, and transcripts are due.
	passageDue

	passagePhases
)

var passageExits = [passagePhases][]passagePhase{
	passageClosed: {passageOpen, passageDue},
	passageOpen:   {passageDue, passageClosed},
	passageDue:    {passageOpen, passageClosed},
}

func (p passagePhase) String() string { return [passagePhases]string{"closed", "open", "due"}[p] }

// passage is an utterance of one player while it is being heard: segments that
// become one turn.
type passage struct {
	id      uint64
	phase   passagePhase
	parts   []string // what was understood of the segments, in order
	interim string   // of the segment that is not final
	due     int      // segments that have ended and have no transcript yet
	last    ear.Event

	overlap overlap
	sound   *engine.Recording // nil if no engine listens to sound
	ahead   int               // the NPC whose engine listens already, -1 if none does

	guess passageGuess
	turn  *turn  // what it became; it may yet be continued
	known string // the text that turn was given; empty before
}

// overlap is which lines a passage was voiced over.
type overlap struct {
	any     bool   // a line was audible or paused
	line    uint64 // the last that was audible
	stopped uint64 // the line its voice stopped, until it is known what it was
}

// passageGuess is the answer begun before the words of a passage were final, see [Table.guess].
type passageGuess struct {
	turn   *turn         // nil if there is none now
	begun  int           // so far
	voiced int           // of those that were dropped, how many a voice had worked on
	wasted *cost.Account // of the one dropped last
}

// text is everything understood so far.
func (p *passage) text() string { return strings.Join(p.parts, " ") }

// timing is when the words came.
func (p *passage) timing() timing {
	t := timing{since: p.last.At, endpoint: p.last.Endpoint, final: p.last.Took}
	if t.since.IsZero() {
		t.since = time.Now()
	}
	return t
}

// isPending reports whether there is more of it to come.
func (p *passage) isPending() bool { return p.phase != passageClosed }

// open records that the player speaks, or goes on.
func (p *passage) open() {
	p.phase = passageOpen
	if p.sound != nil {
		p.sound.Reopen()
	}
}

// endSegment records that the player has ended, which may be a pause.
func (p *passage) endSegment() {
	p.due++
	p.phase = passageDue
	p.endSound()
}

func (p *passage) endSound() {
	if p.sound != nil {
		p.sound.End()
	}
}

// addFinal adds the transcript of a segment, and reports whether nothing
// more is to come.
func (p *passage) addFinal(e ear.Event) (complete bool) {
	p.due = max(p.due-1, 0)
	p.interim = ""
	p.last = e
	if e.Text != "" {
		p.parts = append(p.parts, e.Text)
	}
	if p.phase == passageDue && p.due == 0 {
		p.phase = passageClosed
	}
	return p.phase == passageClosed
}

// breakOff ends it as it is, because the player is not heard any more.
func (p *passage) breakOff() {
	p.due = 0
	p.phase = passageClosed
	p.endSound()
}

// standAlone makes what follows an utterance of its own, because the turn before is heard already.
func (p *passage) standAlone() {
	*p = passage{id: p.id, phase: p.phase, due: p.due, overlap: overlap{any: p.overlap.any}, sound: p.sound, ahead: -1}
}

// sameWords reports whether two transcripts say the same, punctuation and case
// aside.
func sameWords(a, b string) bool {
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), " ")
	}
	return plain(a) == plain(b)
}
