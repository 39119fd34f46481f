package table

import (
	"errors"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// answers takes turns through the phases of their answer: from guessed or
// thinking to where it is spoken or cut. It belongs to the table's goroutine.
type answers struct {
	*register
	o            *Options
	agenda       *agenda
	cast         *cast
	conversation *conversation
	leases       *leases
	planner      *planner
	fillers      *fillers
	transcript   *transcript
	queue        *queue
	floor        *floorControl
	purse        *purse
	remarks      *remarks
	said         *saidLines

	lines    uint64              // attempts so far, and so lines on the floor
	attempts map[uint64]*attempt // at work, by line
}

// beginTurn decides how a turn is answered, and has it answered.
func (as *answers) beginTurn(tn *turn) {
	if !tn.puppet {
		as.queue.busy[tn.agent] = tn
	}
	as.open[tn.number] = tn
	tn.started = time.Now()
	as.leases.expireLease(tn.agent)
	switch {
	case tn.puppet:
		tn.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.npc.Ceiling(), Reason: "puppet"}
	case tn.leader != nil:
		tn.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.npc.Ceiling(), Reason: "reaction"}
	default:
		tn.choice = tn.npc.Choose(tn.Text, as.queue.countPlayers(tn))
	}
	as.startAnswer(tn)
	as.leases.expireLease(tn.agent) // this may have been the last turn of a raise
}

// startAnswer begins work on an answer, be it anew.
func (as *answers) startAnswer(tn *turn) {
	as.revealByLine(tn)
	as.planner.prepareTurn(tn, as.fillers.mayFill(tn))
	as.purse.tellLevel()
	as.announceTurn(tn)
	as.startAttempt(tn)
	as.moveTo(tn, thinking)
	as.fillers.armFiller(tn)
}

// announceTurn tells of a turn that begins.
func (as *answers) announceTurn(tn *turn) {
	tn.ledger.RouteUS = elapsed.Rounded(time.Since(tn.started)) * 1000
	tn.ledger.EndpointMS, tn.ledger.STTFinalMS = elapsed.Rounded(tn.endpoint), elapsed.Rounded(tn.final)
	as.effects.emit(tn.number, KindTurnStarted, &TurnStarted{
		NPC: tn.as.Name, Route: tn.route, Tier: tn.choice.Tier.String(), Ceiling: tn.choice.Ceiling.String(),
		Reason: tn.choice.Reason, Tools: toolNames(tn.tools.Definitions()), MayDecline: tn.mayDecline, Again: tn.again.instead,
	})
	for _, d := range tn.plan.Decisions {
		as.fillers.announceStep(tn, d)
	}
}

// startAttempt has a turn answered; a guess is not meant yet.
func (as *answers) startAttempt(tn *turn) {
	as.lines++
	tn.attempt = newAttempt(as.lines, tn)
	as.purse.openAccount(tn)
	as.openTrace(tn)
	as.attempts[as.lines] = tn.attempt
	as.effects.add(newWorker(as.o, tn, as.transcript.before(tn), as.conversation.backgroundOf(tn), as.companyOf(tn)))
}

// soundReady takes a turn on of which there is something to hear.
func (as *answers) soundReady(tn *turn) {
	if tn.phase == thinking {
		as.moveTo(tn, ready)
		as.askFloor(tn)
	}
}

// askFloor asks for the floor, once there is something to hear and the player is
// done.
func (as *answers) askFloor(tn *turn) {
	if tn.phase != ready || tn.held {
		return
	}
	if tn.leader != nil && tn.leader.phase < speaking {
		return // it reacts to what is said, not to what may be
	}
	tn.attempt.asked = time.Now()
	as.moveTo(tn, asking)
	as.floor.tell(floor.Event{Kind: floor.Want, Line: tn.attempt.floorLine()})
}

// holdTurn keeps a turn from being heard, since its player went on.
func (as *answers) holdTurn(tn *turn) {
	tn.held = true
	if tn.phase == asking {
		as.moveTo(tn, ready)
		as.floor.tell(gone(tn.attempt))
	}
}

// releaseTurn lets a turn be heard whose player had no more to say.
func (as *answers) releaseTurn(tn *turn) {
	tn.held = false
	if a := tn.attempt; a != nil {
		as.askFloor(tn)
		as.startReaction(a)
		as.effects.add(endIfDone{a})
	}
}

// playLine plays a line that was given the floor.
func (as *answers) playLine(a *attempt) {
	tn := a.turn
	if tn.phase != asking {
		return // it was withdrawn meanwhile, and the floor knows
	}
	as.moveTo(tn, speaking)
	tn.floor = time.Since(a.asked)
	as.effects.add(playLine{a})
	for _, r := range as.queue.reactionsTo(tn) {
		as.askFloor(r)
	}
}

// bargeIn ends a turn since a player took the floor from it. When that is, the
// floor decides.
func (as *answers) bargeIn(a *attempt, speaker string) {
	if said := strings.Join(a.turn.answer, " "); said != "" {
		as.conversation.noteWords(a.turn.agent, a.turn.Speaker, said)
	}
	as.conversation.noteInterruption(a.turn.agent)
	as.cutTurn(a.turn, turnEnd{outcome: OutcomeBarged, by: speaker})
}

