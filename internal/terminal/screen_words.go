package terminal

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// guardedWords say what the guard stopped an NPC from doing, by its reason.
var guardedWords = map[guard.Reason]string{
	guard.Secret: "telling a secret", guard.Prompt: "talking about its instructions", guard.Roll: "making up a dice roll",
	guard.Voice: "speaking for someone else", guard.Model: "talking about being a language model", guard.Syntax: "reading out program text",
	guard.Direction: "reading out a stage direction", guard.Mechanics: "talking about the rules of the game", guard.Markup: "reading out formatting",
	guard.Repeated: "repeating itself", guard.Language: "speaking another language", guard.TooLong: "talking for too long",
	guard.Declined: "announcing that it says nothing",
}

// describeGuarded says what an NPC was stopped from doing.
func describeGuarded(e *table.Guarded) string {
	what, ok := guardedWords[guard.Reason(e.Reason)]
	if !ok {
		what = "saying something"
	}
	return e.NPC + " was stopped from " + what
}

// stepWords say what an NPC does so that its answer is not late.
var stepWords = map[cost.Step]string{
	cost.LowerTier: "answers more quickly this time", cost.Opener: "starts with a short sentence", cost.Fallback: "answers with a faster model",
	cost.Filler: "says something first to fill the wait", cost.Cascade: "starts with a faster model",
}

// describeStep says what an NPC does so that its answer is not late. The reason is full of figures, so it is
// only for those who also want to see how long answers take.
func describeStep(e *table.Policy, figures bool) string {
	did, ok := stepWords[cost.Step(e.Step)]
	if !ok {
		did = "answers differently"
	}
	text := fmt.Sprintf("%s %s, because the answer would be late", e.NPC, did)
	if figures {
		text += ": " + e.Reason
	}
	return text
}

// outcomeWords name the outcomes of turns.
var outcomeWords = map[table.Outcome]string{
	table.OutcomeDelivered: "answered", table.OutcomeBarged: "interrupted", table.OutcomeCancelled: "given up", table.OutcomeFailed: "failed",
}

// outcomeWord returns a readable name of an outcome.
func outcomeWord(o table.Outcome) string {
	if word, ok := outcomeWords[o]; ok {
		return word
	}
	return string(o)
}

// stageWords name the stages of a turn.
var stageWords = map[string]string{
	"endpoint": "end of speech", "stt": "transcript", "queue": "waiting", "route": "who is meant", "context": "remembering", "llm": "model",
	"writing": "first sentence", "tool": "tools", "tts": "voice", "floor": "waiting to speak", "commit": "saving", "playback": "playing", "filler": "filler line",
}

// stageWord returns a readable name of a stage.
func stageWord(stage string) string {
	if word, ok := stageWords[stage]; ok {
		return word
	}
	return stage
}
