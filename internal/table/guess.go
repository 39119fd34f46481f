package table

import (
	"context"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/internal/turnend"
)

const (
	// maxGuesses is how often work is begun on words that are not final, for one
	// utterance. The last time is kept for when it has ended: until then the player may
	// but have paused.
	maxGuesses = 3
	// maxVoiced is how many of them may be dropped that a voice has worked on before no
	// further one is given a voice.
	maxVoiced = 2
	// maxVoicedAhead is how much sound of its first sentence a guess is given.
	maxVoicedAhead = 4 * time.Second
)

// guess has the model begin on words that are not final yet: once the player's
// voice has stopped, for what has been understood so far.
func (l *listener) guess(s *Seat, p *passage) {
	if l.preempts == "" || l.preempts == config.PreemptOff || s.voicing || p.turn != nil || p.interim == "" {
		return
	}
	u := s.utterance(strings.TrimSpace(p.text() + " " + p.interim))
	if p.guess != nil && sameWords(p.guess.Text, u.Text) {
		return
	}
	most := maxGuesses
	if p.phase == passageOpen {
		if most--; turnend.Judge(u.Text) == lane.Unfinished {
			return
		}
	}
	if p.guesses >= most || !l.purse.mayGuess() {
		return
	}
	if _, ok := l.readOrder(s, u.Text); ok {
		return // it is for no NPC
	}
	d := l.conversation.decideAddressee(0, u)
	if len(d.NPCs) == 0 || l.queue.isBusy(d.NPCs[0]) || l.cast.agents[d.NPCs[0]].Muted {
		return
	}
	if p.sound != nil && l.cast.agents[d.NPCs[0]].NPC.Engine == config.EngineS2S {
		return // it listens itself, and what it has answered cannot be asked again
	}
	l.dropGuess(p)
	p.guesses++
	p.guess = l.answers.startGuess(u, d, p.wasted, l.preempts == config.PreemptVoice && p.voiced < maxVoiced)
}

// dropGuesses gives up all guesses: what they were made on is not so any more.
func (l *listener) dropGuesses() {
	for _, s := range l.seats {
		for _, p := range s.passages {
			l.dropGuess(p)
		}
	}
}

// dropGuess gives up the guess at a passage, if there is one. What it took counts.
func (l *listener) dropGuess(p *passage) {
	if p.guess != nil {
		p.wasted = p.guess.account
		if p.guess.attempt.voiced.Load() {
			p.voiced++
		}
		l.answers.dropGuess(p.guess)
		p.guess = nil
	}
}

// startGuess begins an answer to words that are not final, after others of which
// wasted is the account. ahead says that the voice may work on it.
func (as *answers) startGuess(u Utterance, d address.Decision, wasted *cost.Account, ahead bool) *turn {
	now := time.Now()
	tn := &turn{
		Utterance: u, phase: guessed, wasted: wasted, ahead: ahead, agent: d.NPCs[0], npc: as.cast.agents[d.NPCs[0]],
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
	tn.trace.End(tracing.TurnEnd{Outcome: string(outcomeDropped)})
}

// speakAhead has the first sentence of a guess spoken into its line, which nobody
// plays before the guess is adopted, and waits until it is. It reports whether to go on.
func (w *worker) speakAhead(ctx context.Context) bool {
	if !w.ahead {
		return w.awaitConfirmation(ctx)
	}
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	case s, more := <-w.sayings:
		if more && s.own == nil && s.kind == answer {
			return w.speakSaying(ctx, s) && w.awaitConfirmation(ctx)
		}
		return w.awaitConfirmation(ctx) && more && w.speakSaying(ctx, s)
	}
}

// awaitConfirmation waits until the attempt is no guess.
func (w *worker) awaitConfirmation(ctx context.Context) bool {
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	}
}

// awaitRoom waits until the line takes more sound of the sentence that is being spoken.
func (w *worker) awaitRoom(ctx context.Context) error {
	if w.ahead && w.line.Written() >= maxVoicedAhead && !w.awaitConfirmation(ctx) {
		return ctx.Err()
	}
	return w.line.Room(ctx, maxUnplayed)
}
