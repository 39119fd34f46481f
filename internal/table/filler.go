package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// A filler is a stock phrase that bridges the wait for an answer.

// mayFill reports whether the NPC of a turn may say a stock phrase now.
func (t *Table) mayFill(tn *turn) bool {
	return t.o.voiced() && tn.kind != whisperTurn && len(tn.to.agent.NPC.Lines["filler"]) > 0 && !t.past.phrased[tn.to.index]
}

// armFiller makes the NPC say a stock phrase at once if the plan says so, otherwise once the answer is late.
func (t *Table) armFiller(tn *turn) {
	switch {
	case !tn.isAnswer() || tn.kind == whisperTurn || !t.o.voiced():
	case tn.plan.pace.Opener:
		t.sayPhrase(tn)
	case tn.plan.pace.FillerAfter > 0:
		t.agenda.put(fillerDue{tn}, tn.plan.pace.FillerAfter-tn.spent(), fillerDue{tn})
	}
}

// disarmFiller cancels a phrase that is not due yet.
func (t *Table) disarmFiller(tn *turn) { t.agenda.remove(fillerDue{tn}) }

// sayIfLate says a stock phrase, unless the answer has begun or the player may have more to say.
func (t *Table) sayIfLate(tn *turn) {
	if tn.phase == thinking && !tn.words.held && !t.past.phrased[tn.to.index] {
		t.sayOnceBegun(tn)
	}
}

// sayOnceBegun says a stock phrase. If the NPC may decline, the phrase waits until the NPC has begun to
// answer, because a phrase without an answer would be a reply to a line that was not meant for the NPC.
func (t *Table) sayOnceBegun(tn *turn) {
	if a := tn.attempt; tn.to.mayDecline && a.certainty != sure {
		a.certainty = phraseDue
		return
	}
	t.sayPhrase(tn)
}

// begunPatience is how long an answer that has begun late may take to its first sentence before a stock
// phrase may be said first.
const begunPatience = 500 * time.Millisecond

// recordBegun records that an NPC that might have declined answers.
func (t *Table) recordBegun(tn *turn) {
	due := tn.attempt.certainty == phraseDue
	tn.attempt.certainty = sure
	if due {
		t.agenda.put(fillerDue{tn}, begunPatience, fillerDue{tn})
	}
}

// sayPhrase makes the NPC say a stock phrase while the answer is not ready.
func (t *Table) sayPhrase(tn *turn) {
	lines := tn.to.npc.Lines["filler"]
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
		NPC: tn.to.npc.Name, Step: string(d.Step), Reason: d.Reason, ProjectedMS: mcp.RoundedMillis(d.Projected), TargetMS: mcp.RoundedMillis(d.Target),
	})
}
