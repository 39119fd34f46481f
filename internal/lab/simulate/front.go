package simulate

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// ErrNoCodec means that no codec is available for sound over Discord or to
// browsers.
var ErrNoCodec = errors.New("voice channels and browsers need libopus")

// front connects tables to players at a far end.
type front interface {
	// connect returns the line of a new table.
	connect(s *sitting, o *Options, m *meter) line
	// awaitPlayers returns when all players of all tables are present. All
	// tables must be running.
	awaitPlayers(ctx context.Context) error
	// order sends the far end an order.
	order(o farOrder) error
	// addToReport ends the measurement at the far end and stores its traffic.
	addToReport(r *Report, m *meter) error
	// close ends the far end. No table may be running.
	close() error
}

// line carries one table's NPC sound to its players, and the players' sound to
// the table.
type line interface {
	mixer.Outlet
	// handedOver is called with the lateness of each frame.
	handedOver(late time.Duration)
	// sink returns a sink that passes the table's events to w, and uses them
	// for the line.
	sink(w table.Sink) table.Sink
	// open connects the running table of s. hold runs functions that keep the
	// connection until its context ends.
	open(ctx context.Context, s *sitting, hold func(func(context.Context) error)) error
}

// openFront opens the front of a load, or returns nil if its players are in
// this process.
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
