package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// outcomeDropped is the outcome of a guess that was dropped, in its trace.
const outcomeDropped Outcome = "dropped"

// dropTrace ends the trace of an answer that was dropped.
func (tn *turn) dropTrace() {
	tn.record.trace.End(tracing.TurnEnd{Outcome: string(outcomeDropped)})
	tn.record.trace = nil
}

// openTrace begins the trace of a turn whose answer begins, unless it has one. The trace of a guess becomes
// the turn's.
func (t *Table) openTrace(tn *turn) {
	if tn.record.trace != nil || t.o.Tracer == nil {
		return
	}
	since := tn.words.since
	if since.IsZero() { // a guess: the player has not ended
		since = time.Now()
	}
	tn.record.trace = t.o.Tracer.StartTurn(tn.addressee.npc.Name, t.o.Session.ID, since)
}

// closeTrace ends the trace of a turn. It adds the stages of the ledger that are not calls of models or
// tools, each at its time.
func (t *Table) closeTrace(tn *turn, l Ledger, outcome Outcome) {
	if tn.record.trace == nil {
		if t.o.Tracer == nil || tn.addressee.index < 0 {
			return // no NPC was addressed
		}
		t.openTrace(tn)
	}
	heard := tn.words.since.Add(tn.words.endpoint)
	tn.record.trace.Stage("endpoint", tn.words.since, heard)
	tn.record.trace.Stage("stt", heard, heard.Add(tn.words.final))
	if !tn.words.knownAt.IsZero() && !tn.plan.started.IsZero() {
		tn.record.trace.Stage("queue", tn.words.knownAt, tn.plan.started)
	}
	if a := tn.attempt; a != nil {
		tn.record.trace.Stage("context", a.began, a.began.Add(milliseconds(l.ContextMS)))
	}
	if l.FirstSubstanceMS > 0 {
		sound := tn.words.since.Add(milliseconds(l.FirstSubstanceMS))
		ready := sound.Add(-milliseconds(l.FloorMS))
		tn.record.trace.Stage("floor", ready, sound)
		tn.record.trace.Stage("tts", ready.Add(-milliseconds(l.TTSFirstAudioMS)), ready)
	}
	tn.record.trace.End(tracing.TurnEnd{
		Number: tn.number, Route: string(tn.addressee.route), Tier: tn.plan.choice.Tier.String(), Outcome: string(outcome), Budget: l.Budget, BreachStage: l.BreachStage,
		TargetMS: l.TargetMS, SoundMS: l.FirstSoundMS, AnswerMS: l.FirstSubstanceMS, ToolRounds: l.ToolRounds,
		InputTokens: l.InputTokens, OutputTokens: l.OutputTokens, Failed: outcome == OutcomeFailed,
	})
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
