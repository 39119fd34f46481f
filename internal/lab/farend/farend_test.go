package farend_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait.
const patience = time.Minute

// start runs a far end until the test ends. heard receives the bots' packets.
func start(t *testing.T, o farend.Options) (s *farend.Server, heard chan farend.Packet) {
	t.Helper()
	heard = make(chan farend.Packet, 1000)
	o.Heard = func(p farend.Packet) { heard <- p }
	s, err := farend.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return s, heard
}

// said is a packet from a player as the bot receives it.
type said struct {
	user string
	voice.Packet
}

// warnings fail a test, because all data from the far end is valid.
type warnings struct{ t *testing.T }

func (w warnings) Write(p []byte) (int, error) {
	w.t.Errorf("the bot logs %s", p)
	return len(p), nil
}

// connect runs a bot's connection to channel n until the test ends.
func connect(t *testing.T, s *farend.Server, n int) (c *voice.Conn, hears chan said) {
	t.Helper()
	hears = make(chan said, 1000)
	at := s.Address()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(at.CA)
	c = voice.New(voice.Options{
		Guild: farend.GuildID(n), User: farend.BotID, TLS: &tls.Config{RootCAs: pool}, Private: true, Logger: slog.New(slog.NewTextHandler(warnings{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		OnPacket: func(user string, p voice.Packet) { hears <- said{user, p} },
		Move: func(_ context.Context, channel string) error {
			c.UpdateState(voice.State{Channel: channel, Session: "session"})
			c.UpdateServer(voice.Server{Token: at.Token, Endpoint: at.Endpoint})
			return nil
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Errorf("the connection: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return c, hears
}

func await[T any](t *testing.T, from chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return v
}

// TestBotAndPlayersHearEachOther joins two channels with each encryption,
// leaves and rejoins.
func TestBotAndPlayersHearEachOther(t *testing.T) {
	if _, err := opus.Load(); err != nil {
		t.Fatal(err)
	}
	for name, plain := range map[string]bool{"end-to-end encrypted": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			s, heard := start(t, farend.Options{Channels: 2, Players: 4, Plain: plain})
			for n := range 2 {
				c, hears := connect(t, s, n)
				for range 2 {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					if err := c.Join(ctx, farend.ChannelID(n)); err != nil {
						t.Fatal(err)
					}
					if dave := c.Stats().DAVE; (dave == 0) != plain {
						t.Errorf("the version of the end-to-end encryption is %d", dave)
					}
					converse(t, s, n, c, heard, hears)
					if err := c.Leave(ctx); err != nil {
						t.Fatal(err)
					}
				}
				if st := c.Stats(); st.In.Failed() > 0 || st.In.Lost > 0 || st.Out.Dropped > 0 {
					t.Errorf("channel %d: %+v, want nothing lost", n, st)
				}
			}
		})
	}
}

// converse checks that the bot of channel n hears two players, and they hear
// the bot.
func converse(t *testing.T, s *farend.Server, n int, c *voice.Conn, heard chan farend.Packet, hears chan said) {
	t.Helper()
	for i := range byte(20) {
		s.Send(n, 0, []byte{0xFC, 'a', i})
		s.Send(n, 2, []byte{0xFC, 'c', i})
	}
	got := map[string][]byte{}
	for range 40 {
		p := await(t, hears)
		got[p.user] = append(got[p.user], p.Payload[1:]...)
	}
	for _, row := range []struct {
		player int
		name   byte
	}{{0, 'a'}, {2, 'c'}} {
		var want []byte
		for i := range byte(20) {
			want = append(want, row.name, i)
		}
		if user := farend.PlayerID(n, row.player); !slices.Equal(got[user], want) {
			t.Errorf("player %d said %v to the bot, want %v", row.player, got[user], want)
		}
	}
	for i := range 20 {
		if err := c.Write(t.Context(), &audio.Frame{int16(i)}); err != nil {
			t.Fatal(err)
		}
	}
	last := await(t, heard)
	for sounds := 1; !last.Silence; {
		p := await(t, heard)
		if p.Err != nil || p.Channel != n || p.Seq != last.Seq+1 || time.Since(p.At).Abs() > time.Minute {
			t.Errorf("the players hear %+v after %+v", p, last)
		}
		if last = p; !p.Silence {
			sounds++
		} else if sounds != 20 {
			t.Errorf("the players hear %d packets, want 20", sounds)
		}
	}
	for range 4 { // the rest of the end of a spurt
		await(t, heard)
	}
}

// TestStrangersAreRefused checks that a client without the token gets no keys.
func TestStrangersAreRefused(t *testing.T) {
	s, _ := start(t, farend.Options{Channels: 1, Players: 1})
	at := s.Address()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(at.CA)
	var c *voice.Conn
	c = voice.New(voice.Options{
		Guild: farend.GuildID(0), User: farend.BotID, TLS: &tls.Config{RootCAs: pool}, Private: true,
		Move: func(_ context.Context, channel string) error {
			c.UpdateState(voice.State{Channel: channel, Session: "session"})
			c.UpdateServer(voice.Server{Token: "another", Endpoint: at.Endpoint})
			return nil
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) }) // Run may give up first
	joining, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	if err := c.Join(joining, farend.ChannelID(0)); err == nil {
		t.Error("a bot without the token joined")
	}
	cancel()
	running.Wait()
}
