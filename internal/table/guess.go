package table

import (
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/ear"
)

const (
	// maxGuesses bounds how often an answer is started on words that are not final, for each utterance. The last
	// try is reserved for the end of the utterance, because a player who is silent before that may only be
	// pausing.
	maxGuesses = 3
	// maxVoiced is how many guesses that a voice has worked on may be dropped before further ones get no voice.
	maxVoiced = 2
	// maxVoicedAhead bounds how much sound of a guess's first sentence is made before it is adopted.
	maxVoicedAhead = 4 * time.Second
)

// guess starts an answer to words that are not final yet, once the player's voice has stopped.
func (t *Table) guess(s *Seat, p *passage) {
	if !t.guessingEnabled() || s.speaking || p.turn != nil || p.interim == "" {
		return
	}
	u := s.utterance(strings.TrimSpace(p.text() + " " + p.interim))
	if p.guess.turn != nil && sameWords(p.guess.turn.Text, u.Text) {
		t.requestVerdictEarly(p)
		return
	}
	most := maxGuesses
	if p.phase == passageOpen {
		if most--; ear.TurnJudge(u.Text) == ear.Unfinished {
			return
		}
	}
	if p.guess.count >= most || !t.costAccounts.guessAllowed() {
		return
	}
	if _, ok := t.readOrder(s, u.Text); ok {
		return // an order is for no NPC
	}
	d := t.conversation.decideAddressee(0, u)
	who := t.likelyAddressees(d)
	if len(who) == 0 || t.queue.isBusy(who[0]) || t.cast.agents[who[0]].Muted {
		return
	}
	if t.cast.agents[who[0]].NPC.Engine == config.EngineS2S && (p.sound != nil || t.needsJudge(d)) {
		return // it listens itself, and an answer it has given cannot be requested again
	}
	if len(d.NPCs) == 0 && !t.judgeClient.canRequest(time.Now()) {
		return // the judge could not decide that the line is for an NPC
	}
	t.dropGuess(p)
	p.guess.count++
	p.guess.turn = t.startGuess(u, d, p.guess.droppedAccount, t.o.Latency.Preemptive == config.PreemptVoice && p.guess.synthesized < maxVoiced)
	t.requestVerdictEarly(p)
}

// guessingEnabled reports whether answers are started that may be dropped.
func (t *Table) guessingEnabled() bool {
	return t.o.Latency.Preemptive != "" && t.o.Latency.Preemptive != config.PreemptOff
}

// requestVerdictEarly asks the judge about a guess whose line is in doubt, once its player has finished speaking, so
// that the judge has decided when the words are final.
func (t *Table) requestVerdictEarly(p *passage) {
	if tn := p.guess.turn; p.phase == passageDue && t.needsJudge(tn.addressee.decision) && tn.inquiry == nil {
		t.requestVerdict(tn)
	}
}

// dropGuesses drops all guesses, and the answers that were prepared for lines in doubt, because their basis
// has changed.
func (t *Table) dropGuesses() {
	for _, tn := range t.turns.doubted {
		t.dropPrepared(tn)
	}
	t.cancelRelevanceCheck()
	for _, s := range t.seats.bySpeaker {
		for _, p := range s.passages {
			t.dropGuess(p)
		}
	}
}

// dropGuess drops the guess for a passage, if there is one. None of it was heard or reported. Its cost
// counts.
func (t *Table) dropGuess(p *passage) {
	tn := p.guess.turn
	if tn == nil {
		return
	}
	p.guess.turn, p.guess.droppedAccount = nil, tn.record.account
	if tn.attempt.voiceStarted.Load() {
		p.guess.synthesized++
	}
	t.turns.moveTo(tn, over)
	t.dropInquiry(tn)
	t.dropAttempt(tn)
	tn.dropTrace()
}

