package table

import (
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// turns takes turns to where their answer begins, and from where it is done to
// their end; what is between is [answers]. It belongs to the table's goroutine.
type turns struct {
	*register
	o            *Options
	agenda       *agenda
	cast         *cast
	conversation *conversation
	planner      *planner
	transcript   *transcript
	queue        *queue
	purse        *purse
	answers      *answers
	shares       *shares

	undecided []*turn
	bases     bases
	closing   bool
}

// admitUtterance gives an utterance its turn.
func (ts *turns) admitUtterance(tn *turn) {
	ts.announceUtterance(tn)
	tn.began = time.Now()
	if isAside(tn.Text) {
		ts.routeTurn(tn, address.Decision{Route: address.RouteNone})
		return
	}
	ts.routeTurn(tn, ts.conversation.decideAddressee(tn.number, tn.Utterance))
}

// routeTurn gives a turn to whom it is for.
func (ts *turns) routeTurn(tn *turn, d address.Decision) {
	ts.assignDecision(tn, d)
	for _, npc := range d.NotFor {
		ts.takeBackCall(npc, tn)
	}
	ts.beginOrQueue(tn)
}

// mayRedirect reports whether a turn may still go to somebody else.
func (tn *turn) mayRedirect() bool { return tn.phase == queued || tn.silent() && tn.leader == nil }

// redirectTurn gives a turn to whom it is for by now that the player has added a
// correction: "Sorry, not you, … Bart. Greta, you tell us."
func (ts *turns) redirectTurn(tn *turn, d address.Decision) {
	if tn.phase != queued {
		ts.rerouteTurn(tn, d)
		return
	}
	ts.queue.remove(tn)
	ts.moveTo(tn, arrived)
	ts.routeTurn(tn, d)
}

// takeBackCall ends the turns of an NPC that was called by mistake, which by corrects: what
// was said in them is kept.
func (ts *turns) takeBackCall(npc int, by *turn) {
	for _, tn := range slices.Clone(ts.queue.waiting) {
		if tn.agent == npc && tn.Speaker == by.Speaker && tn != by {
			ts.queue.remove(tn)
			ts.moveTo(tn, arrived)
			ts.endUnanswered(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		}
	}
	if tn := ts.queue.busy[npc]; tn != nil && tn.Speaker == by.Speaker && tn != by && tn.isAnswer() {
		ts.answers.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
	}
}

// assignDecision notes whom a turn is for.
func (ts *turns) assignDecision(tn *turn, d address.Decision) {
	if !tn.whispered {
		d.NPCs = ts.cast.hearing(d.NPCs)
	}
	tn.agent, tn.npc, tn.route, tn.also, tn.meant, tn.mayDecline = -1, nil, Route(d.Route), -1, d, false
	if len(d.NPCs) > 0 {
		ts.assignNPC(tn, d.NPCs[0])
		tn.mayDecline = !d.Called
	}
	if len(d.NPCs) > 1 {
		tn.also = d.NPCs[1]
	}
	tn.renewal = ts.conversation.noteDecision(tn.number, tn.Speaker, d).After(tn.renewal)
}

func (ts *turns) assignNPC(tn *turn, npc int) {
	tn.agent, tn.npc = npc, ts.cast.agents[npc]
	tn.as = tn.npc.NPC
}

// beginOrQueue begins a turn, or lets it wait until its NPC is free.
func (ts *turns) beginOrQueue(tn *turn) {
	switch {
	case tn.puppet: // whatever the NPC is doing: the floor puts the line where it belongs
		ts.answers.beginTurn(tn)
	case tn.agent < 0 && tn.spoken:
		ts.awaitContinuation(tn)
	case tn.agent < 0:
		ts.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
	case ts.queue.isBusy(tn.agent):
		ts.queueTurn(tn)
	case tn.npc.Muted:
		ts.endUnanswered(tn, turnEnd{outcome: OutcomeMuted})
	default:
		ts.answers.beginTurn(tn)
	}
}

// crowdedOut is the end of a turn for which there is no room.
var crowdedOut = turnEnd{outcome: OutcomeCancelled, stage: "queue", notice: "too much was said at once; this was not answered"}

// queueTurn lets a turn wait. If too many do, that is speech or a line that was reworded;
// who has most waiting then gives something up.
func (ts *turns) queueTurn(tn *turn) {
	if ts.queue.isFull() {
		out := ts.queue.crowdingOut(tn)
		if out == tn {
			ts.endUnanswered(tn, crowdedOut)
			return
		}
		ts.queue.remove(out)
		ts.moveTo(out, arrived)
		ts.endUnanswered(out, crowdedOut)
	}
	ts.moveTo(tn, queued)
	ts.queue.add(tn)
}

// awaitContinuation keeps a spoken utterance for nobody open as long as it may
// be continued: "What do you drink, … Mira?"
func (ts *turns) awaitContinuation(tn *turn) {
	ts.moveTo(tn, undecided)
	ts.undecided = append(ts.undecided, tn)
	ts.agenda.put(undecidedExpired{tn}, ts.o.mergeWindow(), undecidedExpired{tn})
}

// afterthought is how long an utterance that led to nothing is kept in case that its
// player goes on: longer than the one who says a name last takes, and short enough not
// to keep those who wait for it to end.
const afterthought = 600 * time.Millisecond

// mergeWindow is how long an utterance that led to nothing may be continued.
func (o *Options) mergeWindow() time.Duration {
	if o.Lane.Merge == 0 {
		return afterthought
	}
	return min(max(o.Lane.Merge, 0), afterthought)
}

// endUndecided ends an utterance that proved to be for nobody.
func (ts *turns) endUndecided(tn *turn) {
	ts.forgetUndecided(tn)
	ts.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
}

// decideAnew routes an utterance to which the player has added something.
func (ts *turns) decideAnew(tn *turn) {
	ts.forgetUndecided(tn)
	ts.moveTo(tn, arrived)
	tn.began = time.Now()
	ts.routeTurn(tn, ts.conversation.decideAddressee(tn.number, tn.Utterance))
}

func (ts *turns) forgetUndecided(tn *turn) {
	ts.agenda.remove(undecidedExpired{tn})
	ts.undecided = slices.DeleteFunc(ts.undecided, func(o *turn) bool { return o == tn })
}

// beginQueued begins what waited for an NPC.
func (ts *turns) beginQueued() {
	if ts.closing {
		return
	}
	for tn := ts.queue.popFree(); tn != nil; tn = ts.queue.popFree() {
		ts.moveTo(tn, arrived)
		if tn.npc.Left && (tn.isAskedAgain() || tn.whispered) {
			ts.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
			continue
		}
		if tn.npc.Left { // it is for whom it would be for without that one
			ts.assignDecision(tn, ts.conversation.decideAddressee(tn.number, tn.Utterance))
		}
		ts.beginOrQueue(tn)
	}
}

// sayAs has one NPC say a line of the DM's, unless too many wait. With a voice it is said
// with that one, and as a trial.
func (ts *turns) sayAs(who []int, text, voice string) error {
	if len(who) != 1 {
		return fmt.Errorf("one NPC at a time can be made to speak")
	}
	if ts.answers.countPuppets() >= maxLines {
		return fmt.Errorf("too much is waiting to be said; try again in a moment")
	}
	now := time.Now()
	tn := &turn{Utterance: Utterance{Text: text}, number: ts.nextNumber(), timing: timing{since: now}, began: now, puppet: true, route: RoutePuppet, also: -1, voice: voice}
	ts.assignNPC(tn, who[0])
	ts.beginOrQueue(tn)
	return nil
}

// endUnheard ends an utterance that nobody could transcribe.
func (ts *turns) endUnheard(u Utterance, heard timing, why error) {
	tn := &turn{Utterance: u, number: ts.nextNumber(), timing: heard, agent: -1, route: RouteNone}
	tn.ledger.EndpointMS, tn.ledger.STTFinalMS = elapsed.Rounded(tn.endpoint), elapsed.Rounded(tn.final)
	ts.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Spoken: true})
	ts.endTurn(tn, turnEnd{outcome: OutcomeFailed, stage: "stt", notice: fmt.Sprintf("what %s said could not be understood: %s", tn.Speaker, problem.OneLine(why))})
}