// failStalled ends a turn that had the floor and was silent.
func (as *answers) failStalled(a *attempt) {
	as.cutTurn(a.turn, turnEnd{outcome: OutcomeFailed, stage: "playback", notice: a.turn.as.Name + " had the floor and nothing was heard"})
}

// cutTurn ends what is heard of a turn, or would be. Its goroutines have yet to
// report their end.
func (as *answers) cutTurn(tn *turn, end turnEnd) {
	if !tn.phase.isAnswering() {
		return
	}
	a := tn.attempt
	tn.end = end
	as.moveTo(tn, cut)
	as.fillers.disarmFiller(tn)
	as.effects.add(stopLine{a}) // first: what work that is cancelled leaves behind is not played
	as.effects.add(cancelWork{a})
	as.effects.add(deliverRest{a})
	as.floor.tell(gone(a))
	as.cutReactions(tn)
	as.effects.add(endIfDone{a})
}

// cutReactions gives up the reactions to an answer that was cut short.
func (as *answers) cutReactions(leader *turn) {
	for _, tn := range as.queue.reactionsTo(leader) {
		as.cutTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
	}
}

// cutNPC ends what an NPC is saying or about to say.
func (as *answers) cutNPC(npc int, end turnEnd) {
	for _, a := range as.attempts {
		if a.turn.agent == npc {
			as.cutTurn(a.turn, end)
		}
	}
}

// endIfDone ends a turn's answer once all it does is done: its goroutines have
// ended, and what it has to say was said or never will be.
func (as *answers) endIfDone(a *attempt) {
	tn := a.turn
	if tn.attempt != a || a.result == nil {
		return
	}
	switch {
	case tn.phase == cut:
		if tn.end.stage == "" {
			tn.end.stage = a.result.stage
		}
	case tn.phase != spoken && (tn.phase != thinking || len(a.said) > 0 || tn.held):
		return // there is more to play, or the player is not done
	case errors.Is(a.result.err, engine.ErrDeclined) && tn.silent():
		if left := tn.mayGoOn(as.o.mergeWindow()); left > 0 {
			as.agenda.put(endIfDone{a}, left, endIfDone{a})
			return
		}
		tn.end = turnEnd{outcome: OutcomePassed}
		as.conversation.talk.Withdraw(tn.renewal)
	case a.result.err != nil && !errors.Is(a.result.err, engine.ErrDeclined):
		tn.end = turnEnd{outcome: OutcomeFailed, stage: a.result.stage, notice: tn.as.Name + " could not answer: " + problem.OneLine(a.result.err)}
	default:
		tn.end = turnEnd{outcome: OutcomeDelivered}
	}
	as.moveTo(tn, ending)
	as.closeAttempt(a)
	as.effects.add(commitTurn{tn})
}

// answerAnew answers a turn anew, since the player had more to say.
func (as *answers) answerAnew(tn *turn) {
	as.undoAnswer(tn)
	tn.started = time.Now()
	as.startAnswer(tn)
}

// undoAnswer undoes what was done about a turn of which nothing was heard.
func (as *answers) undoAnswer(tn *turn) {
	as.moveTo(tn, arrived)
	as.cutReactions(tn)
	as.dropAttempt(tn)
	tn.tooling, tn.target, tn.ledger = 0, 0, Ledger{}
	tn.began, tn.started, tn.held = time.Now(), time.Time{}, false
}

// dropAttempt gives up the attempt of a turn that goes on without it, or never
// was.
func (as *answers) dropAttempt(tn *turn) {
	a := tn.attempt
	tn.attempt = nil
	for _, tool := range a.calls {
		as.effects.emit(tn.number, KindToolFinished, &ToolFinished{Tool: tool, Error: "the player had more to say; this call came to nothing"})
	}
	as.closeAttempt(a)
}

// closeAttempt leaves an attempt whose turn is done with it.
func (as *answers) closeAttempt(a *attempt) {
	delete(as.attempts, a.id)
	as.fillers.disarmFiller(a.turn)
	as.effects.add(stopLine{a})
	as.effects.add(cancelWork{a})
	as.floor.tell(gone(a))
}

// countPuppets counts the lines of the DM's that have not been said.
func (as *answers) countPuppets() int {
	n := 0
	for _, a := range as.attempts {
		if a.turn.puppet {
			n++
		}
	}
	return n
}

// startReaction has the second NPC of a group answer too, once the first has found its
// words.
func (as *answers) startReaction(a *attempt) {
	tn := a.turn
	if !tn.phase.isAnswering() || a.result == nil || a.result.err != nil || tn.also < 0 || tn.leader != nil || tn.held || tn.takenBack {
		return
	}
	who := tn.also
	tn.also = -1
	npc := as.cast.agents[who]
	if npc.Muted || npc.Left || as.queue.isBusy(who) || who == tn.agent || a.text() == "" {
		return
	}
	now := time.Now()
	as.beginTurn(&turn{
		Utterance: tn.Utterance, number: as.nextNumber(), timing: timing{since: now}, began: now, leader: tn,
		agent: who, npc: npc, route: RouteReaction, also: -1,
	})
}
