package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/discord/voice/rtp"
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/internal/simulate/farend"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// farSetup is the first message to a far end, which answers with a farend.Address
// once it is there.
type farSetup struct {
	Tables  int  `json:"tables"`
	Players int  `json:"players"`
	Plain   bool `json:"plain"`
}

// farOrder is each further message to a far end: an utterance of a player, or what
// to do about the measurement.
type farOrder struct {
	Table  int           `json:"table"`
	Player int           `json:"player"`
	Text   string        `json:"text,omitempty"` // empty: a cough
	Pause  time.Duration `json:"pause,omitempty"`
	// Measure begins or ends the measurement; the end is answered with a PeerReport.
	Measure string `json:"measure,omitempty"`
}

const (
	measureBegin = "begin"
	measureEnd   = "end"
	// farQueue is how many utterances wait for a player; what is more is left out.
	farQueue = 4
)

// ServeFarEnd is the other end of a simulation over Discord: a voice server with the
// players, who say what they are told to. It takes its orders from in, one JSON
// object after the other, and answers to out; it ends with in, or when ctx ends.
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
	f := &farSide{meter: newFarMeter(setup.Tables), pool: p}
	f.server, err = farend.Listen(farend.Options{Channels: setup.Tables, Players: setup.Players, Plain: setup.Plain, Heard: f.meter.packet})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() error { return f.server.Run(ctx) })
	f.seatPlayers(ctx, group, setup)
	err = answers.Encode(f.server.Address())
	if err == nil {
		err = f.obey(orders, answers)
	}
	cancel()
	return errors.Join(err, group.Wait())
}

// farSide is the far end with its players.
type farSide struct {
	server  *farend.Server
	meter   *farMeter
	pool    *pool
	players [][]*player // by table
}

// farSeat is a player's place in a channel.
type farSeat struct {
	server        *farend.Server
	table, player int
}

// Push implements seat.
func (s farSeat) Push(p lane.Packet) { s.server.Send(s.table, s.player, p.Payload) }

func (f *farSide) seatPlayers(ctx context.Context, group *errgroup.Group, setup farSetup) {
	for n := range setup.Tables {
		var at []*player
		for i := range setup.Players {
			p := newPlayer("", pitchOfPlayer(n, i), hasOpenMicrophone(i), f.pool)
			p.seat, p.asks = farSeat{f.server, n, i}, make(chan *utterance, farQueue)
			group.Go(func() error {
				p.sendPackets(ctx)
				return nil
			})
			at = append(at, p)
		}
		f.players = append(f.players, at)
	}
}

// obey carries out orders until there are no more.
func (f *farSide) obey(orders *json.Decoder, answers *json.Encoder) error {
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

// farMeter measures what arrives at the far end. It is safe for concurrent use.
type farMeter struct {
	jitter, first histogram

	mu       sync.Mutex // guards the fields below
	began    time.Time
	cpu      time.Duration // used before began
	channels []farChannel
	packets  uint64
	lost     uint64
	failed   uint64
}

// farChannel is what was heard of a bot last, and whom it may answer.
type farChannel struct {
	seq       uint16
	timestamp uint32
	at        time.Time // zero before any packet
	sound     time.Time // of the last packet that was not silence
	ended     time.Time // the last line of a player, zero if an answer has begun
}

// spurtGap without sound is between two spurts.
const spurtGap = 100 * time.Millisecond

func newFarMeter(tables int) *farMeter { return &farMeter{channels: make([]farChannel, tables)} }

func (m *farMeter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = time.Now()
	m.cpu, _ = processorTime()
}

func (m *farMeter) lineBegins(table int) { m.lineEnds(table, time.Time{}) }

func (m *farMeter) lineEnds(table int, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.channels[table].ended = at
}

// packet takes one of a bot's.
func (m *farMeter) packet(p farend.Packet) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &m.channels[p.Channel]
	m.packets++
	if p.Err != nil {
		m.failed++
	}
	if !c.at.IsZero() {
		if missing := int16(p.Seq - c.seq - 1); missing > 0 {
			m.lost += uint64(missing)
		}
		if p.Seq == c.seq+1 && p.Timestamp == c.timestamp+rtp.FrameSamples && !p.Silence && c.sound.Equal(c.at) {
			m.jitter.addDuration((p.At.Sub(c.at) - audio.FrameDuration).Abs())
		}
	}
	if !p.Silence {
		if !c.ended.IsZero() && p.At.Sub(c.sound) > spurtGap && p.At.After(c.ended) {
			m.first.addDuration(p.At.Sub(c.ended))
			c.ended = time.Time{}
		}
		c.sound = p.At
	}
	c.seq, c.timestamp, c.at = p.Seq, p.Timestamp, p.At
}

func (m *farMeter) report() PeerReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := PeerReport{Packets: m.packets, Lost: m.lost, DecryptFailures: m.failed}
	if d := m.jitter.distribution(); d.total > 0 {
		jitter := lateness(d)
		r.Jitter = &jitter
	}
	if d := m.first.distribution(); d.total > 0 {
		first := percentiles(d)
		r.FirstSound = &first
	}
	if cpu, known := processorTime(); known {
		r.CPUPercent = percent(cpu-m.cpu, time.Since(m.began))
	}
	rss, _ := resident()
	r.RSSMB = megabytes(rss)
	return r
}
