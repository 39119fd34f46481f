package table

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/floor"
)

// listener takes in what is heard of players, and makes turns of it. It belongs
// to the table's goroutine.
type listener struct {
	preempts     config.Preemption // what works on words that are not final
	purse        *purse
	effects      *effects
	agenda       *agenda
	cast         *cast
	conversation *conversation
	queue        *queue
	turns        *turns
	answers      *answers
	planner      *planner
	floor        *floorControl
	remarks      *remarks

	seats     map[string]*Seat // by speaker
	lastVoice string           // who voiced last
}

// heard is what an ear told, and whose it is.
type heard struct {
	seat *Seat
	ear.Event
}

// hearEvent takes in what an ear heard.
func (l *listener) hearEvent(h heard) {
	s := h.seat
	if l.seats[s.speaker] != s {
		return // it has left
	}
	p := s.passage(h.Utterance)
	switch h.Kind {
	case ear.VoiceOn:
		s.voicing, l.lastVoice = true, s.speaker
		p.open()
		l.markOverlap(p)
		l.listenAhead(s, p)
		if !p.overlaps || !s.echoes() {
			l.floor.tell(floor.Event{Kind: floor.VoiceOn, Speaker: s.speaker})
		}
	case ear.VoiceOff:
		s.voicing = false
		l.floor.tell(floor.Event{Kind: floor.VoiceOff, Speaker: s.speaker})
		l.guess(s, p)
	case ear.Interim:
		p.interim = h.Text
		l.endDoubt(s, p)
		l.guess(s, p)
	case ear.Ended:
		p.endSegment()
		l.floor.tell(floor.Event{Kind: floor.Quiet, Speaker: s.speaker})
		l.guess(s, p)
	case ear.Continued:
		p.open()
		l.resumePassage(p)
	case ear.Final:
		if p.takeFinal(h.Event) {
			l.understand(s, p)
		}
	}
}

// leaveSeat takes in that a player is gone: what is known of the unfinished speech
// stands.
func (l *listener) leaveSeat(s *Seat) {
	if l.seats[s.speaker] != s {
		return
	}
	delete(l.seats, s.speaker)
	s.voicing = false
	for _, p := range s.passages {
		p.breakOff()
		l.understand(s, p)
	}
	s.passages = nil
	l.floor.tell(floor.Event{Kind: floor.Left, Speaker: s.speaker})
}

// markOverlap notes which line a voice is heard over.
func (l *listener) markOverlap(p *passage) {
	if line, heard := l.floor.Speaking(); heard {
		p.overlaps, p.line = true, line
	}
	if line, ok := l.floor.Paused(); ok {
		p.overlaps, p.stopped = true, line
	}
}

// markStopped notes whose voices stopped a line.
func (l *listener) markStopped(line uint64) {
	for _, s := range l.seats {
		for i, p := range s.passages {
			if s.voicing && i == len(s.passages)-1 || p.line == line && p.isPending() {
				p.stopped = line
			}
		}
	}
}

// stoppedSpeaker reports whether the line that has the floor is the one this
// passage's voice stopped.
func (l *listener) stoppedSpeaker(p *passage) bool {
	line, _ := l.floor.Speaking()
	return p.stopped != 0 && p.stopped == line
}

// awaitsWords reports whether it is yet to be known what somebody said who
// stopped a line.
func (l *listener) awaitsWords(line uint64) bool {
	for _, s := range l.seats {
		if slices.ContainsFunc(s.passages, func(p *passage) bool { return p.stopped == line && p.isPending() }) {
			return true
		}
	}
	return false
}

// anybodyVoices reports whether a player voices now.
func (l *listener) anybodyVoices() bool {
	for _, s := range l.seats {
		if s.voicing {
			return true
		}
	}
	return false
}

