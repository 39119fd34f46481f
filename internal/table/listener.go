package table

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
)

// earEvent is an event of an ear, with its seat.
type earEvent struct {
	seat *Seat
	ear.Event
}

// handleEarEvent handles an event of an ear.
func (t *Table) handleEarEvent(h earEvent) {
	s := h.seat
	if t.seats.bySpeaker[s.speaker] != s {
		return // it has left
	}
	p := s.passage(h.Utterance)
	switch h.Kind {
	case ear.VoiceOn:
		s.speaking, t.seats.lastSpeaker = true, s.speaker
		p.open()
		t.markOverlap(p)
		t.listenAhead(s, p)
		if !p.overlap.any || !s.hasEcho() {
			t.floor.handle(floor.Event{Kind: floor.VoiceOn, Speaker: s.speaker})
		}
	case ear.VoiceOff:
		s.speaking = false
		t.floor.handle(floor.Event{Kind: floor.VoiceOff, Speaker: s.speaker})
		t.guess(s, p)
	case ear.Interim:
		p.interim = h.Text
		t.stopOverlappedLine(s, p)
		t.guess(s, p)
	case ear.Ended:
		p.endSegment()
		t.floor.handle(floor.Event{Kind: floor.Quiet, Speaker: s.speaker})
		t.guess(s, p)
	case ear.Continued:
		p.open()
		t.resumePassage(p)
	case ear.Final:
		if p.addFinal(h.Event) {
			t.completeUtterance(s, p)
		}
	}
}

// removeSeat removes the seat of a player who has left. Words that have a transcript become a turn.
func (t *Table) removeSeat(s *Seat) {
	if t.seats.bySpeaker[s.speaker] != s {
		return
	}
	delete(t.seats.bySpeaker, s.speaker)
	s.speaking = false
	for _, p := range s.passages {
		p.abort()
		t.completeUtterance(s, p)
	}
	s.passages = nil
	t.floor.handle(floor.Event{Kind: floor.PlayerLeft, Speaker: s.speaker})
}

// markOverlap records which line a voice is heard over.
func (t *Table) markOverlap(p *passage) {
	if line, heard := t.floor.Speaking(); heard {
		p.overlap.any, p.overlap.line = true, line
	}
	if line, ok := t.floor.Paused(); ok {
		p.overlap.any, p.overlap.stoppedLine = true, line
	}
}

// hasStoppedLine reports whether the line that has the floor was stopped by this passage's voice.
func (t *Table) hasStoppedLine(p *passage) bool {
	line, _ := t.floor.Speaking()
	return p.overlap.stoppedLine != 0 && p.overlap.stoppedLine == line
}

// stopOverlappedLine stops a line as soon as words are recognised over it that are more than assent and no echo of an
// NPC. Whether they end the line is decided once all words are known.
func (t *Table) stopOverlappedLine(s *Seat, p *passage) {
	if p.interim == "" {
		return
	}
	a := t.overlappedAttempt(s, p, p.interim, false)
	if a == nil || t.floor.Stopping(a.id) || t.possibleEcho(time.Now()).matches(p.interim) {
		return
	}
	if uptake, answers := t.conversation.classifyReply(p.interim, a.recentText()); uptake != address.Assent || answers {
		t.seats.lastSpeaker = s.speaker
		t.floor.handle(floor.Event{Kind: floor.PossiblyMeant})
	}
}

// possibleEcho returns the NPCs' words that a player's microphone may have picked up. ended is when the
// player's voice ended.
func (t *Table) possibleEcho(ended time.Time) echo {
	e := echo{recent: t.recentSpeech.remarks.recent, ended: ended, now: time.Now()}
	line, _ := t.floor.Speaking()
	if a := t.turns.attempts[line]; a != nil && a.currentSentence() != nil {
		e.playing = a.currentSentence().text
	}
	return e
}

