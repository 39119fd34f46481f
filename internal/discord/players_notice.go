package discord

import (
	"github.com/MrWong99/glyphoxa/internal/table"
)

// playersNotice returns the players' text for an event that reports a problem, or nil. The reasons are
// only for the operator, and for DMs who ask.
func playersNotice(e table.Event) *Phrase {
	switch e := e.(type) {
	case *table.TurnEnded:
		switch {
		case e.Outcome != table.OutcomeFailed:
		case e.Ledger.BreachStage == "commit": // a notice has reported it
		case e.NPC == "":
			return NotAnswered.With()
		default:
			return CouldNotAnswer.With(escapeMarkup(e.NPC))
		}
	case *table.Notice:
		switch {
		case e.Code == table.CodeWaits:
			return WaitsToBeKept.With()
		case e.Code == table.CodeKept:
			return KeptAgain.With()
		case e.Level == "error" && table.HeaderOf(e).Turn == 0:
			return NotKept.With()
		}
	case *table.Cost:
		switch e.Level {
		case "cheaper":
			return AnswerCheaply.With()
		case "lines":
			return AnswerByLines.With()
		}
	}
	return nil
}
