package discord

import (
	"github.com/MrWong99/glyphoxa/internal/table"
)

// playersNotice is what of an event that went wrong those at the table are told, nil if
// nothing: why it did is for whoever runs the bot, and for DMs who ask.
func playersNotice(e table.Event) *Phrase {
	switch e := e.(type) {
	case *table.TurnEnded:
		switch {
		case e.Outcome != table.OutcomeFailed:
		case e.Ledger.BreachStage == "commit": // a notice has told
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