// resumePassage handles a player going on after the utterance had ended: the answer must not be heard before
// the rest is known.
func (t *Table) resumePassage(p *passage) {
	tn := p.turn
	switch {
	case tn == nil:
	case tn.phase >= speaking:
		p.detachTurn() // too late
	case tn.phase == weighed: // the whole utterance is to be judged
		t.dropRelevanceCheck(tn)
		t.turns.moveTo(tn, undecided)
		t.turns.undecided = append(t.turns.undecided, tn)
		tn.words.playerSpeaking = true
	case tn.phase == undecided: // the rest may be for an NPC
		t.agenda.remove(undecidedExpired{tn})
		tn.words.playerSpeaking = true
	default:
		t.suspendAnswer(tn)
	}
}

// completeUtterance decides what happens to an utterance when all of its words are known: whether it is an echo,
// which line it interrupts, and whether it continues a turn or becomes one.
func (t *Table) completeUtterance(s *Seat, p *passage) {
	text := p.text()
	switch {
	case p.turn != nil && p.turn.words.playerSpeaking:
		t.effects.add(utteranceContinued{s, p, text, t.resolveOverlap(s, p, text)})
		return
	case p.turn != nil:
		return
	case text == "":
		t.dropGuess(p)
		if p.last.Err != nil {
			t.endUntranscribed(s.utterance(""), p.timing(), p.last.Err)
		}
	case p.overlap.any && t.possibleEcho(p.last.At).matches(text):
		t.dropGuess(p)
		if !s.hasEcho() {
			t.effects.notify(0, "info", fmt.Sprintf("%s's microphone picks up the NPCs' voices; the table ignores them, but headphones help", s.speaker))
		}
		s.lastEcho, text = time.Now(), ""
	}
	t.effects.add(utteranceComplete{s, p, text, t.resolveOverlap(s, p, text)}) // after the interruption
}

// resolveOverlap decides how an utterance affects the line it was said over: the line ends, waits for its NPC's
// model, or goes on.
func (t *Table) resolveOverlap(s *Seat, p *passage, text string) (j overlapDecision) {
	if a := t.overlappedAttempt(s, p, text, true); a != nil && text != "" {
		number := int64(0)
		if p.turn != nil {
			number = p.turn.number
		}
		j = t.decideOverlap(a, number, s.utterance(text))
		t.applyOverlap(j, s.speaker)
	}
	if line := p.overlap.stoppedLine; t.hasStoppedLine(p) && j.lineEffect <= lineContinues {
		p.overlap.stoppedLine = 0
		t.resumeLine(line)
	}
	return j
}

// acceptUtterance gives an utterance its turn, unless its words are refused, an order or an echo.
func (t *Table) acceptUtterance(s *Seat, p *passage, text string, j overlapDecision) {
	if text != "" && t.admit(s.utterance(text)) != nil { // no error is returned, because a microphone has no screen
		t.dropGuess(p)
		text = ""
	}
	if text != "" {
		t.assignTurn(s, p, text, j)
	}
	t.declineSound(p)
	if !p.isPending() && p.turn == nil {
		s.removePassage(p)
	}
}

// assignTurn gives an utterance its turn. It adopts the guess if that was right.
func (t *Table) assignTurn(s *Seat, p *passage, text string, j overlapDecision) {
	p.turnText = text
	if o, ok := t.readOrder(s, text); ok {
		if text = t.acceptOrder(s, p, o, text); text == "" {
			return
		}
	}
	u := s.utterance(text)
	if tn := p.guess.turn; tn != nil && sameWords(tn.Text, text) && t.guessStillValid(tn, u) {
		p.guess.turn, p.turn = nil, tn
		tn.Utterance, tn.words.timing, tn.words.spoken, tn.words.sound = u, p.timing(), true, p.sound
		tn.guesses.dropped = p.guess.count - 1
		t.adoptGuess(tn)
		return
	}
	t.dropGuess(p)
	p.turn = newTurn(lineTurn, u, time.Time{})
	p.turn.words = words{timing: p.timing(), spoken: true, sound: p.sound}
	p.turn.guesses = guesses{dropped: p.guess.count, droppedAccount: p.guess.droppedAccount}
	t.admitUtterance(p.turn, j)
}

