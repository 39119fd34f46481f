package table

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// register numbers turns, moves them from phase to phase, and has those that
// have begun and not ended. It belongs to the table's goroutine.
type register struct {
	log     *slog.Logger
	effects *effects
	count   int64 // turns so far
	open    map[int64]*turn
}

// moveTo takes a turn into another phase.
func (r *register) moveTo(tn *turn, to phase) {
	if !tn.phase.leadsTo(to) {
		r.log.Error("a turn goes where it may not", slog.Int64("turn", tn.number), slog.String("from", tn.phase.String()), slog.String("to", to.String()))
	}
	tn.phase = to
}

func (r *register) nextNumber() int64 {
	r.count++
	return r.count
}

// announceUtterance makes a turn known: from here on it ends in one [TurnEnded].
func (r *register) announceUtterance(tn *turn) {
	tn.number = r.nextNumber()
	text := untrusted.Clean(tn.Text, maxText)
	if len([]rune(tn.Text)) > maxText {
		r.effects.notify(tn.number, "warning", fmt.Sprintf("the line was longer than %d characters; the rest was cut", maxText))
	}
	tn.Text = text
	r.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: tn.Text, Spoken: tn.spoken})
}

// rewordTurn gives a turn another text, from now on.
func (r *register) rewordTurn(tn *turn, text string) {
	tn.Text, tn.since = text, time.Now()
	r.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Continued: true})
}

// extendTurn gives a turn the whole of what its player said, now that there is more
// of it.
func (r *register) extendTurn(tn *turn, text string, timing timing) {
	tn.Text, tn.timing = text, timing
	r.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Spoken: true, Continued: true})
}
