package table

import (
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// passagePhase is the state of an utterance that is being heard. passageExits lists the phases that follow
// each; docs/table.md draws them.
type passagePhase uint8

const (
	// passageClosed: the player has finished and no transcript is due. A passage without a turn is then
	// forgotten.
	passageClosed passagePhase = iota
	// passageOpen: the player may still be speaking. If the passage has a turn, that turn is held.
	passageOpen
	// passageDue: the player has finished, and transcripts are due.
	passageDue

	passagePhases
)

var passageExits = [passagePhases][]passagePhase{
	passageClosed: {passageOpen, passageDue},
	passageOpen:   {passageDue, passageClosed},
	passageDue:    {passageOpen, passageClosed},
}

func (p passagePhase) String() string { return [passagePhases]string{"closed", "open", "due"}[p] }

// passage is an utterance of one player while it is being heard. Its segments become one turn.
type passage struct {
	id            uint64
	phase         passagePhase
	parts         []string // transcripts of the segments, in order
	interim       string   // of the segment whose transcript is not final
	pendingFinals int      // ended segments without a transcript
	last          ear.Event

	overlap      overlap
	sound        *engine.Recording // nil if no engine listens to sound
	listeningNPC int               // the NPC whose engine listens already, -1 if none does

	guess    passageGuess
	turn     *turn  // the turn it became, which may still be continued
	turnText string // the text that the turn was given; empty before
}

// overlap records which lines a passage was spoken over.
type overlap struct {
	any         bool   // a line was audible or paused
	line        uint64 // the last line that was audible
	stoppedLine uint64 // the line that its voice stopped, until its words are known
}

// passageGuess is the answer started before the words of a passage were final, see [Table.guess].
type passageGuess struct {
	turn           *turn         // nil if there is none now
	count          int           // guesses so far
	synthesized    int           // dropped guesses that a voice had worked on
	droppedAccount *cost.Account // account of the last dropped guess
}

// text returns everything recognised so far.
func (p *passage) text() string { return strings.Join(p.parts, " ") }

// timing returns when the words came.
func (p *passage) timing() timing {
	t := timing{since: p.last.At, endpoint: p.last.Endpoint, final: p.last.Took}
	if t.since.IsZero() {
		t.since = time.Now()
	}
	return t
}

// isPending reports whether more of the passage is to come.
func (p *passage) isPending() bool { return p.phase != passageClosed }

// open records that the player speaks or goes on.
func (p *passage) open() {
	p.phase = passageOpen
	if p.sound != nil {
		p.sound.Reopen()
	}
}

// endSegment records that the player has stopped speaking, which may be a pause.
func (p *passage) endSegment() {
	p.pendingFinals++
	p.phase = passageDue
	p.endSound()
}

func (p *passage) endSound() {
	if p.sound != nil {
		p.sound.End()
	}
}

// addFinal adds the transcript of a segment, and reports whether the passage is complete.
func (p *passage) addFinal(e ear.Event) (complete bool) {
	p.pendingFinals = max(p.pendingFinals-1, 0)
	p.interim = ""
	p.last = e
	if e.Text != "" {
		p.parts = append(p.parts, e.Text)
	}
	if p.phase == passageDue && p.pendingFinals == 0 {
		p.phase = passageClosed
	}
	return p.phase == passageClosed
}

// abort ends the passage as it is, because the player is no longer heard.
func (p *passage) abort() {
	p.pendingFinals = 0
	p.phase = passageClosed
	p.endSound()
}

// detachTurn makes the rest of the passage a new utterance, because its turn is already being heard.
func (p *passage) detachTurn() {
	*p = passage{id: p.id, phase: p.phase, pendingFinals: p.pendingFinals, overlap: overlap{any: p.overlap.any}, sound: p.sound, listeningNPC: -1}
}

// sameWords reports whether two transcripts have the same words, apart from punctuation and case.
func sameWords(a, b string) bool {
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), " ")
	}
	return plain(a) == plain(b)
}
