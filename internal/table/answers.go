package table

import (
	"errors"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// beginTurn decides how a turn is answered, and starts the answer.
func (t *Table) beginTurn(tn *turn) {
	if !tn.isPuppet() {
		t.queue.markBusy(tn)
	}
	t.turns.open[tn.number] = tn
	tn.plan.started = time.Now()
	t.leases.expireLease(tn.addressee.index)
	switch {
	case tn.isPuppet():
		tn.plan.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.addressee.agent.Ceiling(), Reason: "puppet"}
	case tn.leader != nil:
		tn.plan.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.addressee.agent.Ceiling(), Reason: "reaction"}
	default:
		t.searchBefore(tn)
		tn.plan.choice = tn.addressee.agent.Choose(tn.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason())
	}
	t.startAnswer(tn)
	t.leases.expireLease(tn.addressee.index) // this may have been the last turn of a raise
}

// startAnswer starts work on the first or a later answer of a turn.
func (t *Table) startAnswer(tn *turn) {
	t.revealByLine(tn)
	t.planner.prepareTurn(tn, t.fillerAllowed(tn))
	t.costAccounts.reportLevel()
	t.announceTurn(tn)
	t.startAttempt(tn)
	t.turns.moveTo(tn, thinking)
	t.scheduleFiller(tn)
}

// announceTurn emits [TurnStarted], and [Policy] for each step against lateness.
func (t *Table) announceTurn(tn *turn) {
	tn.record.ledger.RouteUS = mcp.RoundedMillis(max(0, time.Since(tn.plan.started)-tn.plan.found.Took)) * 1000
	tn.stampWords()
	t.effects.emit(tn.number, KindTurnStarted, &TurnStarted{
		NPC: tn.addressee.npc.Name, Route: tn.addressee.route, Tier: tn.plan.choice.Tier.String(), Ceiling: tn.plan.choice.Ceiling.String(),
		Reason: tn.plan.choice.Reason, Tools: toolNames(tn.plan.tools.Definitions()), MayDecline: tn.addressee.mayDecline, Again: tn.again.replaces, Found: foundBefore(tn.plan.found),
	})
	for _, d := range tn.plan.pace.Decisions {
		t.announceStep(tn, d)
	}
}

// startAttempt starts an attempt to answer a turn. The turn may be a guess.
func (t *Table) startAttempt(tn *turn) {
	t.turns.addAttempt(tn)
	t.costAccounts.openAccount(tn)
	t.openTrace(tn)
	t.effects.add(t.newWorker(tn))
}

// soundReady requests the floor for a turn once its answer can be heard.
func (t *Table) soundReady(tn *turn) {
	if tn.phase == thinking {
		t.turns.moveTo(tn, ready)
		t.requestFloor(tn)
	}
}

// requestFloor requests the floor once the answer can be heard and the player has finished speaking.
func (t *Table) requestFloor(tn *turn) {
	if tn.phase != ready || tn.words.playerSpeaking {
		return
	}
	if tn.leader != nil && tn.leader.phase < speaking {
		return // a reaction waits until the answer it reacts to is heard
	}
	tn.attempt.floorRequested = time.Now()
	t.turns.moveTo(tn, asking)
	t.floor.handle(floor.Event{Kind: floor.Request, Line: tn.attempt.floorLine()})
}

// suspendAnswer keeps a turn's answer from being heard while its player goes on speaking.
func (t *Table) suspendAnswer(tn *turn) {
	tn.words.playerSpeaking = true
	if tn.phase == asking {
		t.turns.moveTo(tn, ready)
		t.floor.handle(floor.Event{Kind: floor.Withdrawn, Turn: tn.attempt.id})
	}
}

// resumeAnswer ends suspendAnswer once the player has nothing to add.
func (t *Table) resumeAnswer(tn *turn) {
	tn.words.playerSpeaking = false
	if a := tn.attempt; a != nil {
		t.requestFloor(tn)
		t.startReaction(a)
		t.effects.add(endIfDone{a})
	}
}

// playLine plays a line that was granted the floor.
func (t *Table) playLine(a *attempt) {
	tn := a.turn
	if tn.phase != asking {
		return // the request was withdrawn meanwhile, and the floor knows that
	}
	t.turns.moveTo(tn, speaking)
	tn.record.floor = time.Since(a.floorRequested)
	t.effects.add(playLine{a})
	for _, r := range t.queue.reactionsTo(tn) {
		t.requestFloor(r)
	}
}

// endBargedTurn ends a turn after the floor has decided that a player interrupted it.
func (t *Table) endBargedTurn(a *attempt, speaker string) {
	if said := strings.Join(a.turn.delivered.answer, " "); said != "" {
		t.conversation.recordWords(a.turn.addressee.index, a.turn.Speaker, said)
	}
	if !t.seats.interruptionAnswered {
		t.conversation.recordInterruption(a.turn.addressee.index)
	}
	t.seats.interruptionAnswered = false
	t.cutTurn(a.turn, turnEnd{outcome: OutcomeBarged, by: speaker})
}

// failStalled ends a turn as failed because it had the floor and no sound came.
func (t *Table) failStalled(a *attempt) {
	t.cutTurn(a.turn, turnEnd{outcome: OutcomeFailed, stage: "playback", notice: a.turn.addressee.npc.Name + "'s turn to speak came, but nothing was heard"})
}