// startGuess starts an answer to words that are not final. wasted is the account of the previous guess, nil
// if there was none. ahead says that the voice may work on this one.
func (t *Table) startGuess(u Utterance, d address.Decision, wasted *cost.Account, ahead bool) *turn {
	now := time.Now()
	tn := newTurn(lineTurn, u, now)
	tn.phase, tn.guesses, tn.plan.started = guessed, guesses{droppedAccount: wasted, voiceAllowed: ahead}, now
	tn.addressee.decision, tn.addressee.route = d, Route(d.Route)
	t.prepareAnswer(tn, t.likelyAddressees(d))
	return tn
}

// prepareAnswer starts an answer to a turn that may be for the NPCs in who. The first of them answers.
func (t *Table) prepareAnswer(tn *turn, who []int) {
	tn.addressee.index, tn.addressee.agent = who[0], t.cast.agents[who[0]]
	tn.addressee.mayDecline, tn.addressee.version = !tn.addressee.decision.Called, tn.addressee.agent.Version()
	if len(who) > 1 && (len(tn.addressee.decision.NPCs) > 1 || tn.addressee.decision.Doubt.Route == address.RouteGroup) {
		tn.addressee.reactingNPC = who[1]
	}
	t.searchBefore(tn)
	tn.plan.choice = tn.addressee.agent.PeekChoice(tn.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason())
	t.planner.prepareTurn(tn, t.fillerAllowed(tn))
	t.startAttempt(tn)
}

// guessStillValid reports whether a guess would be answered the same way now that the words are final.
func (t *Table) guessStillValid(tn *turn, u Utterance) bool {
	d := t.conversation.decideAddressee(0, u)
	who := t.likelyAddressees(d)
	if len(who) == 0 || who[0] != tn.addressee.index || t.needsJudge(d) != t.needsJudge(tn.addressee.decision) || len(d.NPCs) == 0 != (len(tn.addressee.decision.NPCs) == 0) {
		return false
	}
	if tn.addressee.mayDecline && d.Called {
		return false // its model was also asked whether the line is meant for it
	}
	return t.preparedAnswerFits(tn, u)
}

// preparedAnswerFits reports whether the prepared answer of a turn fits the NPC's current prompt.
func (t *Table) preparedAnswerFits(tn *turn, u Utterance) bool {
	if t.queue.isBusy(tn.addressee.index) || tn.addressee.agent.Muted || tn.addressee.agent.Left || tn.addressee.agent.Version() != tn.addressee.version || len(tn.addressee.agent.RevealedBy(u.Text)) > 0 {
		return false
	}
	expected := tn.addressee.agent.PeekChoice(u.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason()).Tier
	return expected == tn.plan.choice.Tier || len(tn.plan.pace.Decisions) > 0 && expected > tn.plan.choice.Tier // the plan lowered the tier
}

// adoptGuess makes a guess the turn of the utterance whose words it guessed correctly.
func (t *Table) adoptGuess(tn *turn) {
	tn.words.knownAt = time.Now()
	t.announceUtterance(tn)
	tn.addressee.renewal = t.conversation.recordDecision(tn.number, tn.Speaker, tn.addressee.decision)
	if t.needsJudge(tn.addressee.decision) {
		t.awaitVerdict(tn)
		return
	}
	t.confirmAttempt(tn)
}

// confirmAttempt adopts the prepared answer of a turn, and handles the findings that its attempt has reported
// meanwhile.
func (t *Table) confirmAttempt(tn *turn) {
	a := tn.attempt
	tn.plan.started = time.Now()
	t.queue.markBusy(tn)
	t.turns.open[tn.number] = tn
	chosen := tn.addressee.agent.Choose(tn.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason())
	tn.plan.found.Took = 0 // the search ran before the turn began
	tn.plan.choice.Ceiling, tn.plan.choice.Reason = chosen.Ceiling, chosen.Reason
	t.announceTurn(tn)
	t.leases.expireLease(tn.addressee.index)
	t.turns.moveTo(tn, thinking)
	t.effects.add(confirmGuess{a})
	for _, f := range a.backlog {
		t.handleFinding(a, f)
	}
	a.backlog = nil
	t.scheduleFiller(tn)
	t.startReaction(a)
	t.effects.add(endIfDone{a})
}
