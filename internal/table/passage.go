package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

const (
	// maxGuesses is how often a model begins on words that are not final, for one
	// utterance.
	maxGuesses = 3
	// maxPassages is how many utterances of one player are kept in mind because
	// they may be continued.
	maxPassages = 4
)

// passage is an utterance of one player while it is being heard: segments that
// become one turn.
type passage struct {
	id      uint64
	parts   []string // what was understood of the segments, in order
	interim string   // of the segment that is not final
	open    bool     // the player may still be speaking
	due     int      // segments that have ended and have no transcript yet
	err     error    // why the last of them has none
	over    bool     // the utterance voiced over a line that was audible
	line    uint64   // the last of those lines
	stopped uint64   // the line its voice stopped, until it is known what it was
	last    ear.Event

	guess   *turn // answered before the words were final
	guesses int
	turn    *turn // what it became; it may yet be continued
	known   string
}

// text is everything understood so far.
func (s *passage) text() string { return strings.Join(s.parts, " ") }

// listen takes in what an ear heard.
func (t *Table) listen(ctx context.Context, h heard) {
	s := h.seat
	if t.seats[s.speaker] != s {
		return // it has left
	}
	switch e := h.Event; e.Kind {
	case ear.VoiceOn:
		s.voicing, t.voice = true, s.speaker
		sp := s.passage(e.Utterance)
		sp.open = true
		t.overlaps(s, sp)
		if !sp.over || !s.echoes() {
			t.floorEvent(ctx, floor.Event{Kind: floor.VoiceOn, Speaker: s.speaker})
		}
	case ear.VoiceOff:
		s.voicing = false
		t.floorEvent(ctx, floor.Event{Kind: floor.VoiceOff, Speaker: s.speaker})
		t.guess(ctx, s, s.passage(e.Utterance))
	case ear.Interim:
		sp := s.passage(e.Utterance)
		sp.interim = e.Text
		t.doubtless(ctx, s, sp, e.Text)
		t.guess(ctx, s, sp)
	case ear.Ended:
		sp := s.passage(e.Utterance)
		sp.open = false
		sp.due++
		t.floorEvent(ctx, floor.Event{Kind: floor.Quiet, Speaker: s.speaker})
		t.guess(ctx, s, sp)
	case ear.Continued:
		t.goesOn(ctx, s.passage(e.Utterance))
	case ear.Final:
		t.final(ctx, s, s.passage(e.Utterance), e)
	}
}

// passage returns the utterance of that number.
func (s *Seat) passage(id uint64) *passage {
	for _, sp := range s.passages {
		if sp.id == id {
			return sp
		}
	}
	sp := &passage{id: id}
	s.passages = append(s.passages, sp)
	if len(s.passages) > maxPassages {
		s.passages = slices.DeleteFunc(s.passages, func(old *passage) bool {
			return old.id+maxPassages <= id && old.due == 0 && !old.open
		})
	}
	return sp
}

// overlaps notes who talks over the line that is heard.
func (t *Table) overlaps(s *Seat, sp *passage) {
	if line, heard := t.floor.Speaking(); heard {
		sp.over, sp.line = true, line
	}
	if line, ok := t.floor.Paused(); ok {
		sp.over, sp.stopped = true, line
	}
}

// doubtless ends an interruption as soon as it has words.
func (t *Table) doubtless(ctx context.Context, s *Seat, sp *passage, text string) {
	if !t.meaningful(sp, text) {
		return
	}
	if t.stops(sp) || sp.over && s.echoes() && len(wordsOf(text)) >= echoWords {
		t.takeFloor(ctx, s)
	}
}

// stops reports whether the line that has the floor is the one this passage's
// voice stopped.
func (t *Table) stops(sp *passage) bool {
	line, _ := t.floor.Speaking()
	return sp.stopped != 0 && sp.stopped == line
}

// takeFloor takes the floor from the line that has it, for what a player said.
func (t *Table) takeFloor(ctx context.Context, s *Seat) {
	t.voice = s.speaker
	t.floorEvent(ctx, floor.Event{Kind: floor.Interrupt})
}

// echoes reports whether the player's microphone picks up what NPCs say.
func (s *Seat) echoes() bool { return !s.echoed.IsZero() && time.Since(s.echoed) < echoMemory }

// meaningful reports whether words are more than a sound of agreement and no
// echo of an NPC.
func (t *Table) meaningful(sp *passage, text string) bool {
	return text != "" && !t.hearing.backChannel(text) && !(sp.over && t.echo(time.Now()).hears(text))
}

// goesOn takes in that the player went on after the utterance had ended: the
// answer to it must not be heard before it is known what that was.
func (t *Table) goesOn(ctx context.Context, sp *passage) {
	sp.open = true
	tn := sp.turn
	if tn == nil {
		return
	}
	if tn.phase == undecided { // it may yet be for somebody
		t.agenda.stop(tn)
		tn.held = true
		return
	}
	if tn.phase >= speaking {
		*sp = passage{id: sp.id, open: true, due: sp.due, over: sp.over} // too late: what follows stands for itself
		return
	}
	tn.held = true
	if tn.phase == asking {
		t.move(tn, ready)
		t.floorEvent(ctx, gone(tn.attempt))
	}
}

