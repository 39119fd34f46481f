package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// farSetup is the first message to a far end, which answers with a
// farend.Address when it is ready.
type farSetup struct {
	Tables  int  `json:"tables"`
	Players int  `json:"players"`
	Plain   bool `json:"plain"`
	// Browser makes the players guests of tables in browsers, instead of using
	// a voice server.
	Browser bool `json:"browser,omitempty"`
}

// farOrder is a later message to a far end: a player's utterance, or a command
// about the measurement.
type farOrder struct {
	Table  int           `json:"table"`
	Player int           `json:"player"`
	Text   string        `json:"text,omitempty"` // empty: a cough
	Pause  time.Duration `json:"pause,omitempty"`
	// Join makes the players in browsers join, by the links of all tables. The
	// answer is a farAnswer.
	Join []string `json:"join,omitempty"`
	// Measure begins or ends the measurement; the answer to the end is a
	// PeerReport.
	Measure string `json:"measure,omitempty"`
}

// farAnswer is the result of an order.
type farAnswer struct {
	Failed string `json:"failed,omitempty"` // why the order failed
}

const (
	measureBegin = "begin"
	measureEnd   = "end"
	// farQueue bounds the utterances that wait for a player; further ones are
	// dropped.
	farQueue = 4
)

// ServeFarEnd runs the other end of a simulation over Discord or in browsers:
// the players, and for Discord a voice server. It reads orders from in, one
// JSON object after the other, and writes answers to out; it ends with in, or
// when ctx ends.
func ServeFarEnd(ctx context.Context, in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var setup farSetup
	if err := orders.Decode(&setup); err != nil {
		return fmt.Errorf("reading what to set up: %w", err)
	}
	load := Load{Tables: setup.Tables, Players: setup.Players, NPCs: 1, Duration: time.Second}
	if err := load.Check(); err != nil {
		return err
	}
	lib, err := opus.Load()
	if err != nil {
		return err
	}
	p := &pool{}
	if err := p.addPlayers(ctx, lib); err != nil {
		return err
	}
	f := &farSide{pool: p}
	if err := f.open(setup); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.run(ctx, group, setup)
	err = answers.Encode(f.address())
	if err == nil {
		err = f.obey(ctx, group, orders, answers)
	}
	cancel()
	return errors.Join(err, group.Wait(), f.guests.leave())
}

// farSide is the far end and its players.
type farSide struct {
	server  *farend.Server // nil in browsers
	guests  guests         // by table, then by player; nil over Discord
	meter   *farMeter
	pool    *pool
	players [][]*player // by table
}

// open sets up the players' connections.
func (f *farSide) open(setup farSetup) (err error) {
	if setup.Browser {
		f.meter = newFarMeter(setup.Tables, setup.Players)
		f.guests = newGuests(setup, f.meter, f.pool)
		return nil
	}
	f.meter = newFarMeter(setup.Tables, 1)
	f.server, err = farend.Listen(farend.Options{Channels: setup.Tables, Players: setup.Players, Plain: setup.Plain, Heard: f.meter.packet})
	return err
}

// address is where the bot connects; empty in browsers.
func (f *farSide) address() farend.Address {
	if f.server == nil {
		return farend.Address{}
	}
	return f.server.Address()
}

// farSeat is a player's place in a channel.
type farSeat struct {
	server        *farend.Server
	table, player int
}

// Push implements seat.
func (s farSeat) Push(p ear.Packet) { s.server.Send(s.table, s.player, p.Payload) }

// run starts the server and the players.
func (f *farSide) run(ctx context.Context, group *errgroup.Group, setup farSetup) {
	if f.server != nil {
		group.Go(func() error { return f.server.Run(ctx) })
	}
	for n := range setup.Tables {
		var at []*player
		for i := range setup.Players {
			p := newPlayer("", pitchOfPlayer(n, i), hasOpenMicrophone(i), f.pool)
			p.seat, p.asks = farSeat{f.server, n, i}, make(chan *utterance, farQueue)
			if f.guests != nil {
				g := f.guests[n][i]
				p.seat, p.between, p.open = g, g.sayNothing, true
			}
			group.Go(func() error {
				p.sendPackets(ctx)
				return nil
			})
			at = append(at, p)
		}
		f.players = append(f.players, at)
	}
}

// obey executes orders until there are no more.
func (f *farSide) obey(ctx context.Context, group *errgroup.Group, orders *json.Decoder, answers *json.Encoder) error {
	for {
		var o farOrder
		switch err := orders.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading an order: %w", err)
		}
		switch {
		case o.Measure == measureBegin:
			f.meter.begin()
		case len(o.Join) > 0: // so that the end of the input is noticed meanwhile
			group.Go(func() error { return answers.Encode(f.guests.join(ctx, o.Join)) })
		case o.Measure == measureEnd:
			if err := answers.Encode(f.meter.report()); err != nil {
				return err
			}
		case o.Table < 0 || o.Table >= len(f.players) || o.Player < 0 || o.Player >= len(f.players[o.Table]):
			return fmt.Errorf("an order for player %d of table %d, whom there is not", o.Player, o.Table)
		default:
			f.haveSay(o)
		}
	}
}

func (f *farSide) haveSay(o farOrder) {
	u := &utterance{text: o.Text, pause: o.Pause, done: make(chan struct{})}
	if o.Text != "" {
		f.meter.lineBegins(o.Table)
		u.said = func() { f.meter.lineEnds(o.Table, time.Now()) }
	}
	select {
	case f.players[o.Table][o.Player].asks <- u:
	default:
	}
}
