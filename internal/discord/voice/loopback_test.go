package voice_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

const (
	guild  = "81384788765712384"
	tavern = "127121515262115840"
	cellar = "127121515262115841"
	botA   = "1090123456789012340"
	botB   = "1090123456789012341"
	alice  = "1090123456789012345"
)

// patience bounds every wait.
const patience = 2 * time.Minute

// bot is a connection with the main gateway of a test.
type bot struct {
	t    *testing.T
	c    *voice.Conn
	user string

	mu       sync.Mutex // guards the fields below
	server   *voicetest.Server
	stage    bool
	full     map[string]bool // channels without an answer
	sessions int
	channel  string
	heard    map[string][]voice.Packet
	events   []voice.Event
	changed  chan struct{}
}

// newBot starts a bot and stops it at the end of the test.
func newBot(t *testing.T, s *voicetest.Server, user string) *bot {
	t.Helper()
	b := &bot{t: t, user: user, server: s, sessions: 1, full: map[string]bool{}, heard: map[string][]voice.Packet{}, changed: make(chan struct{})}
	b.c = voice.New(voice.Options{
		Guild: guild, User: user, Move: b.move, TLS: s.TLS(), Private: true, Logger: slog.New(slog.DiscardHandler),
		OnPacket: func(user string, p voice.Packet) {
			b.note(func() { b.heard[user] = append(b.heard[user], p) })
		},
		OnEvent: func(e voice.Event) { b.note(func() { b.events = append(b.events, e) }) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if t.Failed() {
			b.mu.Lock()
			defer b.mu.Unlock()
			t.Logf("bot %s: %+v\n%+v", user, b.c.Stats(), b.events)
		}
	})
	return b
}

func (b *bot) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	close(b.changed)
	b.changed = make(chan struct{})
}

// move acts as the main gateway.
func (b *bot) move(_ context.Context, channel string) error {
	b.mu.Lock()
	s, full := b.server, b.full[channel]
	b.mu.Unlock()
	switch {
	case full:
	case channel == "":
		s.Expel(guild, b.user)
		b.c.UpdateState(voice.State{})
	default:
		b.admit(channel)
	}
	return nil
}

// admit tells the bot its channel and its voice server.
func (b *bot) admit(channel string) {
	b.mu.Lock()
	session := fmt.Sprintf("session-%s-%d", b.user, b.sessions)
	join := voicetest.Join{Guild: guild, Channel: channel, User: b.user, Session: session, Stage: b.stage}
	s := b.server
	b.channel = channel
	b.mu.Unlock()
	at := s.Admit(join)
	b.c.UpdateState(voice.State{Channel: channel, Session: session})
	b.c.UpdateServer(voice.Server(at))
}

func (b *bot) join(channel string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if err := b.c.Join(ctx, channel); err != nil {
		b.t.Fatalf("Join: %v", err)
	}
}

// await waits until cond, which runs under the lock, returns true.
func (b *bot) await(what string, cond func() bool) {
	b.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		done, changed := cond(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			b.t.Fatalf("bot %s: no %s within %v", b.user, what, patience)
		}
	}
}

// awaitEvent waits for n events of type E. If is is not nil, only those it accepts count.
func awaitEvent[E voice.Event](b *bot, n int, is func(E) bool) {
	b.t.Helper()
	b.await(fmt.Sprintf("%T", *new(E)), func() bool {
		found := 0
		for _, e := range b.events {
			if e, ok := e.(E); ok && (is == nil || is(e)) {
				found++
			}
		}
		return found >= n
	})
}

// forget drops the events so far.
func (b *bot) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
}

func mustJoin(t *testing.T, p *voicetest.Peer) {
	t.Helper()
	if err := p.Join(t.Context(), tavern); err != nil {
		t.Fatal(err)
	}
}

// awaitMembers waits until the bot's group has n members.
func (b *bot) awaitMembers(n int) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for st := b.c.Stats(); !st.Encrypted || st.Members != n; st = b.c.Stats() {
		if time.Now().After(deadline) {
			b.t.Fatalf("no group of %d within %v: %+v", n, patience, st)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// pair returns two bots in one channel that hear each other.
func pair(t *testing.T, o *voicetest.Options) (s *voicetest.Server, a, b *bot) {
	t.Helper()
	s = voicetest.New(t, o)
	a, b = newBot(t, s, botA), newBot(t, s, botB)
	a.join(tavern)
	b.join(tavern)
	awaitEvent(a, 1, func(e voice.UserJoined) bool { return e.User == botB })
	awaitEvent(b, 1, func(e voice.UserJoined) bool { return e.User == botA })
	a.awaitMembers(2)
	b.awaitMembers(2)
	return s, a, b
}

// converse lets two bots talk at once and checks that each hears all of the other.
func converse(t *testing.T, s *voicetest.Server, a, b *bot, n int) {
	t.Helper()
	before := map[*bot]int{a: a.countSound(b.user), b: b.countSound(a.user)}
	var both sync.WaitGroup
	for _, x := range []*bot{a, b} {
		both.Go(func() { x.say(n) })
	}
	both.Wait()
	for _, x := range []struct{ ear, mouth *bot }{{a, b}, {b, a}} {
		want := before[x.ear] + n
		x.ear.await(fmt.Sprintf("%d frames", n), func() bool { return x.ear.sound(x.mouth.user) >= want })
		x.ear.mu.Lock()
		var payloads [][]byte
		for _, p := range x.ear.heard[x.mouth.user] {
			if !isSilence(p) {
				payloads = append(payloads, p.Payload)
			}
		}
		x.ear.mu.Unlock()
		checkTone(t, payloads[before[x.ear]:])
	}
	a.quiet(s)
	b.quiet(s)
}