// endDoubt ends an interruption as soon as it has words that are more than a
// sound of agreement and no echo of an NPC.
func (l *listener) endDoubt(s *Seat, p *passage) {
	if p.interim == "" || l.conversation.isBackChannel(p.interim) || p.overlaps && l.echoUntil(time.Now()).hears(p.interim) {
		return
	}
	if l.interruptsSpeaker(s, p, p.interim) {
		l.interruptSpeaker(s)
	}
}

// interruptsSpeaker reports whether words take the floor from the line that has it: those
// of a player whose voice stopped it, or who talks over it without being taken for an echo.
func (l *listener) interruptsSpeaker(s *Seat, p *passage, words string) bool {
	if s.echoes() {
		return l.stoppedSpeaker(p) || p.overlaps && len(wordsOf(words)) >= echoWords
	}
	line, heard := l.floor.Speaking()
	return l.stoppedSpeaker(p) || heard && p.line == line
}

// interruptSpeaker takes the floor from the line that has it, for what a player said.
func (l *listener) interruptSpeaker(s *Seat) {
	l.lastVoice = s.speaker
	l.floor.tell(floor.Event{Kind: floor.Interrupt})
}

// echoUntil is what a microphone may have picked up, of somebody whose voice
// ended then.
func (l *listener) echoUntil(ended time.Time) echo {
	e := echo{lately: l.remarks.lately, ended: ended, now: time.Now()}
	line, _ := l.floor.Speaking()
	if a := l.answers.attempts[line]; a != nil && a.unsaid() != nil {
		e.saying = a.unsaid().text
	}
	return e
}

// resumePassage takes in that the player went on after the utterance had ended: the
// answer to it must not be heard before it is known what that was.
func (l *listener) resumePassage(p *passage) {
	tn := p.turn
	switch {
	case tn == nil:
	case tn.phase >= speaking:
		p.standAlone() // too late
	case tn.phase == undecided: // it may yet be for somebody
		l.agenda.remove(undecidedExpired{tn})
		tn.held = true
	default:
		l.answers.holdTurn(tn)
	}
}

// understand decides what becomes of an utterance, now that all of it is
// known.
func (l *listener) understand(s *Seat, p *passage) {
	text := p.text()
	switch {
	case p.turn != nil && p.turn.held:
		l.continueTurn(s, p, text)
		return
	case p.turn != nil:
		return
	case text == "":
		l.dropGuess(p)
		if p.last.Err != nil {
			l.turns.endUnheard(s.utterance(""), p.timing(), p.last.Err)
		}
	case p.overlaps && l.echoUntil(p.last.At).hears(text):
		l.dropGuess(p)
		if !s.echoes() {
			l.effects.notify(0, "info", fmt.Sprintf("%s's microphone picks up the NPCs' own voices; that is not taken for speech", s.speaker))
		}
		s.echoed, text = time.Now(), ""
	}
	words := text != "" && !l.conversation.isBackChannel(text)
	switch {
	case words && (l.interruptsSpeaker(s, p, text) || p.overlaps && s.echoes()):
		l.interruptSpeaker(s)
	case !words && l.stoppedSpeaker(p):
		line := p.stopped
		if p.stopped = 0; !l.awaitsWords(line) { // nobody else meant it either
			l.floor.tell(floor.Event{Kind: floor.Heard})
		}
	}
	l.effects.add(understood{s, p, text}) // once whom it interrupts is interrupted
}

// takeUtterance gives an utterance its turn, if it is one.
func (l *listener) takeUtterance(s *Seat, p *passage, text string) {
	if text != "" && l.turns.admit(s.utterance(text)) != nil { // the front is not told: a microphone has no screen
		l.dropGuess(p)
		text = ""
	}
	if text != "" {
		l.giveTurn(s, p, text)
	}
	l.declineSound(p)
	if !p.isPending() && p.turn == nil {
		s.forgetPassage(p)
	}
}

