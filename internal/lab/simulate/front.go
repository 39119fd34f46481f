package simulate

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// ErrNoCodec means that sound over Discord or to browsers cannot be encoded.
var ErrNoCodec = errors.New("voice channels and browsers need libopus")

// front is where tables play whose players are at a far end.
type front interface {
	// connect returns the line of a table that is being set up.
	connect(s *sitting, o *Options, m *meter) line
	// awaitPlayers returns once all players of all tables are there. All tables run.
	awaitPlayers(ctx context.Context) error
	// order gives the far end an order.
	order(o farOrder) error
	// addToReport ends the measurement at the far end and stores what went there and back.
	addToReport(r *Report, m *meter) error
	// close ends the far end. No table runs any more.
	close() error
}

// line is how the NPCs' sound of one table reaches its players, and how they reach the table.
type line interface {
	mixer.Outlet
	// handedOver is told how late each frame was handed over.
	handedOver(late time.Duration)
	// sink returns what takes the table's events for w, and for the line's own purposes.
	sink(w table.Sink) table.Sink
	// open connects the table of s, which runs. hold runs what keeps the connection until
	// its context ends.
	open(ctx context.Context, s *sitting, hold func(func(context.Context) error)) error
}

// openFront opens where the tables of a load play, nil if their players are here.
func openFront(ctx context.Context, load Load, o *Options) (front, error) {
	switch {
	case o.Discord == nil && o.Browser == nil:
		return nil, nil
	case o.Library == nil:
		return nil, ErrNoCodec
	case o.Discord != nil:
		o.Tell("starting the far end of the voice channels")
		return openVoiceChannels(ctx, load, o.Discord)
	}
	o.Tell("starting the players in browsers")
	return openRooms(ctx, load, o)
}
