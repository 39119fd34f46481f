package terminal

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestGuardedWords wants a sentence of its own for every reason of the guard, because the reasons are no words
// that a DM knows.
func TestGuardedWords(t *testing.T) {
	for reason, want := range map[guard.Reason]string{
		guard.Secret: "Bartok was stopped from telling a secret", guard.Prompt: "Bartok was stopped from talking about its instructions",
		guard.Roll: "Bartok was stopped from making up a dice roll", guard.Voice: "Bartok was stopped from speaking for someone else",
		guard.Model: "Bartok was stopped from talking about being a language model", guard.Syntax: "Bartok was stopped from reading out program text",
		guard.Direction: "Bartok was stopped from reading out a stage direction", guard.Mechanics: "Bartok was stopped from talking about the rules of the game",
		guard.Markup: "Bartok was stopped from reading out formatting", guard.Repeated: "Bartok was stopped from repeating itself",
		guard.Language: "Bartok was stopped from speaking another language", guard.TooLong: "Bartok was stopped from talking for too long",
		guard.Declined: "Bartok was stopped from announcing that it says nothing", "a new reason": "Bartok was stopped from saying something",
	} {
		if got := describeGuarded(&table.Guarded{NPC: "Bartok", Reason: string(reason)}); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}

func TestStepWords(t *testing.T) {
	for _, row := range []struct {
		step    cost.Step
		figures bool
		want    string
	}{
		{cost.Filler, false, "Bartok says something first to fill the wait, because the answer would be late"},
		{cost.LowerTier, true, "Bartok answers more quickly this time, because the answer would be late: first sound expected after 3.0 s"},
		{"a new step", false, "Bartok answers differently, because the answer would be late"},
	} {
		e := &table.Policy{NPC: "Bartok", Step: string(row.step), Reason: "first sound expected after 3.0 s"}
		if got := describeStep(e, row.figures); got != row.want {
			t.Errorf("%s: %q, want %q", row.step, got, row.want)
		}
	}
}
