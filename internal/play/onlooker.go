package play

import "github.com/MrWong99/glyphoxa/internal/table"

// Onlooker is notified of a game's sessions in addition to the front that plays them. It must be safe for
// concurrent use, and its methods must not block.
type Onlooker interface {
	// Began reports a session whose table is running, and Ended one that is about to end.
	Began(*Game, *Session)
	Ended(*Game, *Session)
	// Saw reports every event of the game's tables, in order for each table, before the table's own
	// [table.Sink].
	Saw(*Game, table.Event)
	// Forgot reports that a user was forgotten, so that earlier lines must no longer be shown.
	Forgot(*Game)
}

// watchedSink passes events to an onlooker, and then to their own sink.
type watchedSink struct {
	table.Sink
	game *Game
}

// Emit implements [table.Sink].
func (s watchedSink) Emit(e table.Event) {
	s.game.onlooker.Saw(s.game, e)
	s.Sink.Emit(e)
}

// watched returns a session's sink, preceded by the game's onlooker if there is one.
func watched(g *Game, sink table.Sink) table.Sink {
	if g.onlooker == nil {
		return sink
	}
	return watchedSink{sink, g}
}
