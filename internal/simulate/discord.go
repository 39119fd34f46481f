package simulate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/rig"
	"github.com/MrWong99/glyphoxa/internal/simulate/farend"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// Discord has the tables play in voice channels: players and NPCs hear each other
// over a voice gateway and UDP, on loopback, encrypted twice.
type Discord struct {
	// Plain leaves the end-to-end encryption out.
	Plain bool
	// FarEnd is a process that calls [ServeFarEnd] with its input and output, so that
	// what the players and Discord cost is none of this process's. If nil, the far
	// end runs in this process.
	FarEnd func() *exec.Cmd
}

// ErrNoCodec means that sound over Discord cannot be encoded.
var ErrNoCodec = errors.New("voice channels need libopus")

// farLine is the line of orders to the far end.
type farLine struct {
	address farend.Address
	tls     *tls.Config
	answers *json.Decoder
	wait    func() error // until the far end has ended

	mu     sync.Mutex // guards the fields below
	in     io.WriteCloser
	orders *json.Encoder
}

// startFarEnd starts the far end of a load. close ends it.
func startFarEnd(ctx context.Context, load Load, d *Discord) (f *farLine, err error) {
	f = &farLine{}
	var out io.Reader
	var complaint bytes.Buffer
	if d.FarEnd == nil {
		out = f.runHere(ctx)
	} else {
		cmd := d.FarEnd()
		cmd.Stderr = &complaint
		if f.in, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
		if out, err = cmd.StdoutPipe(); err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		f.wait = cmd.Wait
	}
	f.orders, f.answers = json.NewEncoder(f.in), json.NewDecoder(out)
	err = f.orders.Encode(farSetup{Tables: load.Tables, Players: load.Players, Plain: d.Plain})
	if err == nil {
		err = f.answers.Decode(&f.address)
	}
	if err != nil {
		return nil, fmt.Errorf("starting the far end: %w", errors.Join(err, f.close(), complaintOf(&complaint)))
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(f.address.CA)
	f.tls = &tls.Config{RootCAs: pool}
	return f, nil
}

// complaintOf is what a process said of its failure.
func complaintOf(b *bytes.Buffer) error {
	if b.Len() == 0 {
		return nil
	}
	return errors.New(string(bytes.TrimSpace(b.Bytes())))
}

// runHere runs the far end in this process and returns its answers.
func (f *farLine) runHere(ctx context.Context) io.Reader {
	in, orders := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	f.in, f.wait = orders, func() error { return <-ended }
	go func() {
		err := ServeFarEnd(context.WithoutCancel(ctx), in, out)
		_ = in.CloseWithError(io.ErrClosedPipe) // so that no order waits
		_ = out.CloseWithError(err)
		ended <- err
	}()
	return answers
}

// order gives an order.
func (f *farLine) order(o farOrder) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.orders.Encode(o)
}

// report ends the measurement.
func (f *farLine) report() (r PeerReport, err error) {
	if err = f.order(farOrder{Measure: measureEnd}); err == nil {
		err = f.answers.Decode(&r)
	}
	return r, err
}

// close ends the far end.
func (f *farLine) close() error { return errors.Join(f.in.Close(), f.wait()) }

// voiceLine is a table's connection to its voice channel. It implements
// mixer.Outlet.
type voiceLine struct {
	conn    *voice.Conn
	channel string
	meter   *meter

	mu    sync.Mutex      // guards the fields below
	late  []time.Duration // of frames handed over, of which it is not known when they were sent
	waits []time.Duration // of frames sent, of which it is not known how late they were handed over
}

// unmatched is how many frames at most are known by half.
const unmatched = 8

// connect makes the connection of table number n. hear is told what its players say.
func (f *farLine) connect(n int, lib *opus.Library, m *meter, hear func(user string, p voice.Packet)) *voiceLine {
	l := &voiceLine{channel: farend.ChannelID(n), meter: m}
	l.conn = voice.New(voice.Options{
		Guild: farend.GuildID(n), User: farend.BotID, Hear: hear, Sent: l.sent, Opus: lib, TLS: f.tls,
		Move: func(_ context.Context, channel string) error {
			if channel == "" {
				l.conn.UpdateState(voice.State{})
				return nil
			}
			l.conn.UpdateState(voice.State{Channel: channel, Session: "simulated"})
			l.conn.UpdateServer(voice.Server{Token: f.address.Token, Endpoint: f.address.Endpoint})
			return nil
		},
	})
	return l
}

// Write implements mixer.Outlet.
func (l *voiceLine) Write(ctx context.Context, frame *audio.Frame) error {
	return l.conn.Write(ctx, frame)
}

// handedOver notes that the next frame was handed to the connection so late.
func (l *voiceLine) handedOver(late time.Duration) {
	l.meter.frame(late)
	l.match(&l.late, &l.waits, late)
}

// sent notes that the next frame was given to the network, and how long that took.
func (l *voiceLine) sent(took time.Duration) { l.match(&l.waits, &l.late, took) }

// match counts a frame's lateness at the network once both halves of it are known.
func (l *voiceLine) match(mine, others *[]time.Duration, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(*others) > 0 {
		l.meter.written.addDuration(d + (*others)[0])
		*others = (*others)[1:]
		return
	}
	if len(*mine) < unmatched {
		*mine = append(*mine, d)
	}
}

// reportDiscord sums up what went over the voice channels.
func reportDiscord(far *farLine, sittings []*sitting, m *meter) (*DiscordReport, error) {
	r := &DiscordReport{}
	for _, s := range sittings {
		st := s.voice.conn.Stats()
		r.Mode, r.DAVE = st.Mode, st.DAVE
		r.Sent, r.Unsent = r.Sent+st.Out.Packets, r.Unsent+st.Out.Dropped
		r.Received, r.Lost, r.DecryptFailures = r.Received+st.In.Packets, r.Lost+st.In.Lost, r.DecryptFailures+st.In.Failed()
		r.Interruptions += st.Connections - 1
	}
	if d := m.written.distribution(); d.total > 0 {
		late := lateness(d)
		r.WriteLateness = &late
	}
	var err error
	r.Peer, err = far.report()
	return r, err
}

// relayUtterances has the far end say what the player is asked to, until ctx ends.
func (p *player) relayUtterances(ctx context.Context, far *farLine, table, number int) {
	for {
		var u *utterance
		select {
		case u = <-p.asks:
		case <-ctx.Done():
			return
		}
		if far.order(farOrder{Table: table, Player: number, Text: u.text, Pause: u.pause}) != nil {
			return // It has ended, which its owner is told.
		}
		t := p.beginTalk(u)
		var length time.Duration
		for _, part := range t.parts {
			length += part.length()
		}
		if rig.Pause(ctx, length) != nil {
			return
		}
		close(u.done)
	}
}
