package table

import (
	"context"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
)

// guess has the model begin on words that are not final yet: once the player's
// voice has stopped, for what has been understood so far. Until the final
// transcript confirms it a guess emits no event, runs no tool and makes no
// sound.
func (t *Table) guess(ctx context.Context, s *Seat, sp *passage) {
	if !t.o.Latency.Preemptive || s.voicing || sp.turn != nil || sp.interim == "" || sp.guesses >= maxGuesses {
		return
	}
	text := strings.TrimSpace(sp.text() + " " + sp.interim)
	if sp.guess != nil && same(sp.guess.Text, text) {
		return
	}
	d := t.hearing.decide(Utterance{Speaker: s.speaker, Text: text})
	if len(d.NPCs) == 0 || t.busy[d.NPCs[0]] != nil || t.agents[d.NPCs[0]].Muted {
		return
	}
	t.dropGuess(ctx, sp)
	sp.guesses++
	tn := &turn{
		Utterance: Utterance{Speaker: s.speaker, Text: text}, agent: d.NPCs[0], npc: t.agents[d.NPCs[0]],
		phase: guessed, route: Route(d.Route), also: -1, since: time.Now(), started: time.Now(),
	}
	if len(d.NPCs) > 1 {
		tn.also = d.NPCs[1]
	}
	tn.version = tn.npc.Version()
	tn.choice = tn.npc.Expect(text, t.players(tn))
	t.prepare(tn)
	sp.guess = tn
	t.attend(ctx, tn)
}

// adopt makes a guess the turn of the utterance, if it would be answered the
// same way. real is what is known of the utterance.
func (t *Table) adopt(ctx context.Context, sp *passage, real *turn) bool {
	tn := sp.guess
	d := t.hearing.decide(real.Utterance)
	if len(d.NPCs) == 0 || d.NPCs[0] != tn.agent || t.busy[tn.agent] != nil || tn.npc.Muted || tn.npc.Version() != tn.version {
		return false
	}
	if e := tn.npc.Expect(real.Text, t.players(tn)); !sameTier(e, tn) {
		return false
	}
	a := tn.attempt
	sp.guess, sp.turn = nil, tn
	tn.Utterance, tn.since, tn.endpoint, tn.final = real.Utterance, real.since, real.endpoint, real.final
	tn.began, tn.started = time.Now(), time.Now()
	t.number(tn, true)
	t.hearing.talked(tn.agent, tn.Speaker, tn.route)
	t.busy[tn.agent] = tn
	t.open[tn.number] = tn
	chosen := tn.npc.Choose(tn.Text, t.players(tn))
	tn.choice.Ceiling, tn.choice.Reason = chosen.Ceiling, chosen.Reason
	t.announce(tn)
	t.lapse(tn.agent)
	t.move(tn, thinking)
	close(a.meant)
	for _, r := range a.backlog {
		t.takeReport(ctx, a, r)
	}
	a.backlog = nil
	t.armFiller(tn)
	t.react(ctx, a)
	t.settle(ctx, a)
	return true
}

// sameTier reports whether a guess was made at the tier that is now chosen, or
// at the one its plan lowered that to.
func sameTier(e agent.Choice, tn *turn) bool {
	return e.Tier == tn.choice.Tier || len(tn.plan.Decisions) > 0 && e.Tier > tn.choice.Tier
}

// dropGuesses gives up all guesses: what they were made on is not so any more.
func (t *Table) dropGuesses(ctx context.Context) {
	for _, s := range t.seats {
		for _, sp := range s.passages {
			t.dropGuess(ctx, sp)
		}
	}
}

// dropGuess gives up a guess; nothing of it was heard or told.
func (t *Table) dropGuess(ctx context.Context, sp *passage) {
	if sp.guess != nil {
		t.move(sp.guess, over)
		t.drop(ctx, sp.guess)
		sp.guess = nil
	}
}
