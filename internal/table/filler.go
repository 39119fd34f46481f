package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// A filler is a stock phrase that bridges the wait for an answer.

// fillerAllowed reports whether the NPC of a turn may say a stock phrase now.
func (t *Table) fillerAllowed(tn *turn) bool {
	return t.o.audible() && tn.kind != whisperTurn && len(tn.addressee.agent.NPC.Lines["filler"]) > 0 && !t.recentSpeech.phraseUsed[tn.addressee.index]
}

// scheduleFiller makes the NPC say a stock phrase at once if the plan says so, otherwise once the answer is late.
func (t *Table) scheduleFiller(tn *turn) {
	switch {
	case !tn.isAnswer() || tn.kind == whisperTurn || !t.o.audible():
	case tn.plan.pace.Opener:
		t.sendPhrase(tn)
	case tn.plan.pace.FillerAfter > 0:
		t.agenda.put(fillerDue{tn}, tn.plan.pace.FillerAfter-tn.elapsed(), fillerDue{tn})
	}
}

// cancelFiller cancels a phrase that is not due yet.
func (t *Table) cancelFiller(tn *turn) { t.agenda.remove(fillerDue{tn}) }

// fillLateAnswer says a stock phrase, unless the answer has begun or the player may have more to say.
func (t *Table) fillLateAnswer(tn *turn) {
	if tn.phase == thinking && !tn.words.playerSpeaking && !t.recentSpeech.phraseUsed[tn.addressee.index] {
		t.sendPhraseIfCertain(tn)
	}
}

// sendPhraseIfCertain says a stock phrase. If the NPC may decline, the phrase waits until the NPC has begun to
// answer, because a phrase without an answer would be a reply to a line that was not meant for the NPC.
func (t *Table) sendPhraseIfCertain(tn *turn) {
	if a := tn.attempt; tn.addressee.mayDecline && a.certainty != sure {
		a.certainty = phraseDue
		return
	}
	t.sendPhrase(tn)
}

// lateAnswerPatience is how long an answer that has begun late may take to its first sentence before a stock
// phrase may be said first.
const lateAnswerPatience = 500 * time.Millisecond

// recordAnswering records that an NPC that might have declined answers.
func (t *Table) recordAnswering(tn *turn) {
	due := tn.attempt.certainty == phraseDue
	tn.attempt.certainty = sure
	if due {
		t.agenda.put(fillerDue{tn}, lateAnswerPatience, fillerDue{tn})
	}
}

// sendPhrase makes the NPC say a stock phrase while the answer is not ready.
func (t *Table) sendPhrase(tn *turn) {
	lines := tn.addressee.npc.Lines["filler"]
	if len(lines) == 0 {
		return
	}
	select {
	case tn.attempt.phrase <- lines[int(tn.number)%len(lines)]:
	default: // a phrase is waiting already
	}
}

// announcePhrase emits [Policy] for a stock phrase that begins, unless announceTurn did.
func (t *Table) announcePhrase(tn *turn) {
	if tn.plan.pace.Opener || slices.ContainsFunc(tn.plan.pace.Decisions, func(d cost.Decision) bool { return d.Step == cost.Filler }) {
		return
	}
	after := time.Since(tn.words.since)
	t.announceStep(tn, cost.Decision{Step: cost.Filler, Reason: "no sound after " + after.Round(time.Millisecond).String(), Projected: after, Target: tn.plan.target})
}

// announceStep emits [Policy] for a step against lateness.
func (t *Table) announceStep(tn *turn, d cost.Decision) {
	t.effects.emit(tn.number, KindPolicy, &Policy{
		NPC: tn.addressee.npc.Name, Step: string(d.Step), Reason: d.Reason, ProjectedMS: mcp.RoundedMillis(d.Projected), TargetMS: mcp.RoundedMillis(d.Target),
	})
}
