package discord

import (
	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// playersNotice is what of an event that went wrong those at the table are told, nil if
// nothing: why it did is for whoever runs the bot, and for DMs who ask.
func playersNotice(e table.Event) *wording.Phrase {
	switch e := e.(type) {
	case *table.TurnEnded:
		switch {
		case e.Outcome != table.OutcomeFailed:
		case e.Ledger.BreachStage == "commit": // a notice has told
		case e.NPC == "":
			return wording.NotAnswered.With()
		default:
			return wording.CouldNotAnswer.With(escapeMarkup(e.NPC))
		}
	case *table.Notice:
		switch {
		case e.Code == table.CodeWaits:
			return wording.WaitsToBeKept.With()
		case e.Code == table.CodeKept:
			return wording.KeptAgain.With()
		case e.Level == "error" && table.HeaderOf(e).Turn == 0:
			return wording.NotKept.With()
		}
	case *table.Cost:
		switch e.Level {
		case "cheaper":
			return wording.AnswerCheaply.With()
		case "lines":
			return wording.AnswerByLines.With()
		}
	}
	return nil
}