// cutTurn stops the answer of a turn, whether or not it is heard yet. It does nothing if the turn is not
// being answered. The turn ends once its goroutines have reported their end.
func (t *Table) cutTurn(tn *turn, end turnEnd) {
	if !tn.phase.isAnswering() {
		return
	}
	a := tn.attempt
	tn.end = end
	t.turns.moveTo(tn, cut)
	t.cancelFiller(tn)
	t.effects.add(stopLine{a}) // first, so that nothing the cancelled work leaves behind is played
	t.effects.add(cancelWork{a})
	t.effects.add(deliverRest{a})
	t.floor.handle(floor.Event{Kind: floor.Withdrawn, Turn: a.id})
	if w := t.turns.relevanceCheck; w != nil && w.overlapped == a {
		t.cancelRelevanceCheck()
	}
	t.cutReactions(tn)
	t.effects.add(endIfDone{a})
}

// cutReactions cuts the reactions to an answer that was cut or undone.
func (t *Table) cutReactions(leader *turn) {
	for _, tn := range t.queue.reactionsTo(leader) {
		t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
	}
}

// cutNPC cuts all turns that an NPC is answering.
func (t *Table) cutNPC(npc int, end turnEnd) {
	for _, a := range t.turns.attempts {
		if a.turn.addressee.index == npc {
			t.cutTurn(a.turn, end)
		}
	}
}

// endIfDone ends the answer of a turn and then commits the turn, if its goroutines have ended and its answer
// was played in full or will not be played any further. It is called whenever one of these may have changed.
func (t *Table) endIfDone(a *attempt) {
	tn := a.turn
	if tn.attempt != a || a.result == nil {
		return
	}
	switch {
	case tn.phase == cut:
		if tn.end.stage == "" {
			tn.end.stage = a.result.stage
		}
	case tn.phase != spoken && (tn.phase != thinking || len(a.sentences) > 0 || tn.words.playerSpeaking):
		return // there is more to play, or the player has not finished
	case errors.Is(a.result.err, engine.ErrDeclined) && tn.isUnheard():
		if left := tn.continuationLeft(t.o.mergeWindow()); left > 0 {
			t.agenda.put(endIfDone{a}, left, endIfDone{a})
			return
		}
		tn.end = turnEnd{outcome: OutcomePassed}
		t.conversation.undoRenewal(tn.addressee.renewal)
	case a.result.err != nil && !errors.Is(a.result.err, engine.ErrDeclined):
		tn.end = turnEnd{outcome: OutcomeFailed, stage: a.result.stage, notice: tn.addressee.npc.Name + " could not answer: " + userfile.OneLine(a.result.err)}
	default:
		tn.end = turnEnd{outcome: OutcomeDelivered}
	}
	t.turns.moveTo(tn, ending)
	t.closeAttempt(a)
	t.effects.add(commitTurn{tn})
}

// restartAnswer answers a turn again because the player said more.
func (t *Table) restartAnswer(tn *turn) {
	t.undoAnswer(tn)
	tn.plan.started = time.Now()
	t.searchBefore(tn)
	tn.plan.choice = tn.plan.choice.Raised(tn.plan.found.Reason())
	t.startAnswer(tn)
}

// undoAnswer drops a turn's answer that has not been heard at all, and resets the state that it
// changed.
func (t *Table) undoAnswer(tn *turn) {
	t.turns.moveTo(tn, arrived)
	t.cutReactions(tn)
	t.dropAttempt(tn)
	tn.record.tooling, tn.plan.target, tn.record.ledger = 0, 0, Ledger{}
	tn.words.knownAt, tn.plan.started, tn.words.playerSpeaking = time.Now(), time.Time{}, false
}

// dropAttempt drops the attempt of a guess, or of a turn that goes on without it.
func (t *Table) dropAttempt(tn *turn) {
	a := tn.attempt
	tn.attempt = nil
	for _, tool := range a.basis.pendingCalls {
		t.effects.emit(tn.number, KindToolFinished, &ToolFinished{Tool: tool, Error: "the player had more to say, so this call was dropped"})
	}
	t.closeAttempt(a)
}

// closeAttempt cancels the work of an attempt and withdraws its line from the floor.
func (t *Table) closeAttempt(a *attempt) {
	delete(t.turns.attempts, a.id)
	t.cancelFiller(a.turn)
	t.effects.add(stopLine{a})
	t.effects.add(cancelWork{a})
	t.floor.handle(floor.Event{Kind: floor.Withdrawn, Turn: a.id})
}

// startReaction lets the second NPC of a group answer too, once the first has written its answer.
func (t *Table) startReaction(a *attempt) {
	tn := a.turn
	if !tn.phase.isAnswering() || a.result == nil || a.result.err != nil || tn.addressee.reactingNPC < 0 || tn.leader != nil || tn.words.playerSpeaking || tn.retention.lineRetracted {
		return
	}
	who := tn.addressee.reactingNPC
	tn.addressee.reactingNPC = -1
	npc := t.cast.agents[who]
	if npc.Muted || npc.Left || t.queue.isBusy(who) || who == tn.addressee.index || a.text() == "" {
		return
	}
	now := time.Now()
	reaction := newTurn(reactionTurn, tn.Utterance, now)
	reaction.number, reaction.words.knownAt, reaction.leader = t.turns.nextNumber(), now, tn
	reaction.addressee.index, reaction.addressee.agent, reaction.addressee.route = who, npc, RouteReaction
	t.beginTurn(reaction)
}
