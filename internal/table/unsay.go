package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxRetractable is how many of the NPCs' last lines may be taken back.
	maxRetractable = 50
	// maxRepeats is how often an NPC may be asked to answer the same line again.
	maxRepeats = 3
)

// ErrNotRetractable means that an NPC's line cannot be taken back or answered again. The error it is wrapped with
// gives the reason.
var ErrNotRetractable = errors.New("the line stands")

// RetractionRequest is a request to take back an NPC's answer.
type RetractionRequest struct {
	// Turn is the turn in which it was said. If zero, the last line of NPC is meant, or of any NPC if NPC is
	// empty.
	Turn int64
	NPC  string
	// By is the person who requests it, as in [Utterance.User]. Leads says that this person leads the game and
	// may take back any line. Other players may take back only the last answer to them.
	By    string
	Leads bool
	// Again makes the NPC answer the same utterance again, differently.
	Again bool
}

// RetractAnswer takes back an NPC's answer in a turn. If the NPC is still speaking, it stops. The answer is deleted
// from the log, and no NPC is given it from now on; the player's line stays. With [Unsaying.Again] the NPC
// answers that line again in a new turn. If the answer cannot be taken back or given again, nothing changes
// and the error is [ErrNotRetractable]. [Unsaid] is emitted at once, and [Erased] once the log has changed. Then RetractAnswer
// returns a sentence that describes the change.
func (t *Table) RetractAnswer(ctx context.Context, u RetractionRequest) (said string, err error) {
	done := make(chan error, 1)
	err = t.order(ctx, func() error {
		l, err := t.recentSpeech.lines.findRequested(u, t.cast)
		if err == nil {
			err = t.recentSpeech.lines.checkRetraction(l, u)
		}
		if err == nil && u.Again {
			err = t.checkRepeat(l)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotRetractable, err)
		}
		t.retractLine(l, u, done)
		said = t.cast.agents[l.npc].NPC.Name + " never said that"
		if u.Again {
			said += ", and is asked again"
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return said, awaitError(ctx, done)
}

// findRequested returns the line that u refers to.
func (s *spokenLines) findRequested(u RetractionRequest, c *cast) (*spokenLine, error) {
	if u.Turn != 0 {
		return s.find(func(l *spokenLine) bool { return l.turn == u.Turn })
	}
	who := c.present()
	if u.NPC != "" {
		var err error
		if who, err = c.findNPCs(u.NPC); err != nil {
			return nil, err
		}
	}
	return s.find(func(l *spokenLine) bool { return !l.retracted && slices.Contains(who, l.npc) })
}

// checkRepeat returns why an NPC cannot answer a line again, nil if it can.
func (t *Table) checkRepeat(l *spokenLine) error {
	a := t.cast.agents[l.npc]
	switch {
	case l.secret: // everyone would hear the new answer
		return errors.New("it answers a whisper; whisper again instead")
	case l.utterance.Text == "":
		return errors.New("it answers nothing that could be asked again")
	case len(l.again.rejected) >= maxRepeats:
		return fmt.Errorf("it has already been asked again %d times", maxRepeats)
	case len(l.again.rejected) > 0 && t.turns.open[l.turn] != nil:
		return errors.New("the new answer is not finished yet")
	case a.Left:
		return fmt.Errorf("%s is no longer at the table", a.NPC.Name)
	case a.Muted:
		return fmt.Errorf("%s is silent now", a.NPC.Name)
	case t.queue.isFull():
		return errors.New("too many lines are waiting for an answer; try again in a moment")
	}
	return nil
}

// retractLine takes a line back: in its turn and in memory at once, then in the log. done must have room; it
// receives the error of changing the log.
func (t *Table) retractLine(l *spokenLine, u RetractionRequest, done chan<- error) {
	l.retracted = true
	a := t.cast.agents[l.npc]
	ref := answerRef(l.turn)
	w := &logEdit{
		result: done, erasure: &erasure{turn: l.turn, npc: a.NPC.Name},
		editPending: func(said *memory.Line) bool { return said.NPC == "" || said.Ref != ref },
		editLog: func(ctx context.Context) error {
			_, err := t.o.Log.Retract(ctx, t.o.Session.ID, ref)
			return err
		},
	}
	t.transcript.erasing++
	if tn := t.turns.open[l.turn]; tn != nil {
		tn.retention.answerRetracted = true
		if at := tn.attempt; at != nil {
			at.basis.dropResults()
		}
		w.waitFor = append(w.waitFor, tn.whenEnded())
		t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
	}
	t.transcript.dropAnswer(l.turn)
	a.RetractTurn(l.turn, l.answer)
	t.dropGuesses()
	t.startEdit(w)
	t.effects.emit(l.turn, KindUnsaid, &Unsaid{NPC: a.NPC.Name, By: u.By, Again: u.Again})
	if u.Again {
		t.startRepeat(l)
	}
}

// erasure is the result of an edit that deletes an NPC's answer from the log.
type erasure struct {
	turn int64
	npc  string
	err  error
}

// handleErasure emits [Erased] once the log has changed. If the change failed, Unsay returns the error.
func (t *Table) handleErasure(e *erasure) {
	t.transcript.erasing--
	if e.err == nil {
		t.effects.emit(e.turn, KindErased, &Erased{NPC: e.npc})
	}
}

// startRepeat gives a line another turn, in which the NPC answers it differently.
func (t *Table) startRepeat(l *spokenLine) {
	now := time.Now()
	tn := newTurn(repeatTurn, l.utterance, now)
	tn.number, tn.words.knownAt, tn.addressee.route = t.turns.nextNumber(), now, RouteAgain
	tn.again = repeat{first: l.again.first, replaces: l.turn, rejected: append(slices.Clone(l.again.rejected), l.answer)}
	t.assignNPC(tn, l.npc)
	t.beginOrQueue(tn)
}

// spokenLine is an NPC's answer in a turn that may still be taken back.
type spokenLine struct {
	turn      int64
	npc       int
	utterance Utterance // the line it answers; empty for lines of the DM
	again     repeat    // first is always set
	answer    []string  // without stock phrases
	secret    bool      // it answers a whisper
	retracted bool
}

// spokenLines holds the last lines of NPCs, the latest last.
type spokenLines struct{ all []*spokenLine }

// record records the lines of a turn so far.
func (s *spokenLines) record(tn *turn) {
	i := slices.IndexFunc(s.all, func(l *spokenLine) bool { return l.turn == tn.number })
	if i < 0 {
		l := &spokenLine{turn: tn.number, npc: tn.addressee.index, again: tn.again, retracted: tn.retention.answerRetracted, secret: tn.origin.kind == whisperTurn}
		l.again.first = tn.askedTurn()
		if !tn.isPuppet() && !tn.retention.lineRetracted {
			l.utterance = tn.Utterance
		}
		s.all = append(s.all[max(len(s.all)-maxRetractable+1, 0):len(s.all):len(s.all)], l)
		i = len(s.all) - 1
	}
	s.all[i].answer = slices.Clone(tn.delivered.answer)
}

// find returns the last line for which is returns true.
func (s *spokenLines) find(is func(*spokenLine) bool) (*spokenLine, error) {
	for _, l := range slices.Backward(s.all) {
		if is(l) {
			return l, nil
		}
	}
	return nil, errors.New("no such line was said lately")
}

// checkRetraction returns why u may not take a line back, nil if it may.
func (s *spokenLines) checkRetraction(l *spokenLine, u RetractionRequest) error {
	if l.retracted {
		return errors.New("it has already been taken back")
	}
	if u.Leads {
		return nil
	}
	last, err := s.find(func(o *spokenLine) bool { return u.By != "" && o.utterance.User == u.By })
	if err != nil || l.utterance.User != u.By || l.again.first != last.again.first {
		return errors.New("only the game master may take it back, or the player it answered, until that player gets the next answer")
	}
	return nil
}

// edit applies an edit to the utterances that could be answered again.
func (s *spokenLines) edit(e edit) {
	for _, l := range s.all {
		switch {
		case !e.matches(l.utterance.source()):
		case e.text == "":
			l.utterance = Utterance{}
		default:
			l.utterance.Text = e.text
		}
	}
}
