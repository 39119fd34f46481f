package simulate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os/exec"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Discord makes the tables play in voice channels: players and NPCs hear each
// other over a voice gateway and UDP on loopback, with both encryptions.
type Discord struct {
	// Plain turns off end-to-end encryption.
	Plain bool
	// FarEnd is a process that calls [ServeFarEnd] with its input and output,
	// so that the cost of players and Discord does not count for this process.
	// If nil, the far end runs in this process.
	FarEnd func() *exec.Cmd
}

// voiceChannels implements front.
type voiceChannels struct {
	*farLine
	tls   *tls.Config
	lines []*voiceLine
}

func openVoiceChannels(ctx context.Context, load Load, d *Discord) (front, error) {
	far, err := startFarEnd(ctx, farSetup{Tables: load.Tables, Players: load.Players, Plain: d.Plain}, d.FarEnd)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(far.address.CA)
	return &voiceChannels{farLine: far, tls: &tls.Config{RootCAs: pool}}, nil
}

// voiceLine is a table's connection to its voice channel. It implements line.
type voiceLine struct {
	writing
	conn    *voice.Conn
	channel string
}

// connect implements front.
func (v *voiceChannels) connect(s *sitting, o *Options, m *meter) line {
	l := &voiceLine{writing: writing{meter: m}, channel: farend.ChannelID(s.number)}
	l.conn = voice.New(voice.Options{
		Guild: farend.GuildID(s.number), User: farend.BotID, OnPacket: s.hear, Sent: l.sent, Opus: o.Library, TLS: v.tls, Private: true,
		Move: func(_ context.Context, channel string) error {
			if channel == "" {
				l.conn.UpdateState(voice.State{})
				return nil
			}
			l.conn.UpdateState(voice.State{Channel: channel, Session: "simulated"})
			l.conn.UpdateServer(voice.Server{Token: v.address.Token, Endpoint: v.address.Endpoint})
			return nil
		},
	})
	v.lines = append(v.lines, l)
	return l
}

// Write implements mixer.Outlet.
func (l *voiceLine) Write(ctx context.Context, frame *audio.Frame) error {
	return l.conn.Write(ctx, frame)
}

func (l *voiceLine) sink(w table.Sink) table.Sink { return w }

// open implements line. The players are seated before any of them is heard.
func (l *voiceLine) open(ctx context.Context, s *sitting, hold func(func(context.Context) error)) error {
	if err := s.seatPlayers(ctx); err != nil {
		return err
	}
	hold(l.conn.Run)
	return l.conn.Join(ctx, l.channel)
}

// hear handles a player's packet from the voice channel. All players are seated
// by then.
func (s *sitting) hear(user string, p voice.Packet) {
	for i, seat := range s.seats {
		if farend.PlayerID(s.number, i) == user {
			seat.Push(ear.Packet{Seq: p.Seq, Payload: p.Payload})
		}
	}
}

// awaitPlayers implements front: the players are always present.
func (*voiceChannels) awaitPlayers(context.Context) error { return nil }

// addToReport implements front.
func (v *voiceChannels) addToReport(report *Report, m *meter) (err error) {
	r := &DiscordReport{WriteLateness: m.writeLateness()}
	for _, l := range v.lines {
		st := l.conn.Stats()
		r.Mode, r.DAVE = st.Mode, st.DAVE
		r.Sent, r.Unsent = r.Sent+st.Out.Packets, r.Unsent+st.Out.Dropped
		r.Received, r.Lost, r.DecryptFailures = r.Received+st.In.Packets, r.Lost+st.In.Lost, r.DecryptFailures+st.In.Failed()
		r.Interruptions += st.Connections - 1
	}
	report.Discord = r
	r.Peer, err = v.report()
	return err
}
