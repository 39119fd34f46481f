package play

import "github.com/MrWong99/glyphoxa/internal/table"

// Onlooker is told of a game's sessions beside the front that plays them. It is safe for
// concurrent use, and its methods return at once.
type Onlooker interface {
	// Began is told of a session whose table runs, Ended when it is about to end.
	Began(*Game, *Session)
	Ended(*Game, *Session)
	// Saw is told of every event of the game's tables, of each table in order, and before
	// that table's own [table.Sink].
	Saw(*Game, table.Event)
	// Forgot is told that somebody is forgotten, so that what was said before is to be
	// shown no more.
	Forgot(*Game)
}

// watchedSink tells an onlooker of events, and then their own sink.
type watchedSink struct {
	table.Sink
	game *Game
}

// Emit implements [table.Sink].
func (s watchedSink) Emit(e table.Event) {
	s.game.onlooker.Saw(s.game, e)
	s.Sink.Emit(e)
}

// watched is a session's sink, which the game's onlooker sees too if there is one.
func watched(g *Game, sink table.Sink) table.Sink {
	if g.onlooker == nil {
		return sink
	}
	return watchedSink{sink, g}
}
