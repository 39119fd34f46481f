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
	// maxUnsayable is how many of the NPCs' last lines may be taken back.
	maxUnsayable = 50
	// maxAskedAgain is how often an NPC may be asked to answer the same line again.
	maxAskedAgain = 3
)

// ErrStands means that an NPC's line cannot be taken back or answered again. The error it is wrapped with
// gives the reason.
var ErrStands = errors.New("the line stands")

// Unsaying is a request to take back an NPC's answer.
type Unsaying struct {
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

// Unsay takes back an NPC's answer in a turn. If the NPC is still speaking, it stops. The answer is deleted
// from the log, and no NPC is given it from now on; the player's line stays. With [Unsaying.Again] the NPC
// answers that line again in a new turn. If the answer cannot be taken back or given again, nothing changes
// and the error is [ErrStands]. [Unsaid] is emitted at once, and [Erased] once the log has changed. Then Unsay
// returns a sentence that describes the change.
func (t *Table) Unsay(ctx context.Context, u Unsaying) (said string, err error) {
	done := make(chan error, 1)
	err = t.order(ctx, func() error {
		l, err := t.past.said.findMeant(u, t.cast)
		if err == nil {
			err = t.past.said.mayUnsay(l, u)
		}
		if err == nil && u.Again {
			err = t.mayAskAgain(l)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrStands, err)
		}
		t.takeBack(l, u, done)
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

// findMeant returns the line that u refers to.
func (s *saidLines) findMeant(u Unsaying, c *cast) (*saidLine, error) {
	if u.Turn != 0 {
		return s.find(func(l *saidLine) bool { return l.turn == u.Turn })
	}
	who := c.present()
	if u.NPC != "" {
		var err error
		if who, err = c.findNPCs(u.NPC); err != nil {
			return nil, err
		}
	}
	return s.find(func(l *saidLine) bool { return !l.unsaid && slices.Contains(who, l.npc) })
}

// mayAskAgain returns why an NPC cannot answer a line again, nil if it can.
func (t *Table) mayAskAgain(l *saidLine) error {
	a := t.cast.agents[l.npc]
	switch {
	case l.secret: // everyone would hear the new answer
		return errors.New("it answers a whisper; whisper again instead")
	case l.asked.Text == "":
		return errors.New("it answers nothing that could be asked again")
	case len(l.again.unwanted) >= maxAskedAgain:
		return fmt.Errorf("it has already been asked again %d times", maxAskedAgain)
	case len(l.again.unwanted) > 0 && t.turns.open[l.turn] != nil:
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

// takeBack takes a line back: in its turn and in memory at once, then in the log. done must have room; it
// receives the error of changing the log.
func (t *Table) takeBack(l *saidLine, u Unsaying, done chan<- error) {
	l.unsaid = true
	a := t.cast.agents[l.npc]
	ref := answerRef(l.turn)
	w := &logEdit{
		done: done, erases: &erased{turn: l.turn, npc: a.NPC.Name},
		waiting: func(said *memory.Line) bool { return said.NPC == "" || said.Ref != ref },
		log: func(ctx context.Context) error {
			_, err := t.o.Log.Retract(ctx, t.o.Session.ID, ref)
			return err
		},
	}
	t.transcript.erasing++
	if tn := t.turns.open[l.turn]; tn != nil {
		tn.kept.answerTakenBack = true
		if at := tn.attempt; at != nil {
			at.basis.forget()
		}
		w.before = append(w.before, tn.whenOver())
		t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
	}
	t.transcript.dropAnswer(l.turn)
	a.UnsayTurn(l.turn, l.answer)
	t.dropGuesses()
	t.startEdit(w)
	t.effects.emit(l.turn, KindUnsaid, &Unsaid{NPC: a.NPC.Name, By: u.By, Again: u.Again})
	if u.Again {
		t.askAgain(l)
	}
}

// erased is the result of an edit that deletes an NPC's answer from the log.
type erased struct {
	turn int64
	npc  string
	err  error
}

// handleErased emits [Erased] once the log has changed. If the change failed, Unsay returns the error.
func (t *Table) handleErased(e *erased) {
	t.transcript.erasing--
	if e.err == nil {
		t.effects.emit(e.turn, KindErased, &Erased{NPC: e.npc})
	}
}

// askAgain gives a line another turn, in which the NPC answers it differently.
func (t *Table) askAgain(l *saidLine) {
	now := time.Now()
	tn := newTurn(repeatTurn, l.asked, now)
	tn.number, tn.words.known, tn.to.route = t.turns.nextNumber(), now, RouteAgain
	tn.again = repeat{first: l.again.first, instead: l.turn, unwanted: append(slices.Clone(l.again.unwanted), l.answer)}
	t.assignNPC(tn, l.npc)
	t.beginOrQueue(tn)
}

// saidLine is an NPC's answer in a turn that may still be taken back.
type saidLine struct {
	turn   int64
	npc    int
	asked  Utterance // the line it answers; empty for lines of the DM
	again  repeat    // first is always set
	answer []string  // without stock phrases
	secret bool      // it answers a whisper
	unsaid bool
}

// saidLines holds the last lines of NPCs, the latest last.
type saidLines struct{ all []*saidLine }

// record records the lines of a turn so far.
func (s *saidLines) record(tn *turn) {
	i := slices.IndexFunc(s.all, func(l *saidLine) bool { return l.turn == tn.number })
	if i < 0 {
		l := &saidLine{turn: tn.number, npc: tn.to.index, again: tn.again, unsaid: tn.kept.answerTakenBack, secret: tn.origin.kind == whisperTurn}
		l.again.first = tn.asked()
		if !tn.isPuppet() && !tn.kept.lineTakenBack {
			l.asked = tn.Utterance
		}
		s.all = append(s.all[max(len(s.all)-maxUnsayable+1, 0):len(s.all):len(s.all)], l)
		i = len(s.all) - 1
	}
	s.all[i].answer = slices.Clone(tn.delivered.answer)
}

// find returns the last line for which is returns true.
func (s *saidLines) find(is func(*saidLine) bool) (*saidLine, error) {
	for _, l := range slices.Backward(s.all) {
		if is(l) {
			return l, nil
		}
	}
	return nil, errors.New("no such line was said lately")
}

// mayUnsay returns why u may not take a line back, nil if it may.
func (s *saidLines) mayUnsay(l *saidLine, u Unsaying) error {
	if l.unsaid {
		return errors.New("it has already been taken back")
	}
	if u.Leads {
		return nil
	}
	last, err := s.find(func(o *saidLine) bool { return u.By != "" && o.asked.User == u.By })
	if err != nil || l.asked.User != u.By || l.again.first != last.again.first {
		return errors.New("only the game master may take it back, or the player it answered, until that player gets the next answer")
	}
	return nil
}

// edit applies an edit to the utterances that could be answered again.
func (s *saidLines) edit(e edit) {
	for _, l := range s.all {
		switch {
		case !e.of(l.asked.source()):
		case e.text == "":
			l.asked = Utterance{}
		default:
			l.asked.Text = e.text
		}
	}
}
