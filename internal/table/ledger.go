package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Ledger accounts for the milliseconds of a turn. Times count from the end of the player's speech unless
// stated otherwise: from the last sound of the player's voice, which is known only afterwards. A stage that
// did not happen is 0. If the answer was not guessed and follows no stock phrase, the stages before the first
// sound add up to FirstSoundMS, apart from one frame at the outlet.
type Ledger struct {
	// EndpointMS is the wait until the utterance counted as finished, and STTFinalMS the wait from then until
	// its final transcript. Both are 0 for typed lines.
	EndpointMS float64 `json:"endpoint_ms"`
	STTFinalMS float64 `json:"stt_final_ms"`
	// RouteUS is the time, in microseconds, to decide who answers and how.
	RouteUS float64 `json:"route_us"`
	// BeginMS is when work on the answer began: before the final transcript if the words were guessed, later if
	// the utterance had to wait, and below 0 if the answer could not have been heard at once.
	BeginMS float64 `json:"begin_ms"`
	// ContextMS is the time to assemble the NPC's knowledge.
	ContextMS float64 `json:"context_ms"`
	// LLMFirstTokenMS is the time from the request to the model until the first piece of its answer.
	LLMFirstTokenMS float64 `json:"llm_first_token_ms"`
	// LLMFirstSentenceMS is the time from then until the first sentence or clause that can be spoken, without
	// the time of tools.
	LLMFirstSentenceMS float64 `json:"llm_first_sentence_ms"`
	// ToolMS is the time of all tool rounds, each as long as its slowest call.
	ToolMS     float64 `json:"tool_ms"`
	ToolRounds int     `json:"tool_rounds"`
	// TTSFirstAudioMS is the time from the first sentence to its first sound.
	TTSFirstAudioMS float64 `json:"tts_first_audio_ms"`
	// FloorMS is the wait for the floor once the answer could be heard.
	FloorMS float64 `json:"floor_ms"`
	// FirstSoundMS is the time to any sound of an NPC, FirstSubstanceMS to the first sound of the answer.
	// Without a voice, the first sentence shown counts.
	FirstSoundMS     float64 `json:"first_sound_ms"`
	FirstSubstanceMS float64 `json:"first_substance_ms"`
	TotalMS          float64 `json:"total_ms"`
	// TargetMS is the tier's target for the first sound; 0 if no NPC answered.
	TargetMS float64 `json:"target_ms"`
	// Budget is "met" or "breached": whether the first sound came within the target. A turn that was due an
	// answer and got none is breached.
	Budget string `json:"budget"`
	// BreachStage is the stage that took longest in a breached turn, or the one
	// that failed: "endpoint", "stt", "queue", "route", "context", "llm", "tool",
	// "tts", "floor", "judge", "playback" or "commit".
	BreachStage string `json:"breach_stage"`
	// InputTokens and OutputTokens count everything sent to and received from the models for this turn,
	// including answers that were dropped. Tokens that a provider did not count are estimated.
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// DroppedGuesses counts the answers that were started before the words were final, and dropped because the
	// words turned out differently. Their tokens and cost are included if the same NPC answers.
	DroppedGuesses int `json:"dropped_guesses"`
	// Judge is the judge's decision about the addressee. "npc", "player" and "nobody" are its decisions.
	// "late" and "failed" mean that it did not decide, and "spent" that it could not be asked, so that the
	// rules decided. It is left out if the line was not in doubt.
	Judge string `json:"judge,omitempty"`
	// JudgeIntent is what the speaker does according to the judge: "speaks", "narrates", "about", "plans" or
	// "aside".
	JudgeIntent string `json:"judge_intent,omitempty"`
	// JudgeMS is how long the line waited for the judge after its words were known. JudgeCalls is how often the
	// judge was asked; it is asked again if the player goes on.
	JudgeMS    float64 `json:"judge_ms,omitempty"`
	JudgeCalls int     `json:"judge_calls,omitempty"`
	// JudgeCost is the judge's part of Cost.
	JudgeCost cost.Amount `json:"judge_cost,omitzero"`
	// Cost is what models and voices cost for this turn up to its end, in the configuration's currency. Speech
	// recognition is charged to the session. Cost is left out if nothing was charged or part of it has no price.
	Cost cost.Amount `json:"cost,omitzero"`
}

// enterCost enters the cost of a turn.
func (l *Ledger) enterCost(s cost.Sum) {
	l.InputTokens, l.OutputTokens, l.Cost = s.InputTokens(), s.OutputTokens(), 0
	if !s.Unpriced {
		l.Cost = s.Amount
	}
}

const (
	budgetMet      = "met"
	budgetBreached = "breached"
)

// judgeBudget compares the turn with its target. stage is the stage in which a failed turn failed, empty for
// others. waited is how long the utterance waited in the queue.
func (l *Ledger) judgeBudget(target time.Duration, outcome Outcome, stage string, waited time.Duration) {
	l.Budget, l.BreachStage = budgetMet, ""
	switch outcome {
	case OutcomeMuted, OutcomeNoTarget, OutcomePassed:
		return // no sound was due
	case OutcomeDelivered, OutcomeBarged:
		if l.FirstSoundMS <= mcp.RoundedMillis(target) {
			return
		}
	}
	l.Budget, l.BreachStage = budgetBreached, stage
	if stage != "" {
		return
	}
	longest := 0.0
	for _, s := range []struct {
		name string
		ms   float64
	}{
		{"endpoint", l.EndpointMS}, {"stt", l.STTFinalMS}, {"queue", mcp.RoundedMillis(waited)}, {"route", l.RouteUS / 1000},
		{"context", l.ContextMS}, {"llm", l.LLMFirstTokenMS + l.LLMFirstSentenceMS}, {"tool", l.ToolMS}, {"tts", l.TTSFirstAudioMS},
		{"floor", l.FloorMS}, {"judge", l.JudgeMS},
	} {
		if s.ms >= longest {
			l.BreachStage, longest = s.name, s.ms
		}
	}
	if rest := l.FirstSoundMS - l.sumStages(waited); rest > longest {
		l.BreachStage = "llm" // a speech-to-speech engine writes no sentence first
	}
}

// sumStages returns the total time of all stages before the first sound.
func (l *Ledger) sumStages(waited time.Duration) float64 {
	return l.EndpointMS + l.STTFinalMS + mcp.RoundedMillis(waited) + l.RouteUS/1000 + l.ContextMS + l.LLMFirstTokenMS + l.LLMFirstSentenceMS + l.ToolMS + l.TTSFirstAudioMS + l.FloorMS
}

// closeLedger returns the ledger of a turn that has ended.
func (tn *turn) closeLedger(end turnEnd) Ledger {
	l := tn.record.ledger
	l.TotalMS = mcp.RoundedMillis(time.Since(tn.words.since))
	l.FloorMS, l.TargetMS = mcp.RoundedMillis(tn.record.floor), mcp.RoundedMillis(tn.plan.target)
	if tn.attempt != nil {
		l.BeginMS = mcp.RoundedMillis(tn.attempt.began.Sub(tn.words.since))
	}
	l.DroppedGuesses = tn.guesses.dropped
	l.enterCost(tn.record.account.Sum().Add(tn.record.judged.recordIn(&l)))
	l.judgeBudget(tn.plan.target, end.outcome, end.stage, tn.queueWait())
	if (tn.retention.lineRetracted || tn.retention.answerRetracted) && end.outcome == OutcomeCancelled { // no answer was due
		l.Budget, l.BreachStage = budgetMet, ""
	}
	return l
}