// final takes in the transcript of a segment.
func (t *Table) final(ctx context.Context, s *Seat, sp *passage, e ear.Event) {
	sp.due = max(sp.due-1, 0)
	sp.interim = ""
	sp.last, sp.err = e, e.Err
	if e.Text != "" {
		sp.parts = append(sp.parts, e.Text)
	}
	if sp.open || sp.due > 0 {
		return // there is more to come
	}
	t.understand(ctx, s, sp)
}

// understand decides what becomes of an utterance, now that all of it is
// known.
func (t *Table) understand(ctx context.Context, s *Seat, sp *passage) {
	text := sp.text()
	switch {
	case sp.turn != nil && sp.turn.held:
		t.continued(ctx, s, sp, text)
		return
	case sp.turn != nil:
		return
	case text == "" && sp.err != nil:
		t.dropGuess(ctx, sp)
		t.pardon(ctx, s, sp)
	case text == "":
		t.dropGuess(ctx, sp)
	case sp.over && t.echo(sp.last.At).hears(text):
		t.dropGuess(ctx, sp)
		if !s.echoes() {
			t.Notice(0, "info", fmt.Sprintf("%s's microphone picks up the NPCs' own voices; that is not taken for speech", s.speaker))
		}
		s.echoed, text = time.Now(), ""
	}
	words := text != "" && !t.hearing.backChannel(text)
	switch {
	case words && (t.stops(sp) || sp.over && s.echoes()):
		t.takeFloor(ctx, s)
	case !words && t.stops(sp):
		line := sp.stopped
		if sp.stopped = 0; !t.madeOut(line) { // nobody else meant it either
			t.floorEvent(ctx, floor.Event{Kind: floor.Heard})
		}
	}
	if text != "" {
		t.spoken(ctx, s, sp, text)
	}
	if !sp.open && sp.turn == nil {
		s.forget(sp)
	}
}

func (s *Seat) forget(sp *passage) {
	s.passages = slices.DeleteFunc(s.passages, func(o *passage) bool { return o == sp })
}

// spoken gives an utterance its turn: the one that was guessed, if the guess
// was right.
func (t *Table) spoken(ctx context.Context, s *Seat, sp *passage, text string) {
	tn := &turn{
		Utterance: Utterance{Speaker: s.speaker, Text: text}, since: sp.last.At,
		endpoint: sp.last.Endpoint, final: sp.last.Took,
	}
	if tn.since.IsZero() {
		tn.since = time.Now()
	}
	sp.known = text
	if g := sp.guess; g != nil && same(g.Text, text) && t.adopt(ctx, sp, tn) {
		return
	}
	t.dropGuess(ctx, sp)
	sp.turn = tn
	t.admit(ctx, tn, true)
}

// continued takes in what the player added: nothing, more of the same, or
// something for another NPC.
func (t *Table) continued(ctx context.Context, s *Seat, sp *passage, text string) {
	tn := sp.turn
	tn.held = false
	added := strings.TrimSpace(strings.TrimPrefix(text, sp.known))
	nothing := added == "" || t.hearing.backChannel(added)
	switch {
	case nothing && tn.phase == undecided:
		t.forNobody(ctx, tn)
		return
	case nothing:
		t.release(ctx, tn)
		return
	case tn.phase == undecided:
		t.decided(tn)
		t.move(tn, arrived)
		sp.known, tn.began = text, time.Now()
		t.amend(tn, sp, text)
		t.route(ctx, tn, t.hearing.decide(tn.Utterance))
		return
	}
	d := t.hearing.decide(Utterance{Speaker: s.speaker, Text: added})
	silenced := tn.phase >= cut                                                         // meanwhile
	if silenced || d.Route == string(RouteName) && !slices.Contains(d.NPCs, tn.agent) { // "Bart, hold the door. Greta, run!"
		t.release(ctx, tn)
		sp.turn, sp.parts, sp.known = nil, []string{added}, ""
		t.spoken(ctx, s, sp, added)
		return
	}
	sp.known = text
	t.amend(tn, sp, text)
	if a := tn.attempt; a != nil {
		if len(a.found) > 0 {
			tn.npc.Found(a.found)
		}
		t.restart(ctx, tn)
	}
}

// release lets a turn be heard whose player had no more to say.
func (t *Table) release(ctx context.Context, tn *turn) {
	if a := tn.attempt; a != nil {
		t.want(ctx, a)
		t.react(ctx, a)
		t.settle(ctx, a)
	}
}

// amend gives a turn the whole of what its player said.
func (t *Table) amend(tn *turn, sp *passage, text string) {
	tn.Text, tn.since, tn.endpoint, tn.final = text, sp.last.At, sp.last.Endpoint, sp.last.Took
	t.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Spoken: true, Continued: true})
}

// pardon ends an utterance that nobody could transcribe.
func (t *Table) pardon(ctx context.Context, s *Seat, sp *passage) {
	t.turns++
	tn := &turn{Utterance: Utterance{Speaker: s.speaker}, number: t.turns, since: sp.last.At, agent: -1, route: RouteNone}
	tn.ledger.EndpointMS, tn.ledger.STTFinalMS = elapsed.Rounded(sp.last.Endpoint), elapsed.Rounded(sp.last.Took)
	t.emit(tn.number, KindUtterance, &Heard{Speaker: s.speaker, Spoken: true})
	t.ended(tn, turnEnd{OutcomeFailed, "stt", fmt.Sprintf("what %s said could not be understood: %s", s.speaker, problem.OneLine(sp.err))})
}

// same reports whether two transcripts say the same, punctuation and case
// aside.
func same(a, b string) bool {
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), " ")
	}
	return plain(a) == plain(b)
}