// continueTurn handles what the player added: nothing, more of the same, or something for another NPC.
func (t *Table) continueTurn(s *Seat, p *passage, text string, j overlapDecision) {
	tn := p.turn
	tn.words.playerSpeaking = false
	added := strings.TrimSpace(strings.TrimPrefix(text, p.turnText))
	nothing := added == "" || t.conversation.isBackChannel(added)
	if o, ok := t.readOrder(s, added); ok {
		added = t.acceptOrder(s, p, o, added)
		text = strings.TrimSpace(p.turnText + " " + added)
		p.parts, nothing = []string{text}, added == ""
	}
	switch {
	case nothing && tn.phase == undecided && tn.addressee.index >= 0: // it was being weighed
		t.rerouteContinued(tn, j)
		return
	case nothing && tn.phase == undecided:
		t.endUndecided(tn)
		return
	case nothing:
		t.resumeAnswer(tn)
		return
	case tn.phase == undecided || tn.phase == doubted:
		p.turnText = text
		t.extendTurn(tn, text, p.timing())
		t.rerouteContinued(tn, j)
		return
	}
	if d := t.conversation.decideAddressee(tn.number, s.utterance(text)); slices.Contains(d.NotFor, tn.addressee.index) && tn.mayRedirect() {
		p.turnText = text
		t.extendTurn(tn, text, p.timing())
		t.redirectTurn(tn, d)
		return
	}
	d := t.conversation.decideAddressee(tn.number, s.utterance(added))
	silenced := tn.phase >= cut // meanwhile
	// "Bart, hold the door. Greta, run!" Or: "Bart, hold the door. Tom, is that a check?"
	if silenced || d.Elsewhere || d.Route == string(RouteName) && !slices.Contains(d.NPCs, tn.addressee.index) {
		t.resumeAnswer(tn)
		p.turn, p.parts, p.turnText = nil, []string{added}, ""
		t.assignTurn(s, p, added, overlapDecision{})
		return
	}
	p.turnText = text
	if d.Called { // called by the added words
		tn.addressee.mayDecline = false
	}
	t.extendTurn(tn, text, p.timing())
	if a := tn.attempt; a != nil {
		if len(a.basis.toolResults) > 0 {
			tn.addressee.agent.RememberFindings(a.basis.toolResults)
		}
		t.restartAnswer(tn)
	}
}

// forgetTurn forgets the passages of a turn that is over, unless they go on.
func (t *Table) forgetTurn(tn *turn) {
	for _, s := range t.seats.bySpeaker {
		for _, p := range s.passages {
			if p.turn == tn {
				t.declineSound(p)
			}
		}
		s.passages = slices.DeleteFunc(s.passages, func(p *passage) bool { return p.turn == tn && !p.isPending() })
	}
}

// listenAhead lets the engine of the likely addressee listen to a player, if it can, so that less work is
// left once the addressee is known.
func (t *Table) listenAhead(s *Seat, p *passage) {
	if p.sound == nil || p.listeningNPC >= 0 || p.turn != nil {
		return
	}
	npc := t.conversation.likelyAddressee(s.speaker)
	if npc < 0 {
		return
	}
	a := t.cast.agents[npc]
	if a.NPC.Engine != config.EngineS2S || a.Muted {
		return
	}
	p.listeningNPC = npc
	t.effects.add(listenAhead{engine.Ahead{NPC: a.NPC, Messages: a.Snapshot().Conversation(), Edits: a.Edits(), Tools: t.planner.lowestToolset(a.NPC), Sound: p.sound}})
}

// declineSound reports to an engine that the sound it listened to was not for its NPC, once that is certain.
func (t *Table) declineSound(p *passage) {
	tn := p.turn
	switch {
	case p.listeningNPC < 0 || p.isPending():
		return
	case tn != nil && (tn.addressee.index == p.listeningNPC || tn.phase == undecided):
		return // it was, or may still be
	}
	t.effects.add(declineSound{t.cast.agents[p.listeningNPC].NPC, p.sound})
	p.listeningNPC = -1
}
