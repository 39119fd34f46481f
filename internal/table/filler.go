package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/pace"
)

// fillers are the stock phrases that bridge a wait. They belong to the table's
// goroutine.
type fillers struct {
	agenda  *agenda
	effects *effects
	voiced  func() bool  // the NPCs are heard now
	last    map[int]bool // NPCs whose last words were a stock phrase
}

// mayFill reports whether a turn's NPC may say one.
func (f *fillers) mayFill(tn *turn) bool {
	return f.voiced() && !tn.whispered && len(tn.npc.NPC.Lines["filler"]) > 0 && !f.last[tn.agent]
}

// armFiller has a stock phrase said at once if the plan says so, or once the answer is
// late.
func (f *fillers) armFiller(tn *turn) {
	switch {
	case !tn.isAnswer() || tn.whispered || !f.voiced():
	case tn.plan.Opener:
		f.sayPhrase(tn)
	case tn.plan.FillerAfter > 0:
		f.agenda.put(fillerDue{tn}, tn.plan.FillerAfter-tn.spent(), fillerDue{tn})
	}
}

// disarmFiller leaves a turn without.
func (f *fillers) disarmFiller(tn *turn) { f.agenda.remove(fillerDue{tn}) }

// sayIfLate says a stock phrase, unless the answer has begun or the player may
// have more to say.
func (f *fillers) sayIfLate(tn *turn) {
	if tn.phase == thinking && !tn.held && !f.last[tn.agent] {
		f.sayOnceBegun(tn)
	}
}

// sayOnceBegun says a stock phrase; that of a turn that may decline once it is sure
// that it does not: a phrase without an answer would be the NPC's word to what was
// not meant for it.
func (f *fillers) sayOnceBegun(tn *turn) {
	if a := tn.attempt; tn.mayDecline && !a.begun {
		a.owed = true
		return
	}
	f.sayPhrase(tn)
}

// begunPatience is how long an answer that has begun late has for its first sentence
// before a phrase may come first.
const begunPatience = 500 * time.Millisecond

// noteBegun takes in that a turn that might have declined is answered.
func (f *fillers) noteBegun(tn *turn) {
	a := tn.attempt
	a.begun = true
	if a.owed {
		a.owed = false
		f.agenda.put(fillerDue{tn}, begunPatience, fillerDue{tn})
	}
}

// sayPhrase has the NPC pass the time with a stock phrase.
func (f *fillers) sayPhrase(tn *turn) {
	lines := tn.as.Lines["filler"]
	if len(lines) == 0 {
		return
	}
	select {
	case tn.attempt.phrase <- lines[int(tn.number)%len(lines)]:
	default: // one is under way
	}
}

// announcePhrase tells of a stock phrase that begins, unless the plan has told of it.
func (f *fillers) announcePhrase(tn *turn) {
	if tn.plan.Opener || slices.ContainsFunc(tn.plan.Decisions, func(d pace.Decision) bool { return d.Step == pace.Filler }) {
		return
	}
	after := time.Since(tn.since)
	f.announceStep(tn, pace.Decision{Step: pace.Filler, Reason: "no sound after " + after.Round(time.Millisecond).String(), Projected: after, Target: tn.target})
}

// announceStep tells of a step against lateness.
func (f *fillers) announceStep(tn *turn, d pace.Decision) {
	f.effects.emit(tn.number, KindPolicy, &Policy{
		NPC: tn.as.Name, Step: string(d.Step), Reason: d.Reason, ProjectedMS: elapsed.Rounded(d.Projected), TargetMS: elapsed.Rounded(d.Target),
	})
}