// giveTurn gives an utterance its turn: the one that was guessed, if the guess
// was right.
func (l *listener) giveTurn(s *Seat, p *passage, text string) {
	p.known = text
	if o, ok := l.readOrder(s, text); ok {
		if text = l.takeOrder(s, p, o, text); text == "" {
			return
		}
	}
	u := s.utterance(text)
	if tn := p.guess; tn != nil && sameWords(tn.Text, text) && l.answers.guessHolds(tn, u) {
		p.guess, p.turn = nil, tn
		tn.Utterance, tn.timing, tn.spoken, tn.sound = u, p.timing(), true, p.sound
		tn.dropped = p.guesses - 1
		l.answers.adoptGuess(tn)
		return
	}
	l.dropGuess(p)
	p.turn = &turn{Utterance: u, timing: p.timing(), spoken: true, sound: p.sound, dropped: p.guesses, wasted: p.wasted}
	l.turns.admitUtterance(p.turn)
}

// timing is when the words came.
func (p *passage) timing() timing {
	t := timing{since: p.last.At, endpoint: p.last.Endpoint, final: p.last.Took}
	if t.since.IsZero() {
		t.since = time.Now()
	}
	return t
}

// continueTurn takes in what the player added: nothing, more of the same, or
// something for another NPC.
func (l *listener) continueTurn(s *Seat, p *passage, text string) {
	tn := p.turn
	tn.held = false
	added := strings.TrimSpace(strings.TrimPrefix(text, p.known))
	nothing := added == "" || l.conversation.isBackChannel(added)
	if o, ok := l.readOrder(s, added); ok {
		added = l.takeOrder(s, p, o, added)
		text = strings.TrimSpace(p.known + " " + added)
		p.parts, nothing = []string{text}, added == ""
	}
	switch {
	case nothing && tn.phase == undecided:
		l.turns.endUndecided(tn)
		return
	case nothing:
		l.answers.releaseTurn(tn)
		return
	case tn.phase == undecided:
		p.known = text
		l.turns.extendTurn(tn, text, p.timing())
		l.turns.decideAnew(tn)
		return
	}
	if d := l.conversation.decideAddressee(tn.number, s.utterance(text)); slices.Contains(d.NotFor, tn.agent) && tn.mayRedirect() {
		p.known = text
		l.turns.extendTurn(tn, text, p.timing())
		l.turns.redirectTurn(tn, d)
		return
	}
	d := l.conversation.decideAddressee(tn.number, s.utterance(added))
	silenced := tn.phase >= cut // meanwhile
	// "Bart, hold the door. Greta, run!" Or: "Bart, hold the door. Tom, is that a check?"
	if silenced || d.Elsewhere || d.Route == string(RouteName) && !slices.Contains(d.NPCs, tn.agent) {
		l.answers.releaseTurn(tn)
		p.turn, p.parts, p.known = nil, []string{added}, ""
		l.giveTurn(s, p, added)
		return
	}
	p.known = text
	if d.Called { // by what was added
		tn.mayDecline = false
	}
	l.turns.extendTurn(tn, text, p.timing())
	if a := tn.attempt; a != nil {
		if len(a.found) > 0 {
			tn.npc.RememberFindings(a.found)
		}
		l.answers.answerAnew(tn)
	}
}

// sealUtterance has what a turn answers stand as it ended: the answer is heard, or there
// is none. An utterance that goes on already goes on.
func (l *listener) sealUtterance(tn *turn) {
	for _, s := range l.seats {
		for _, p := range s.passages {
			if p.turn == tn && !p.isPending() {
				s.ear.Seal(p.id)
			}
		}
	}
}

// forgetTurn forgets passages whose turn is over, unless they go on.
func (l *listener) forgetTurn(tn *turn) {
	for _, s := range l.seats {
		for _, p := range s.passages {
			if p.turn == tn {
				l.declineSound(p)
			}
		}
		s.passages = slices.DeleteFunc(s.passages, func(p *passage) bool { return p.turn == tn && !p.isPending() })
	}
}
