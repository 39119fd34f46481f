package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// startGuess begins an answer to words that are not final.
func (as *answers) startGuess(u Utterance, d address.Decision) *turn {
	now := time.Now()
	tn := &turn{
		Utterance: u, phase: guessed, agent: d.NPCs[0], npc: as.cast.agents[d.NPCs[0]],
		meant: d, route: Route(d.Route), also: -1, timing: timing{since: now}, started: now,
	}
	if len(d.NPCs) > 1 {
		tn.also = d.NPCs[1]
	}
	tn.mayDecline = !d.Called
	tn.version = tn.npc.Version()
	tn.choice = tn.npc.PeekChoice(u.Text, as.queue.countPlayers(tn))
	as.planner.prepareTurn(tn, as.fillers.mayFill(tn))
	as.startAttempt(tn)
	return tn
}

// guessHolds reports whether what was guessed at would be answered the same way
// now that its words are known.
func (as *answers) guessHolds(tn *turn, u Utterance) bool {
	d := as.conversation.decideAddressee(0, u)
	if len(d.NPCs) == 0 || d.NPCs[0] != tn.agent || as.queue.isBusy(tn.agent) || tn.npc.Muted || tn.npc.Version() != tn.version || len(tn.npc.RevealedBy(u.Text)) > 0 {
		return false
	}
	if tn.mayDecline && d.Called {
		return false // it was asked whether it is meant at all
	}
	expected := tn.npc.PeekChoice(u.Text, as.queue.countPlayers(tn)).Tier
	return expected == tn.choice.Tier || len(tn.plan.Decisions) > 0 && expected > tn.choice.Tier // its plan lowered that
}

// adoptGuess makes a guess the turn of the utterance it was right about, and
// takes in what its attempt has found meanwhile.
func (as *answers) adoptGuess(tn *turn) {
	a := tn.attempt
	tn.began, tn.started = time.Now(), time.Now()
	as.announceUtterance(tn)
	tn.renewal = as.conversation.noteDecision(tn.number, tn.Speaker, tn.meant)
	as.queue.busy[tn.agent] = tn
	as.open[tn.number] = tn
	chosen := tn.npc.Choose(tn.Text, as.queue.countPlayers(tn))
	tn.choice.Ceiling, tn.choice.Reason = chosen.Ceiling, chosen.Reason
	as.announceTurn(tn)
	as.leases.expireLease(tn.agent)
	as.moveTo(tn, thinking)
	as.effects.add(confirmGuess{a})
	for _, f := range a.backlog {
		as.takeFinding(a, f)
	}
	a.backlog = nil
	as.fillers.armFiller(tn)
	as.startReaction(a)
	as.effects.add(endIfDone{a})
}

// dropGuess gives up a guess; nothing of it was heard or told.
func (as *answers) dropGuess(tn *turn) {
	as.moveTo(tn, over)
	as.dropAttempt(tn)
}
